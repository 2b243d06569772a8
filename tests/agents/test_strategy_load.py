"""Strategies by name, and what their fingerprint depends on."""

from __future__ import annotations

import pytest
from playing_field import SEARCHES, make_view, number_grid, play, scored

from confute.agents import drafts
from confute.agents.load import load
from confute.agents.random_search import RandomSearch
from confute.contract import Attacker, StrategyName


@pytest.mark.parametrize("name", SEARCHES)
def test_every_strategy_of_the_contract_can_be_had(name: StrategyName) -> None:
    claim, moves = number_grid()
    strategy = load(Attacker(strategy=name))
    assert strategy.name is name
    assert sum(map(len, play(strategy, make_view(claim, moves), scored(lambda _: 0.0), 20))) >= 20


def test_strategies_and_versions_have_fingerprints_of_their_own() -> None:
    attackers = [Attacker(strategy=name, version=version) for name in SEARCHES for version in ("1", "2")]
    fingerprints = [load(attacker).fingerprint for attacker in attackers]
    assert len(set(fingerprints)) == len(attackers)
    assert fingerprints == [load(attacker).fingerprint for attacker in attackers]


def test_a_parameter_is_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = load(Attacker(strategy=StrategyName.RANDOM))
    monkeypatch.setattr(RandomSearch.__init__, "__defaults__", (9,))
    after = load(Attacker(strategy=StrategyName.RANDOM))
    assert (before.parameters, after.parameters) == ({"batch": 8}, {"batch": 9})
    assert before.fingerprint != after.fingerprint


def test_the_shared_source_is_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = load(Attacker()).fingerprint
    monkeypatch.setattr("inspect.getsource", lambda module: "changed" if module is drafts else "")
    assert load(Attacker()).fingerprint != before


def test_the_address_the_seed_and_the_parameters_of_a_model_are_part_of_the_fingerprint() -> None:
    asked = {"model": "m", "base_url": "http://127.0.0.1:1/v1", "seed": 1, "max_tokens": 100}
    changes: tuple[dict[str, object], ...] = (
        {},
        {"base_url": "http://127.0.0.1:2/v1"},
        {"seed": 2},
        {"temperature": 0.0},
        {"model": "n"},
    )
    attackers = [Attacker.model_validate({"strategy": "llm", "model": asked | change}) for change in changes]
    assert len({load(attacker).fingerprint for attacker in attackers}) == len(changes)
