"""Saying: a statement in the words of a passage, or in other words of a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import assert_never

from confute.oracles.facts import numeral
from confute.oracles.facts.builtin import evidence_sentence
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.render import FRAMES, Sentence, Writing, sentence
from confute.oracles.facts.template import verb_forms
from confute.oracles.relations import forms
from confute.oracles.relations import statement as said
from confute.oracles.relations.phrases import MEMBERSHIP, is_article_needed, phrases
from confute.oracles.relations.statement import Statement

STAND_IN = "Qxq"
"""A name that stands for a phrase while the rest of a sentence is filled or read; no coined name is like it."""

_WRITINGS = 6
_BE = frozenset({"is", "are", "was", "were"})
Clause = Callable[[Fact], str | None]


def evidence(statement: Statement, lexicon: Lexicon) -> str | None:
    """Return a statement as a passage says it, in its first form over first templates; None where that has no place."""
    found = next(_said(statement, lexicon, lambda fact: clause_of(evidence_sentence(fact, lexicon))), None)
    return None if found is None else _whole(found)


def claim(statement: Statement, lexicon: Lexicon, random: Random) -> str | None:
    """Return a statement as a claim says it, in a form and templates that passages do not use; None where none fits."""
    found = ways(statement, lexicon, random)
    return random.choice(found) if found else None


def ways(statement: Statement, lexicon: Lexicon, random: Random) -> list[str]:
    """Return all forms of a statement for claims, its facts in one wording, of templates that passages do not use.

    Two statements of one kind and relation have their forms in the same order.
    """
    is_sequence = isinstance(statement, said.Precedes)
    found = [*_said(statement, lexicon, lambda fact: reworded(fact, lexicon, random, is_event=is_sequence))]
    is_first_kept = isinstance(statement, Fact | said.Conjunction | said.Precedes | said.Ranked | said.Total)
    kept = found if is_first_kept or isinstance(statement, said.Ratio | said.Count | said.Denied) else found[1:]
    return [_whole(one) for one in kept if one is not None]


def embedded(text: str, statement: Statement) -> str:
    """Return a sentence as it stands behind "that": with a small first letter, unless a name begins it."""
    is_name = any(text.startswith(name) for name in said.names_of(statement))
    return text if is_name else text[0].lower() + text[1:]


def conjoined(clauses: Sequence[str], random: Random) -> str:
    """Return clauses as one sentence, in a random order."""
    return _whole(random.choice(forms.CONJUNCTION).join(random.sample(clauses, len(clauses))))


def reworded(fact: Fact, lexicon: Lexicon, random: Random, *, is_event: bool = False) -> str | None:
    """Return a fact as a clause in a template that evidence does not use; None where none has a place for it.

    An event is told by what happens, and by no form of "be" alone.
    """
    _, *templates = lexicon.templates[fact.relation].values()
    random.shuffle(templates)
    for template in templates:
        if is_event and template.verbs[0].text in _BE:
            continue
        writing = Writing(random.randrange(_WRITINGS), random.randrange(_WRITINGS), random.choice(FRAMES))
        found = sentence(fact, template, lexicon, writing)
        if found is not None:
            verbs = [verb for verb in template.verbs if verb[1:] == found.verb[1:]]
            return clause_of(found._replace(verb=random.choice(verbs)))
    return None


def listing(names: Sequence[str]) -> str:
    """Return names as a list: "A", "A and B", "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def with_article(noun: str) -> str:
    """Return a common noun after its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def clause_of(found: Sentence) -> str:
    """Return a sentence without its full stop, and without a capital that no name gives it."""
    begins_with_a_name = found.frame != FRAMES[0] if found.speaker is not None else found.template.starts_with_a_slot
    text = found.text[:-1]
    return text if begins_with_a_name else text[0].lower() + text[1:]


def _whole(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _said(  # noqa: PLR0912  one case for each kind of statement
    statement: Statement, lexicon: Lexicon, clause: Clause
) -> Iterator[str | None]:
    """Yield the forms of a statement as clauses; None in place of a form that some fact does not fit."""
    match statement:
        case Fact():
            yield clause(statement)
        case said.Bounded():
            yield from _bounded(statement, lexicon)
        case said.Conjunction(parts=parts):
            clauses = [clause(part) for part in parts]
            for joint in forms.CONJUNCTION:
                yield None if None in clauses else joint.join(one for one in clauses if one is not None)
        case said.Conditional(condition=condition, consequence=consequence):
            told = {"condition": clause(condition), "consequence": clause(consequence)}
            yield from (_filled(form, told) for form in forms.CONDITIONAL)
        case said.Precedes(earlier=earlier, later=later):
            told = {"earlier": clause(earlier), "later": clause(later)}
            yield from (_filled(form, told) for form in forms.PRECEDES)
        case said.Listed() | said.Quantified():
            yield from _of_many(statement, lexicon)
        case said.Ranked():
            yield from _ranked(statement, lexicon)
        case said.Total() | said.Ratio():
            yield from _derived(statement, lexicon)
        case said.Existential():
            yield from _existential(statement)
        case said.Denied(statement=inner):
            _, *others = _said(inner, lexicon, clause)
            yield from (frame + one for frame, one in product(forms.DENIALS, others) if one is not None)
        case said.Count() | said.Alias() | said.Subsumption():
            yield from _short(statement)
        case _:
            assert_never(statement)


def _filled(form: str, clauses: Mapping[str, str | None]) -> str | None:
    return None if None in clauses.values() else form.format(**clauses)


def _bounded(statement: said.Bounded, lexicon: Lexicon) -> Iterator[str]:
    for template in lexicon.templates[statement.fact.relation].values():
        found = sentence(statement.fact, template, lexicon)
        if found is not None:
            for words in forms.BOUNDED[statement.bound]:
                yield clause_of(found._replace(texts=found.texts | {"value": f"{words} {found.texts['value']}"}))


def _of_many(statement: said.Listed | said.Quantified, lexicon: Lexicon) -> Iterator[str]:
    if isinstance(statement, said.Quantified):
        tail = f" except {listing(statement.exceptions)}" if statement.exceptions else ""
        phrases_ = [f"{words} {statement.group}{tail}" for words in forms.QUANTIFIED[statement.quantifier]]
    elif statement.relation == MEMBERSHIP:
        names = listing(statement.members)
        yield from (form.format(group=statement.object, names=names) for form in forms.LISTED)
        return
    else:
        phrases_ = [form.format(names=listing(statement.members)) for form in forms.ONLY]
    fact = Fact(relation=statement.relation, subject=STAND_IN, object=statement.object)
    for template in lexicon.templates[fact.relation].values():
        found = sentence(fact, template, lexicon) if template.starts_with_a_slot else None
        if found is not None and found.text.startswith(STAND_IN):
            yield from (phrase + found.text[len(STAND_IN) : -1] for phrase in phrases_)


def _ranked(statement: said.Ranked, lexicon: Lexicon) -> Iterator[str]:
    phrase = phrases().superlatives[statement.order]
    article = "the " if is_article_needed(statement.order, lexicon) else ""
    names = listing([article + name for name in statement.members])
    place = forms.ORDINALS[statement.rank - 1] + phrase.word
    for form in forms.RANKED:
        yield form.format(names=names, name=article + statement.subject, verb=phrase.verb, place=place)


def _derived(statement: said.Total | said.Ratio, lexicon: Lexicon) -> Iterator[str]:
    measure = phrases().measures[statement.relation]
    article = "the " if is_article_needed(statement.relation, lexicon) else ""
    if isinstance(statement, said.Total):
        value = lexicon.units.writings(statement.value)["grouped/0"]
        names = listing([article + name for name in statement.subjects])
        yield from (form.format(measure=measure, names=names, value=value) for form in forms.TOTAL)
        return
    writings = numeral.forms(statement.factor)
    number = writings.get("words", writings["grouped"])
    one, other = article + statement.subject, article + statement.other
    yield from (form.format(measure=measure, name=one, other=other, number=number) for form in forms.RATIO)


def _existential(statement: said.Existential) -> Iterator[str]:
    for notation in phrases().deeds[statement.relation]:
        verb, _, tail = notation.removeprefix("<").partition("> ")
        actual, *others = verb_forms(verb)
        for form in (actual, *others):
            is_fit = (form.polarity, form.modality) == (statement.polarity, actual.modality)
            if is_fit and not form.text.startswith("never "):
                yield f"{statement.subject} {form.text} {tail.format(with_article(statement.noun))}"


def _short(statement: said.Count | said.Alias | said.Subsumption) -> Iterator[str]:
    match statement:
        case said.Count(group=group, number=number):
            members = "member" if number == 1 else "members"
            for form in forms.COUNT:
                yield form.format(group=group, number=numeral.words(number), members=members)
        case said.Alias(alias=alias, name=name):
            yield from (form.format(alias=alias, name=name) for form in forms.ALIAS)
        case said.Subsumption(narrower=narrower, broader=broader):
            every, kind = forms.SUBSUMPTION
            yield every.format(narrower=narrower, broader=with_article(broader))
            yield kind.format(narrower=with_article(narrower), broader=broader)
