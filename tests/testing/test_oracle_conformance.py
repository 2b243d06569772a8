from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pytest
from conformance import checks_of, failing, fails

from confute.contract import Suite
from confute.oracles.facts.builtin import builtin
from confute.oracles.facts.oracle import FactsOracle
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Ruling, Validity
from confute.testing import OracleConformance

COUNT = itertools.count()


@lru_cache(maxsize=1)
def sound() -> FactsOracle:
    return builtin(0, Suite.DEVELOPMENT)


def chosen() -> tuple[Case, ...]:
    """A supported and an unsupported case, each with a few moves at least."""
    found = []
    for supported in (True, False):
        found.append(next(case for case in sound().cases if (case.label is Label.SUPPORTED) is supported))
    return tuple(found)


class Planted:
    """The oracle over facts with one thing wrong: `spoil` changes its rulings, `offers` its moves."""

    def __init__(
        self,
        spoil: Callable[[Ruling, Case, Candidate], Ruling] | None = None,
        offers: Callable[[Sequence[Edit]], Sequence[Edit]] = lambda moves: moves[:4],
    ) -> None:
        self._spoil = spoil
        self._offers = offers

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        ruling = sound().rule(case, candidate)
        return ruling if self._spoil is None else self._spoil(ruling, case, candidate)

    def moves(self, case: Case, goal: AttackGoal) -> Sequence[Edit]:
        return self._offers(sound().moves(case, goal))


def _forgives_capitals(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    unknown = candidate.claim != case.claim and ruling.reason == "no_op"
    return ruling.model_copy(update={"validity": Validity.UNKNOWN}) if unknown else ruling


def _never_sure(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    return ruling.model_copy(update={"validity": Validity.UNKNOWN}) if ruling.validity is Validity.VALID else ruling


def _another_label(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    swapped = {Label.REFUTED: Label.UNSUPPORTED, Label.UNSUPPORTED: Label.REFUTED, Label.SUPPORTED: Label.NEI}
    return ruling if ruling.label is None else ruling.model_copy(update={"label": swapped[ruling.label]})


def _any_goal(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    return ruling if ruling.label is None else ruling.model_copy(update={"validity": Validity.VALID})


def _believes_the_edit(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    return ruling.model_copy(update={"label": candidate.edits[0].expected_label}) if candidate.edits else ruling


def _counts(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    return ruling.model_copy(update={"reason": f"number {next(COUNT)}"})


def _says_nothing(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    return ruling.model_copy(update={"reason": " "})


def _without_label(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    return ruling.model_copy(update={"label": None})


def _vouches_for_anything(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    valid = {"validity": Validity.VALID, "label": Label.REFUTED}
    return ruling.model_copy(update=valid) if ruling.reason == "not_well_formed" else ruling


def _chokes(ruling: Ruling, case: Case, candidate: Candidate) -> Ruling:
    candidate.claim.encode("utf-8")
    return ruling


def _by_instance() -> Planted:
    turned = next(COUNT) % 2
    return Planted(offers=lambda moves: moves[3::-1] if turned else moves[:4])


BUGS: dict[str, tuple[str, Callable[[], Any]]] = {
    "capitals": ("test_the_case_itself_is_no_candidate", lambda: Planted(_forgives_capitals)),
    "never sure": ("test_every_move_is_valid_with_the_label_that_it_declares", lambda: Planted(_never_sure)),
    "another label": ("test_every_move_is_valid_with_the_label_that_it_declares", lambda: Planted(_another_label)),
    "no moves": ("test_every_move_is_valid_with_the_label_that_it_declares", lambda: Planted(offers=lambda _: ())),
    "any goal": ("test_a_valid_label_serves_the_goal", lambda: Planted(_any_goal)),
    "believes the edit": ("test_a_label_is_recomputed_from_the_texts", lambda: Planted(_believes_the_edit)),
    "counts": ("test_the_same_candidate_gets_the_same_ruling", lambda: Planted(_counts)),
    "another order": ("test_the_same_candidate_gets_the_same_ruling", _by_instance),
    "says nothing": ("test_a_ruling_says_how_it_came", lambda: Planted(_says_nothing)),
    "valid without a label": ("test_a_ruling_says_how_it_came", lambda: Planted(_without_label)),
    "vouches for anything": ("test_hostile_text_is_never_valid", lambda: Planted(_vouches_for_anything)),
    "chokes on surrogates": ("test_hostile_text_is_never_valid", lambda: Planted(_chokes)),
}


def suite(make: Callable[[], Any]) -> type[OracleConformance]:
    return type("Suite", (OracleConformance,), {"make_oracle": lambda _: make(), "cases": lambda _: chosen()})


def test_the_oracle_over_facts_conforms() -> None:
    assert failing(suite(Planted)) == set()
    assert failing(suite(sound)) == set()


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_check_that_is_there_for_it(name: str) -> None:
    check, make = BUGS[name]
    assert fails(suite(make), check)


def test_every_check_can_fail() -> None:
    assert {check for check, _ in BUGS.values()} == checks_of(OracleConformance)
