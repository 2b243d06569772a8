"""Recurrence: what follows where an event may happen again, which the facts' own lexicon leaves out.

There a second date or amount of a fact is false. Of a mountain that was climbed in 1922 a reader knows no more than
that: it may have been climbed in 1924 too. Here such keys are taken out of copies of the lexicon.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import lru_cache

from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.relation import Argument, Relation

_PAIR = {"subject", "object"}
_EXTENT = ("date", "value")


@lru_cache(maxsize=8)
def undetermined(lexicon: Lexicon) -> Lexicon:
    """Return a lexicon in which nothing determines a date or a value, so that a second one is never false."""
    return _with(lexicon, lambda one: {slot: keys for slot, keys in one.functional.items() if slot not in _EXTENT})


@lru_cache(maxsize=8)
def recurring(lexicon: Lexicon) -> Lexicon:
    """Return a lexicon in which what two things do with each other may happen again on another date.

    Their value is then determined by the date too, and their date by nothing. What one thing is or does by itself, as
    a war that breaks out or a river that is so long, keeps its keys.
    """
    return _with(lexicon, _recurring)


def _recurring(relation: Relation) -> dict[Argument, tuple[Argument, ...]]:
    is_dated = any("{date}" in notation for notation in relation.templates.values())
    found: dict[Argument, tuple[Argument, ...]] = {}
    for slot, keys in relation.functional.items():
        if not (is_dated and set(keys) >= _PAIR):
            found[slot] = keys
        elif slot == "value":
            found[slot] = (*keys, "date") if "date" not in keys else keys
        elif slot != "date":
            found[slot] = keys
    return found


def _with(lexicon: Lexicon, functional: Callable[[Relation], dict[Argument, tuple[Argument, ...]]]) -> Lexicon:
    changed = copy(lexicon)
    changed.relations = {
        name: one.model_copy(update={"functional": functional(one)}) for name, one in lexicon.relations.items()
    }
    return changed
