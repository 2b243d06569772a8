"""Values that follow from known ones: a sum, a difference or a mean that the text says it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from confute.victims.grounding.comparing import is_like
from confute.victims.grounding.naming import Window
from confute.victims.grounding.pool import Entry
from confute.victims.grounding.quantity import Quantity
from confute.victims.grounding.units import Unit

_SUM = re.compile(
    r"\b(?:total|totals|together|combined|sum|altogether|in all|overall|both|makes|adds? up|aggregate)\b", re.I
)
_GAP = re.compile(
    r"\b(?:difference|gap|more than|less than|higher|lower|above|below|between|up|down|rose|fell|change)\b", re.I
)
_MEAN = re.compile(r"\b(?:average|averaged|averaging|mean|on average)\b", re.I)
_MOST = 24


def derived_from(quantity: Quantity, window: Window, pool: Sequence[Entry]) -> tuple[str, ...]:
    """Return the names of the known values that a quantity is the sum, difference or mean of, as its words say.

    Without such a word nothing is derived: with many known values some sum would fit any number.
    """
    said = f"{window.before} {quantity.token} {window.after}"
    like = [entry for entry in pool if is_like(quantity, entry)][:_MOST]
    value = abs(quantity.value)
    for names, result, unit in _results(said, like):
        if (
            abs(quantity.unit.convert(value, unit) - abs(result))
            <= quantity.half_unit * quantity.unit.factor / unit.factor
        ):
            return names
    return ()


def _results(said: str, like: Sequence[Entry]) -> Iterator[tuple[tuple[str, ...], Fraction, Unit]]:
    for parts in (*combinations(like, 2), *([tuple(like)] if len(like) > 2 else [])):
        names, unit = tuple(entry.name for entry in parts), parts[0].unit
        amounts = [entry.unit.convert(entry.value, unit) for entry in parts]
        if _SUM.search(said):
            yield names, sum(amounts, Fraction(0)), unit
        if _MEAN.search(said):
            yield names, sum(amounts, Fraction(0)) / len(amounts), unit
        if _GAP.search(said) and len(parts) == 2:
            yield names, amounts[0] - amounts[1], unit
