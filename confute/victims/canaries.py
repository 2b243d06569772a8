"""Fixed pairs scored at the start and at the end of a run: a victim that changed in between shows on them."""

from __future__ import annotations

from collections.abc import Sequence

from confute.records import Pair, Score

CANARIES = (
    Pair(claim="The bridge opened in 1932.", evidence=("The bridge was opened to traffic in March 1932.",)),
    Pair(claim="The bridge opened in 1941.", evidence=("The bridge was opened to traffic in March 1932.",)),
    Pair(
        claim="Copper conducts heat better than lead.",
        evidence=("Lead is a poor conductor of heat.", "Copper passes heat about eleven times as well as lead does."),
    ),
    Pair(claim="The trial enrolled 48 patients.", evidence=("Forty-eight patients took part. Two of them withdrew.",)),
    Pair(claim="The court did not dismiss the appeal.", evidence=("The appeal was dismissed with costs.",)),
    Pair(
        claim="The ferry leaves from the northern pier every hour.",
        evidence=("Bread rises because yeast makes gas.", "A loaf is baked for about 40 minutes at 220 °C."),
    ),
    Pair(claim="Émile's café — “Le Nord” — sold 3.5 t of flour.", evidence=("Le Nord sold 3.5 t of flour.",)),
    Pair(claim="Rain", evidence=("It rained.", "It rained.", "It rained on the hills and then in the town.")),
)


def drifted(before: Sequence[Score], after: Sequence[Score]) -> tuple[int, ...]:
    """Return the places of the canaries whose state, value or error code is not exactly what it was."""
    if len(before) != len(after):
        raise ValueError(f"canaries are compared one by one, got {len(before)} before and {len(after)} after")
    return tuple(
        place
        for place, (old, new) in enumerate(zip(before, after, strict=True))
        if (old.state, old.value, old.error_code) != (new.state, new.value, new.error_code)
    )
