"""Numbers that belong together: composite amounts, ranges and margins of error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from confute.victims.grounding import units
from confute.victims.grounding.quantity import Bound, Quantity

_LETTERS = r"[A-Za-z\u2032\u2033%\u00b0\u00b5\u03bc]*"
_COMPOSITE = re.compile(rf"-?\s?{_LETTERS}(?:,|\s+and)?\s*")
_NO_RANGE = r"(?!\s?(?:compared|relative|up|down|prior|due|close|next|as|over)\b)"
_RANGE = re.compile(rf"{_NO_RANGE}\s?{_LETTERS}\s?(?:[-\u2013\u2014]|to)\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+\S{0,4}\Z", re.IGNORECASE)
_BETWEEN_AND = re.compile(rf"\s?{_LETTERS}\s?and\s", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+\S{0,4}\Z", re.IGNORECASE)
_RANGED_FROM = re.compile(
    r"\b(?:rang(?:e|es|ed|ing)|var(?:y|ies|ied|ying)|span(?:s|ned|ning)?|anywhere|anything)\b[^.;,\d]{0,40}\bfrom\s+\S{0,4}\Z",
    re.IGNORECASE,
)
_MARGIN = re.compile(rf"\s?{_LETTERS}\s?\u00b1\s?")
_COMPOSED = frozenset({"time", "length", "mass"})


def joined(found: Sequence[Quantity], text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text with those made one that are: `2 h 15 min`, `50-60 km`, `52 \u00b1 3`."""
    kept: list[Quantity] = []
    for quantity in found:
        if kept and kept[-1].skipped is None and quantity.skipped is None:
            merged = _merged(kept[-1], quantity, text)
            if merged is not None:
                kept[-1] = merged
                continue
        kept.append(quantity)
    return tuple(kept)


def _merged(left: Quantity, right: Quantity, text: str) -> Quantity | None:
    between = text[left.end : right.start]
    if _is_composite(left, right, between):
        value = left.value + (1 if left.value >= 0 else -1) * right.unit.convert(right.value, left.unit)
        half = right.unit.convert(right.half_unit, left.unit)
        return replace(left, end=right.end, readings=(value,), half_unit=half, coarse=half, direction=left.direction)
    if left.bound not in {Bound.EXACT, Bound.ABOUT} or left.upper is not None:
        return None
    if _MARGIN.fullmatch(between) and not right.signed:
        return replace(left, end=right.end, unit=_shared(left, right))
    return _range(left, right) if _is_range(text[max(0, left.start - 70) : left.start], between) else None


def _is_range(before: str, between: str) -> bool:
    """Tell a range from a change: `ranged from 3 to 5` is one, `rose from 3 to 5` is not."""
    if _BETWEEN.search(before):
        return _BETWEEN_AND.fullmatch(between) is not None
    return _RANGE.fullmatch(between) is not None and (not _FROM.search(before) or bool(_RANGED_FROM.search(before)))


def _is_composite(left: Quantity, right: Quantity, between: str) -> bool:
    sizes = left.unit.dimension == right.unit.dimension in _COMPOSED and right.unit.factor < left.unit.factor
    carries = sizes and 0 <= right.value < left.unit.factor / right.unit.factor and left.value.denominator == 1
    return carries and right.bound is Bound.EXACT and not right.signed and _COMPOSITE.fullmatch(between) is not None


def _range(left: Quantity, right: Quantity) -> Quantity | None:
    unit = _shared(left, right)
    low = left.value if left.unit.dimension != unit.dimension else left.unit.convert(left.value, unit)
    if unit.dimension != right.unit.dimension or low > right.value:
        return None
    return replace(
        left,
        end=right.end,
        unit=unit,
        readings=(low,),
        upper=right.value,
        signed=left.signed or right.signed,
        half_unit=right.half_unit,
        noun=right.noun,
        coarse=right.coarse,
        direction=left.direction or right.direction,
    )


def _shared(left: Quantity, right: Quantity) -> units.Unit:
    return right.unit if left.unit.name == units.COUNT else left.unit
