"""Words of English that carry no content of their own."""

from __future__ import annotations

_SHARED = (
    "a about above after again against all also an and any are as at be been before below between both but by can "
    "compared could did do does down during each every few for from further had has have here higher how if in "
    "into is it its just last less lower may might more most much near no nor not now of off on once only or "
    "other our out over per plus rather same should since so still such than that the their them then there these "
    "they this those through to today too under until up very was we were what when where which while who will "
    "with within without would yet you your"
)
_UNNAMING = "around current he her his i many metric she some total value"
_UNCOUNTED = (
    "am away because being even ever having itself onto ought overall own shall tomorrow tonight versus via whom "
    "why yesterday"
)

PLAIN = frozenset(f"{_SHARED} {_UNNAMING}".split())
"""Words that name nothing."""

UNCOUNTED = frozenset(f"{_SHARED} {_UNCOUNTED}".split())
"""Words that a number before them does not count."""
