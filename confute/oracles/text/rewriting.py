"""Whether a quantity may be written in another way without a change of meaning."""

from __future__ import annotations

import re

from confute.oracles.text.parsing import Parsed, Token
from confute.oracles.text.quantities import Quantity, base_value, quantities

_INTERCHANGEABLE = (
    frozenset({"more than", "over"}),
    frozenset({"less than", "fewer than", "under"}),
    frozenset({"at least", "no less than", "no fewer than", "not less than"}),
    frozenset({"at most", "no more than", "not more than"}),
    frozenset({"about", "approximately", "roughly", "around"}),
)
_ALSO_PREPOSITIONS = frozenset({"over", "under", "about", "around"})
_TIMES = frozenset({"second", "minute", "hour", "day", "week"})
_TIME_WORDS = frozenset(["years", "year", "months", "month", "decades", "decade", "centuries", "century"])
_COUNTING = frozenset({"", "CARDINAL", "QUANTITY", "PERCENT", "MONEY", "TIME", "DATE"})
_ORDERS = frozenset({"first", "last", "other"})
_LEADING = frozenset({"DT", "IN", "CC", "TO", "RB", "RBR", "JJR", "JJS", "RP", ",", ".", ":", "PRP$"})
_LINK = re.compile(r"\s*(?:to|and|or|,)\s*", re.IGNORECASE)
_GLUED = re.compile(r"\s*[-\u2013\u2014/(]")


def not_rewritable(claim: Parsed, old: Quantity, new: Quantity, text: str) -> str | None:
    """Return why a quantity may mean something else when it is written as another text of the same value, or None.

    A number in a title or one that numbers a kind (`type 2`) is no count and has one spelling; `over` and `about` are
    bounds only where they are no prepositions.
    """
    new_text = text.strip()
    phrases = [claim.text[old.start : old.number[0]], new_text[: new.number[0]]]
    given, other = (
        " ".join(re.sub(r"[$\u20ac\u00a3\u00a5\u2212-]|US", "", phrase).lower().split()) for phrase in phrases
    )
    if given != other and _reworded(claim, old, given, other):
        return "bound_reworded"
    if new.in_words == old.in_words and new.unit == old.unit:
        return None
    return None if _counts(claim, old, new.unit != old.unit) else "identifier"


def _reworded(claim: Parsed, old: Quantity, given: str, other: str) -> bool:
    """Tell whether the words before a number may mean something else than those that take their place."""
    if not any({given, other} <= group for group in _INTERCHANGEABLE):
        return True
    first = next((token for token in claim.tokens if token.start <= old.start < token.end), None)
    counted = next((token for token in claim.tokens if token.start >= old.end), None)
    timed = old.unit in _TIMES or (counted is not None and counted.text.lower() in _TIME_WORDS)
    if {given, other} & {"over", "under", "around"} and timed:
        return True
    return given in _ALSO_PREPOSITIONS and (first is None or not _is_bound(claim, first))


def _is_bound(claim: Parsed, first: Token) -> bool:
    """Tell whether a word that may be a preposition is surely none: a parser takes `spoke about 5 topics` for both."""
    before = claim.tokens[first.index - 1] if first.index else None
    placed = before is None or before.lemma == "be" or before.tag in ("IN", "TO")
    return placed and first.dep in ("quantmod", "advmod")


def _counts(claim: Parsed, old: Quantity, converted: bool) -> bool:
    """Tell whether a number surely counts or measures: in no name or title, and numbering no kind."""
    inside = [token for token in claim.tokens if token.start < old.end and old.start < token.end]
    if not inside or any(token.entity not in _COUNTING for token in inside):
        return False
    before = claim.tokens[inside[0].index - 1] if inside[0].index else None
    after = claim.tokens[inside[-1].index + 1] if inside[-1].index + 1 < len(claim.tokens) else None
    if _capitalised(inside, after) or claim.is_quoted(old.start, old.end) or _joined(claim.text, old):
        return False
    if before is not None and ((before.text[:1].isupper() and before.index) or not _leads(before)):
        return False
    if old.unit is not None:
        return not (converted and after is not None and after.tag.startswith(("NN", "VBG", "JJ")))
    return _counted(claim, inside)


def _counted(claim: Parsed, inside: list[Token]) -> bool:
    """Tell whether a plural noun that follows a number is what it counts."""
    head = claim.tokens[inside[-1].head]
    between = claim.tokens[inside[-1].index + 1 : head.index]
    plural = head.tag == "NNS" and head.index > inside[-1].index
    return plural and all(token.tag in ("JJ", "NN", "VBN", "VBG") and token.text.islower() for token in between)


def _leads(token: Token) -> bool:
    return token.tag in _LEADING or token.tag.startswith(("V", "MD")) or token.text.lower() in _ORDERS


def _capitalised(inside: list[Token], after: Token | None) -> bool:
    """Tell whether a word of the quantity or the word after it is written as in a title."""
    words = [token for token in inside if token.index or not token.text.isalpha()]
    return any(token.text[:1].isupper() for token in (*words, *((after,) if after else ())))


def _joined(text: str, old: Quantity) -> bool:
    """Tell whether a number is one part of a longer expression: `two-way`, `2 to 3`, `2(b)`."""
    if re.search(r"(?:[-\u2013\u2014/(#.:\u00b7]|\d\s(?:to|and|or))\s*$", text[: old.start]):
        return True
    following = next((other for other in quantities(text) if other.start >= old.end), None)
    linked = following is not None and _LINK.fullmatch(text[old.end : following.start]) is not None
    return linked or _GLUED.match(text[old.end :]) is not None


def restated_beside(claim: Parsed, quantity: Quantity) -> bool:
    """Tell whether the claim gives a quantity again in brackets beside it, in other words, units or as a share."""
    for other in quantities(claim.text):
        first, second = sorted((quantity, other), key=lambda each: each.start)
        gap = claim.text[first.end : second.start]
        if other is quantity or first is second or len(gap) > 30 or gap.count("(") + gap.count("[") != 1 or ")" in gap:
            continue
        same_kind = base_value(first)[1] == base_value(second)[1] and first.unit is not None
        if abs(first.value) == abs(second.value) or same_kind or "%" in (first.unit, second.unit):
            return True
    return False
