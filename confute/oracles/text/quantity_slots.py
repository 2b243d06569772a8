"""Guards on quantities: a new value is an error where the evidence states the old one once, and it alone."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import partial

from confute.oracles.text.findings import Effect, Family, Finding, Slot, unsure
from confute.oracles.text.parsing import Parsed, Token
from confute.oracles.text.quantities import Bound, Quantity, base_value, quantities, single
from confute.oracles.text.quantity_offers import offers
from confute.oracles.text.rewriting import not_rewritable, restated_beside
from confute.oracles.text.source import Source
from confute.records import Mechanism

EXACT_TOLERANCE = Fraction(3, 100)
NEARBY = Fraction(12, 100)
_ABOUT_TOLERANCE = Fraction(25, 100)
_NAMES = frozenset({"PERSON", "ORG", "PRODUCT", "WORK_OF_ART", "FAC", "EVENT", "LAW", "GPE"})
_SAME_VALUE = Finding(Effect.SAME, Mechanism.PARAPHRASE, "same_value")
_SUMS = re.compile(r"\b(total|sum|combined|altogether|together|plus)\b|[+=\u00d7]", re.IGNORECASE)
_OPEN_END = re.compile(r"\s*(\+|or (more|less|fewer)|and (above|below))")
_SMALL = "(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_LINK = r"(?:to|and|or|through|[-\u2013\u2014/:])"
_GOES_ON = re.compile(rf"(?:\s(?:million|billion|thousand))?\s?-?%?\s?{_LINK}\s?[$\u20ac\u00a3]?(?:\d|{_SMALL}\b)")
_LED = re.compile(
    rf"(?:(?:\d%?|\b(?:million|billion|thousand)|\b{_SMALL})\s?{_LINK}|\b(?:between|from|range of))\s?[$\u20ac\u00a3]?$"
)


def slots(source: Source, dated: tuple[tuple[int, int], ...]) -> tuple[Slot, ...]:
    """Return the slots of the claim's quantities, those within the spans `dated` left out."""
    found = []
    for quantity in quantities(source.claim.text):
        if any(start < quantity.end and quantity.start < end for start, end in dated):
            continue
        name = f"quantity@{quantity.number[0]}"
        judge = partial(_judge, source, quantity)
        found.append(Slot(quantity.start, quantity.end, name, offers(source.claim.text, quantity), judge))
    return tuple(found)


def _judge(source: Source, old: Quantity, text: str) -> Finding | None:
    new = single(text)
    if new is None:
        return None
    if base_value(new) == base_value(old) and _same_bound(new, old):
        reason = not_rewritable(source.claim, old, new, text)
        if reason is None and new.in_words != old.in_words and (old.value == 1 or _is_named(source, old)):
            reason = "identifier"
        return unsure(Mechanism.PARAPHRASE, reason) if reason else _SAME_VALUE
    if (reason := _derived(source, old, new)) or (reason := _not_a_plain_quantity(source, old)):
        return unsure(Mechanism.QUANTITY, reason)
    anchor = _anchor(source, old)
    if new.signed and not old.signed and not _has_sign(source, old):
        anchor = "unsigned_quantity"
    if isinstance(anchor, str):
        return unsure(Mechanism.QUANTITY, anchor)
    return _compare(source, old, new, anchor)


def _compare(source: Source, old: Quantity, new: Quantity, anchor: Quantity) -> Finding:
    value, dimension = base_value(new)
    stated, stated_dimension = base_value(anchor)
    if _entails(anchor, new) or (new.bound is not old.bound and _entails(old, new)):
        return Finding(Effect.WEAKER, Mechanism.QUANTITY, "still_entailed")
    about = Bound.ABOUT in (old.bound, new.bound, anchor.bound)
    shift = abs(value - stated) / abs(stated) if stated else Fraction(1)
    if shift <= EXACT_TOLERANCE and not (shift == 0 and new.bound in (Bound.MORE, Bound.LESS) and not about):
        return Finding(Effect.NEITHER, Mechanism.QUANTITY, "within_tolerance")
    undecided = {
        "another_kind_of_unit": None not in (dimension, stated_dimension) and dimension != stated_dimension,
        "evidence_disagrees": not _entails(anchor, old),
        "approximate": about and shift <= _ABOUT_TOLERANCE,
        "value_elsewhere_in_evidence": value != stated and _stated_elsewhere(source, old, new),
        "smaller_count": new.bound is Bound.EXACT and 0 <= value < stated and dimension in (None, "[time]"),
    }
    if reason := next((name for name, holds in undecided.items() if holds), None):
        return unsure(Mechanism.QUANTITY, reason)
    reason = "value_contradicted:beyond_nearby" if shift > NEARBY else "value_contradicted"
    complement = new.unit == "%" and value + stated == 100
    return Finding(Effect.FALSE, Mechanism.QUANTITY, reason, Family.COMPLEMENT if complement else Family.VALUE)


def _stated_elsewhere(source: Source, old: Quantity, new: Quantity) -> bool:
    value, dimension = base_value(new)
    bases = (base_value(quantity) for quantity, _ in source.evidence_quantities)
    if any(kind == dimension and _near(value, base) for base, kind in bases):
        return True
    return new.value != old.value and any(_near(new.value, number) for number in source.evidence_numbers)


def _same_bound(new: Quantity, old: Quantity) -> bool:
    strict = {Bound.MORE: "up", Bound.LESS: "down"}
    return strict.get(new.bound, new.bound) == strict.get(old.bound, old.bound)


def _near(value: Fraction, other: Fraction) -> bool:
    return abs(value - other) <= EXACT_TOLERANCE * abs(other)


def _entails(given: Quantity, claimed: Quantity) -> bool:
    """Tell whether every value that one quantity allows is allowed by the other, in the same kind of unit."""
    kinds = {base_value(given)[1], base_value(claimed)[1]}
    if len(kinds) == 2 and None not in kinds:
        return False
    low, high = _interval(given)
    floor, ceiling = _interval(claimed)
    return floor <= low and high <= ceiling


def _interval(quantity: Quantity) -> tuple[tuple[float, Fraction, int], tuple[float, Fraction, int]]:
    """Return the ends of the allowed values as sortable keys: (infinity, value, open side)."""
    value, _ = base_value(quantity)
    lowest, highest = (-1.0, Fraction(0), 0), (1.0, Fraction(0), 0)
    match quantity.bound:
        case Bound.AT_LEAST:
            return (0.0, value, 0), highest
        case Bound.MORE:
            return (0.0, value, 1), highest
        case Bound.AT_MOST:
            return lowest, (0.0, value, 0)
        case Bound.LESS:
            return lowest, (0.0, value, -1)
        case _:
            return (0.0, value, 0), (0.0, value, 0)


def _anchor(source: Source, old: Quantity) -> Quantity | str:
    """Return the one quantity of the evidence that decides the claimed one, or why there is none."""
    same = [pair for pair in source.evidence_quantities if base_value(pair[0])[0] == base_value(old)[0]]
    if not same and old.bound is not Bound.EXACT and old.unit is not None:
        same = [pair for pair in source.evidence_quantities if base_value(pair[0])[1] == base_value(old)[1]]
    if len(same) != 1 or sum(number == old.value for number in source.evidence_numbers) > 2:
        return "value_not_stated_once"
    quantity, passage = same[0]
    if _in_a_range(passage.text, quantity):
        return "range"
    if old.unit != quantity.unit and base_value(old)[1] != base_value(quantity)[1]:
        return "unit_not_matched"
    if old.unit is None and not _counts_the_same(source, old, quantity, passage):
        return "unit_not_matched"
    return replace(quantity, bound=Bound.EXACT) if quantity.bound is Bound.ABOUT else quantity


def _counts_the_same(source: Source, old: Quantity, stated: Quantity, passage: Parsed) -> bool:
    """Tell whether what the claim counts is named in the sentence that states the number."""
    counted = _counted(source.claim, old)
    if counted is None:
        return False
    numbered = [token.sentence for token in passage.tokens if token.start <= stated.number[0] < token.end]
    return any(token.sentence in numbered and token.lemma == counted for token in passage.tokens)


def _counted(parsed: Parsed, quantity: Quantity) -> str | None:
    """Return the lemma of the noun that a number counts, or None."""
    for token in parsed.tokens:
        if quantity.number[0] <= token.start < quantity.number[1]:
            head = parsed.tokens[token.head]
            if (
                token.dep in ("nummod", "compound", "quantmod")
                and head.tag.startswith("NN")
                and head.index > token.index
            ):
                return head.lemma
    return None


def _not_a_plain_quantity(source: Source, quantity: Quantity) -> str | None:
    claim, (start, end) = source.claim.text, quantity.number
    reasons = {
        source.unasserted or "": source.unasserted is not None,
        "negated": source.negated,
        "quotation": source.claim.is_quoted(start, end),
        "range": _in_a_range(claim, quantity),
        "one": quantity.in_words and quantity.value == 1,
        "identifier": _is_named(source, quantity),
        "stated_twice": sum(base_value(other) == base_value(quantity) for other in quantities(claim)) > 1,
        "restated_beside": restated_beside(source.claim, quantity),
        "may_be_a_year": _like_a_year(source, quantity),
        "ambiguous_bound": _OPEN_END.match(claim[quantity.end :]) is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _like_a_year(source: Source, quantity: Quantity) -> bool:
    start, end = quantity.number
    bare = quantity.unit is None and source.claim.text[start:end].isdigit() and 1000 <= quantity.value <= 2100
    return bare and _counted(source.claim, quantity) is None


def _is_named(source: Source, quantity: Quantity) -> bool:
    """Tell whether a number is a part of a name, or numbers the noun before it."""
    covered = source.covering(*quantity.number)
    named = any(token.entity in _NAMES or token.tag.startswith("NNP") for token in covered)
    return named or not covered or _follows_its_noun(source, covered[0].index) or _beside_a_number(source, covered)


def _beside_a_number(source: Source, covered: tuple[Token, ...]) -> bool:
    beside = (*source.claim.tokens[: covered[0].index][-1:], *source.claim.tokens[covered[-1].index + 1 :][:1])
    return any(token.text[0].isdigit() for token in beside)


def _follows_its_noun(source: Source, index: int) -> bool:
    token = source.claim.tokens[index]
    head = source.claim.tokens[token.head]
    return token.dep in ("nummod", "appos") and head.index < index and head.tag.startswith("NN")


def _in_a_range(text: str, quantity: Quantity) -> bool:
    """Tell whether a number is one end of a range, or one of several that are named together."""
    return bool(_GOES_ON.match(text[quantity.number[1] :]) or _LED.search(text[: quantity.number[0]].rstrip()))


def _has_sign(source: Source, quantity: Quantity) -> bool:
    words = ("change", "temperature", "degree", "balance", "profit", "loss", "celsius", "correlation", "coefficient")
    return any(word in source.claim.lemmas for word in words) and quantity.value != 0


def _derived(source: Source, old: Quantity, new: Quantity) -> str | None:
    """Name the mismatch where the claim's own numbers add up and one of them changes."""
    stated = quantities(source.claim.text)
    if len(stated) < 3 or not _SUMS.search(source.claim.text):
        return None
    values = [quantity.value for quantity in stated]
    total = max(values)
    if total * 2 != sum(values):
        return None
    changed = [new.value if quantity.number == old.number else quantity.value for quantity in stated]
    parts = sum(changed) - changed[values.index(total)]
    return f"derived_value_inconsistent:recomputed_total={parts}"
