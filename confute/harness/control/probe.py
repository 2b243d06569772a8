"""A probe: a text whose right answer is known, against evidence, in one arm of a control."""

from __future__ import annotations

from enum import StrEnum

from confute.records import NonBlank, Pair, Record


class ControlArm(StrEnum):
    """What was done to a text: the first three should not be flagged, each of the others should."""

    FAITHFUL = "faithful"
    UNRELATED = "unrelated"
    FILLER = "filler"
    CORRUPTED = "corrupted"
    SIGN_FLIPPED = "sign_flipped"
    UNIT_SWAPPED = "unit_swapped"
    ROLE_SWAPPED = "role_swapped"
    NEGATED = "negated"
    ENTITY_SWAPPED = "entity_swapped"
    STALE_DATE = "stale_date"

    @property
    def is_clean(self) -> bool:
        """Whether nothing in the evidence speaks against the text."""
        return self in {ControlArm.FAITHFUL, ControlArm.UNRELATED, ControlArm.FILLER}


class Probe(Record):
    """A pair in an arm; `record` is the cluster that it is of, `drift` the signed share that a number was moved by."""

    record: NonBlank
    arm: ControlArm
    pair: Pair
    drift: float | None = None


class Material(Record):
    """The probes of a control, where they are from, and how many were left out for which reason."""

    source: str
    probes: tuple[Probe, ...]
    left_out: dict[str, int]
