"""Shortcut audit: can one surface feature tell edited claims from faithful ones, without reading the evidence?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from confute.errors import OracleError
from confute.records import Record
from confute.text import tokens

DEFAULT_BOUND = 0.75


class ShortcutStatus(StrEnum):
    """Whether the best single feature tells the arms apart better than the bound allows."""

    SHORTCUT = "shortcut"
    CLEAR = "clear"


class ShortcutAudit(Record):
    """The best single feature and its balanced accuracy, the mean of its hit rates on the two arms, from 0.5 to 1."""

    status: ShortcutStatus
    feature: str
    accuracy: float
    bound: float


def audit(faithful: Sequence[str], edited: Sequence[str], bound: float = DEFAULT_BOUND) -> ShortcutAudit:
    """Return the audit of two arms of claims over words, beginnings, endings, lengths and character counts.

    A feature is a rule "x >= t" or its opposite. Raises OracleError where an arm is empty.
    """
    if not faithful or not edited:
        raise OracleError(
            "a shortcut audit needs both arms", allowed="at least one claim in each", got=(faithful, edited)
        )
    values: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for is_edited, texts in ((False, faithful), (True, edited)):
        for text in texts:
            for name, value in _features(text):
                values[name].append((value, is_edited))
    sizes = (len(faithful), len(edited))
    accuracy, feature = max((_best_accuracy(found, sizes), name) for name, found in sorted(values.items()))
    status = ShortcutStatus.SHORTCUT if accuracy > bound else ShortcutStatus.CLEAR
    return ShortcutAudit(status=status, feature=feature, accuracy=accuracy, bound=bound)


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Yield the features of a text that are not 0."""
    words = tokens(text.casefold())
    yield from ((f"has the word {word!r}", 1.0) for word in dict.fromkeys(words))
    if words:
        yield f"begins with {words[0]!r}", 1.0
    yield f"ends with {text[-2:]!r}", 1.0
    counts = {
        "tokens": len(words),
        "characters": len(text),
        "digits": sum(character.isdigit() for character in text),
        "capitals": sum(character.isupper() for character in text),
        "punctuation marks": sum(not character.isalnum() and not character.isspace() for character in text),
    }
    yield from ((f"number of {name}", float(count)) for name, count in counts.items() if count)


def _best_accuracy(found: Sequence[tuple[float, bool]], sizes: tuple[int, int]) -> float:
    """Return the best balanced accuracy of a threshold; a text without the feature has the value 0."""
    missing = [
        size - sum(is_edited is arm for _, is_edited in found) for size, arm in zip(sizes, (False, True), strict=True)
    ]
    ordered = [*((0.0, False),) * missing[0], *((0.0, True),) * missing[1], *sorted(found)]
    best, below = 0.5, [0, 0]
    for (value, is_edited), (following, _) in pairwise(ordered):
        below[is_edited] += 1
        if value < following:
            accuracy = (below[0] / sizes[0] + 1 - below[1] / sizes[1]) / 2
            best = max(best, accuracy, 1 - accuracy)
    return best
