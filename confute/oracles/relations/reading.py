"""Reading: from a text to the one statement that it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

from pydantic import ValidationError

from confute.oracles.facts import numeral
from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Parser, Reading
from confute.oracles.facts.template import PROPER, verb_forms
from confute.oracles.relations import forms
from confute.oracles.relations import statement as said
from confute.oracles.relations.phrases import MEMBERSHIP, is_article_needed, phrases
from confute.oracles.relations.saying import STAND_IN, with_article
from confute.oracles.relations.statement import Simple, Statement, complement

_MAX_CHARS = 1200
_NO_NAMES = frozenset({"After", "All", "Among", "Before", "Each", "Every", "If", "No", "Not", "Of", "Only", "Some"})
_LIST = rf"(?:the )?{PROPER}(?:, (?:the )?{PROPER})*(?: and (?:the )?{PROPER})?"
_NOUN = "[a-z]{1,20}(?: [a-z]{2,20}){0,4}"
_FIELDS = {
    "names": _LIST,
    "name": f"(?:the )?{PROPER}",
    "other": f"(?:the )?{PROPER}",
    "alias": PROPER,
    "number": r"[a-z0-9.-]{1,30}",
    "members": "members?",
    "verb": "is|was",
    "place": r"[a-z][a-z -]{2,60}",
    "measure": r"[a-z][a-z -]{2,60}",
    "value": r".{1,60}",
    "narrower": f"(?:An? )?{_NOUN}",
    "broader": _NOUN,
}


class Reader:
    """Reads what `saying` says, and every sentence of the lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._parser = Parser(lexicon)
        nouns = "|".join(sorted(_league_nouns(lexicon))) or "(?!)"
        self._fields = _FIELDS | {"group": f"{PROPER} (?:{nouns})", "rest": ".+"}

    def read(self, text: str) -> Statement | None:
        """Return the statement that a text says, or None where it says none or more than one."""
        if len(text) > _MAX_CHARS or not text.endswith("."):
            return None
        found = list(dict.fromkeys(self._readings(text[:-1])))
        return found[0] if len(found) == 1 else None

    def _readings(self, body: str) -> Iterator[Statement]:
        for frame in (*forms.DENIALS, *forms.DOUBLE_DENIALS):
            if body.startswith(frame):
                for one in self._simple(body.removeprefix(frame)):
                    statement = one if frame in forms.DOUBLE_DENIALS else complement(one)
                    if statement is not None:
                        yield statement
                return
        yield from self._simple(body)

    def _simple(self, body: str) -> Iterator[Simple]:
        reading = self._fact(body)
        if reading is not None:
            yield reading.fact
        yield from self._joined(body)
        yield from self._bounded(body)
        yield from self._of_many(body)
        yield from self._listed(body)
        yield from self._ranked(body)
        yield from self._derived(body)
        yield from self._of_kinds(body)

    def _fact(self, body: str) -> Reading | None:
        """Return the reading of a clause as a fact; a first word in small letters is then no name."""
        reading = self._parser.read(f"{body[:1].upper()}{body[1:]}.")
        if reading is None:
            return None
        firsts = {name.split(" ")[0] for name in said.names_of(reading.fact)}
        is_name = body[:1].islower() and re.split(r"\W", body.capitalize())[0] in firsts
        return None if is_name or firsts & _NO_NAMES else reading

    def _stated(self, body: str) -> Fact | None:
        reading = self._fact(body)
        return None if reading is None else reading.fact

    def _joined(self, body: str) -> Iterator[Simple]:
        for joint in forms.CONJUNCTION:
            if joint in body:
                yield from _made(said.Conjunction, parts=[self._stated(part) for part in body.split(joint)])
        for kind, ways in ((said.Conditional, forms.CONDITIONAL), (said.Precedes, forms.PRECEDES)):
            for form in ways:
                for clauses in forms.splits(body, form):
                    yield from _made(kind, **{field: self._stated(clause) for field, clause in clauses.items()})

    def _bounded(self, body: str) -> Iterator[Simple]:
        for bound, ways in forms.BOUNDED.items():
            for words in ways:
                for match in re.finditer(rf"(?<= ){words} ", body):
                    reading = self._fact(body[: match.start()] + body[match.end() :])
                    if reading is not None and "value" in (texts := reading.sentence.texts):
                        again = reading.sentence._replace(texts=texts | {"value": f"{words} {texts['value']}"})
                        if again.text[1:-1] == body[1:]:
                            yield from _made(said.Bounded, fact=reading.fact, bound=bound)

    def _of_many(self, body: str) -> Iterator[Simple]:
        for quantifier, pattern in self._quantifiers:
            match = pattern.fullmatch(body)
            fact = None if match is None else self._rest(match["rest"])
            if match is not None and fact is not None:
                parts = {"relation": fact.relation, "object": fact.object, "group": match["group"]}
                excepted = _names(match["names"], article="") if match["names"] else ()
                yield from _made(said.Quantified, quantifier=quantifier, exceptions=excepted, **parts)
        for pattern in self._only:
            match = pattern.fullmatch(body)
            fact = None if match is None else self._rest(match["rest"])
            if match is not None and fact is not None:
                names = _names(match["names"], article="")
                yield from _made(said.Listed, relation=fact.relation, object=fact.object, members=names)

    def _rest(self, rest: str) -> Fact | None:
        """Return the fact that the rest of a clause tells of its stand-in; None for one in which a part is more."""
        fact = self._parser.parse(f"{STAND_IN} {rest}.")
        plain = None if fact is None else Fact(relation=fact.relation, subject=STAND_IN, object=fact.object)
        return fact if fact == plain else None

    def _listed(self, body: str) -> Iterator[Simple]:
        for found in self._matches(forms.LISTED, body):
            members = _names(found["names"], article="")
            yield from _made(said.Listed, relation=MEMBERSHIP, object=found["group"], members=members)
        for found in self._matches(forms.COUNT, body):
            number = numeral.read(found["number"])
            if found.get("members") in (None, "member" if number == 1 else "members"):
                yield from _made(said.Count, group=found["group"], number=number)

    def _ranked(self, body: str) -> Iterator[Simple]:
        for found in self._matches(forms.RANKED, body):
            for order, phrase in phrases().superlatives.items():
                place = found["place"].removesuffix(phrase.word)
                if order in self._lexicon.relations and found["verb"] == phrase.verb and place in forms.ORDINALS:
                    members, subject = self._things(order, found["names"]), self._thing(order, found["name"])
                    rank = forms.ORDINALS.index(place) + 1
                    yield from _made(said.Ranked, order=order, members=members, subject=subject, rank=rank)

    def _derived(self, body: str) -> Iterator[Simple]:
        measures = {noun: relation for relation, noun in phrases().measures.items()}
        for found in (*self._matches(forms.TOTAL, body), *self._matches(forms.RATIO, body)):
            relation = measures.get(found["measure"])
            if relation is None or relation not in self._lexicon.relations:
                continue
            if "value" in found:
                value = self._lexicon.units.read(found["value"])
                subjects = self._things(relation, found["names"])
                yield from _made(said.Total, relation=relation, subjects=subjects, value=value)
            else:
                subject, other = self._thing(relation, found["name"]), self._thing(relation, found["other"])
                factor = numeral.read(found["number"])
                yield from _made(said.Ratio, relation=relation, subject=subject, other=other, factor=factor)

    def _of_kinds(self, body: str) -> Iterator[Simple]:
        for found in self._matches(forms.ALIAS, body):
            yield from _made(said.Alias, alias=found["alias"], name=found["name"])
        every, kind = forms.SUBSUMPTION
        for found in self._matches((every,), body):
            yield from _subsumptions(found["narrower"], _without_article(found["broader"]))
        for found in self._matches((kind,), body):
            yield from _subsumptions(_without_article(found["narrower"]), found["broader"])
        for relation, polarity, pattern in _deeds():
            match = pattern.fullmatch(body)
            noun = None if match is None else _without_article(match["noun"])
            if match is not None and noun in phrases().nouns:
                parts = {"subject": match["subject"], "noun": noun, "polarity": polarity}
                yield from _made(said.Existential, relation=relation, **parts)

    def _things(self, relation: str, text: str) -> tuple[str, ...]:
        return _names(text, article="the " if is_article_needed(relation, self._lexicon) else "")

    def _thing(self, relation: str, text: str) -> str | None:
        return next(iter(self._things(relation, text)), None)

    def _matches(self, ways: Sequence[str], body: str) -> Iterator[dict[str, str]]:
        for form in ways:
            match = self._patterns[form].fullmatch(body)
            if match is not None:
                yield match.groupdict()

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        ways = (forms.LISTED, forms.COUNT, forms.RANKED, forms.TOTAL, forms.RATIO, forms.ALIAS, forms.SUBSUMPTION)
        return {form: forms.compiled(form, self._fields) for group in ways for form in group}

    @cached_property
    def _quantifiers(self) -> list[tuple[said.Quantifier, re.Pattern[str]]]:
        tail = rf"(?P<group>{self._fields['group']})(?: except (?P<names>{_LIST}))? (?P<rest>.+)"
        return [
            (quantifier, re.compile(f"(?i:{re.escape(words)}) {tail}"))
            for quantifier, ways in forms.QUANTIFIED.items()
            for words in ways
        ]

    @cached_property
    def _only(self) -> list[re.Pattern[str]]:
        return [forms.compiled(form + " {rest}", self._fields) for form in forms.ONLY]


def _made(kind: type[Simple], **fields: object) -> Iterator[Simple]:
    """Yield the statement of these parts, or nothing where they make none."""
    try:
        yield kind.model_validate(fields)
    except ValidationError:
        return


def _names(text: str, *, article: str) -> tuple[str, ...]:
    """Return the names of a list, each after its article; nothing where one has another article or comes twice."""
    found = [name for part in text.split(", ") for name in part.split(" and ")]
    are_fit = all(name.startswith(article) and name.startswith("the ") is bool(article) for name in found)
    names = tuple(name.removeprefix(article) for name in found)
    return names if are_fit and len(set(names)) == len(names) else ()


def _subsumptions(narrower: str | None, broader: str | None) -> Iterator[Simple]:
    if {narrower, broader} <= set(phrases().nouns):
        yield from _made(said.Subsumption, narrower=narrower, broader=broader)


def _without_article(text: str) -> str | None:
    noun = text.partition(" ")[2]
    return noun if noun and text[:1].lower() + text[1:] == with_article(noun) else None


@cache
def _deeds() -> tuple[tuple[str, Polarity, re.Pattern[str]], ...]:
    """Return each deed with the polarity and the pattern of each of its verb forms that is no mere possibility."""
    found = []
    for relation, notations in phrases().deeds.items():
        for notation in notations:
            verb, _, tail = notation.removeprefix("<").partition("> ")
            for form in verb_forms(verb):
                if form.modality is Modality.ACTUAL:
                    text = re.escape(f"{form.text} {tail}").replace(re.escape("{}"), rf"(?P<noun>an? {_NOUN})")
                    found.append((relation, form.polarity, re.compile(f"(?P<subject>{PROPER}) {text}")))
    return tuple(found)


def _league_nouns(lexicon: Lexicon) -> set[str]:
    """Return the common nouns that end the name of a group with members."""
    kind = lexicon.relations[MEMBERSHIP].object if MEMBERSHIP in lexicon.relations else None
    kinds = [domain.kinds[kind] for domain in lexicon.domains.values() if kind in domain.kinds]
    return {noun for one in kinds for noun in one.nouns}
