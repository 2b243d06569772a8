"""Counterexamples put to a frozen victim again, several times each, and what came of every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Protocol

from pydantic import Field

from confute.harness.policy.policy import Policy, Route, decide
from confute.harness.regress.relations import Demand, Finding, Reference, Relation, policy_finding, relation_finding
from confute.harness.stats import flake
from confute.records import Decision, Pair, Record, Score

REPLAYS = 5
_REDRAWS = 2


class ReplayState(StrEnum):
    """What the replays of a counterexample say together; UNMEASURED where too few of them gave an answer."""

    HOLDS = "HOLDS"
    FAILS = "FAILS"
    FLAKY = "FLAKY"
    UNMEASURED = "UNMEASURED"


class Replayable(Protocol):
    """What can be replayed against a detector, such as a Counterexample."""

    @property
    def attack_id(self) -> str: ...  # noqa: D102
    @property
    def original_claim(self) -> str: ...  # noqa: D102
    @property
    def source_evidence(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def adversarial_claim(self) -> str: ...  # noqa: D102
    @property
    def adversarial_evidence(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def expected_relation(self) -> str: ...  # noqa: D102
    @property
    def expected_policy(self) -> str: ...  # noqa: D102


class Asked(Protocol):
    """A victim to ask, such as a FrozenVictim: it measures pairs behind a wall and decides on their risks."""

    def measure(self, pairs: Sequence[Pair]) -> tuple[Score, ...]:
        """Return one Score a pair, in order."""
        ...

    def decide(self, score: Score) -> Decision | None:
        """Return the decision on a score, None where nothing was measured."""
        ...


class Vote(Record):
    """One replay: both scores, the decision on the adversarial pair and on the original one, and what was met.

    The routes are those of a saved policy, None where none was given: then the victim's own threshold decides.
    """

    pre: Score
    post: Score
    original_decision: Decision | None
    decision: Decision | None
    original_route: Route | None = None
    route: Route | None = None
    relation: Finding
    policy: Finding

    @property
    def accepts_original(self) -> bool | None:
        """Whether the original claim is accepted, by the route where there is one."""
        return _accepted(self.original_decision, self.original_route)

    @property
    def passed(self) -> bool | None:
        """Whether every demand was met; None where one of them could not be measured.

        A relation that is UNDECIDED leaves the answer to the policy.
        """
        findings = {self.relation, self.policy}
        if Finding.UNMEASURED in findings:
            return None
        return Finding.VIOLATED not in findings


class Replay(Record):
    """What the replays of one counterexample showed; replays that were not measured were drawn again, twice at most."""

    attack_id: str
    relation: Relation
    policy: Demand
    wanted: int = Field(ge=1)
    votes: tuple[Vote, ...]

    @property
    def passes(self) -> int:
        """How many replays met every demand."""
        return sum(vote.passed is True for vote in self.votes)

    @property
    def measured(self) -> int:
        """How many replays were measured."""
        return sum(vote.passed is not None for vote in self.votes)

    @property
    def state(self) -> ReplayState:
        """HOLDS or FAILS only where as many replays as were wanted were measured and all say the same."""
        if 0 < self.passes < self.measured:
            return ReplayState.FLAKY
        if self.measured < self.wanted:
            return ReplayState.UNMEASURED
        return ReplayState.HOLDS if self.passes else ReplayState.FAILS

    @property
    def disagreement(self) -> float | None:
        """The share of pairs of measured replays that differ; None for fewer than two."""
        return flake.disagreement(self.passes, self.measured)

    def pass_hat(self, k: int) -> float | None:
        """Return the chance that k replays all pass, from those measured; None where there are fewer than k."""
        return flake.pass_hat_k(self.passes, self.measured, k)

    def finding(self, demand: Callable[[Vote], Finding]) -> tuple[int, int]:
        """Return in how many measured replays a demand was met, and how many those are."""
        told = [demand(vote) for vote in self.votes if vote.passed is not None]
        return sum(one is Finding.HELD for one in told), len(told)


def replay(
    one: Replayable, victim: Asked, by: Reference, *, replays: int = REPLAYS, band: Policy | None = None
) -> Replay:
    """Put one counterexample to a victim `replays` times, and tell each time whether relation and policy held.

    With a `band` a claim is accepted by its route, and REVIEW catches it as REJECT does. Raises ValueError for a
    relation or a policy that is none of Relation and Demand, or where `replays` is below 1.
    """
    return replay_all([one], victim, by, replays=replays, band=band)[0]


def replay_all(  # noqa: PLR0913  what replays are made of
    rows: Sequence[Replayable],
    victim: Asked,
    by: Reference,
    *,
    replays: int = REPLAYS,
    band: Policy | None = None,
    advanced: Callable[[int], None] = lambda _: None,
) -> tuple[Replay, ...]:
    """Put counterexamples to a victim `replays` times, all of them in one batch each time; one Replay a row, in order.

    `advanced` is told how many replays are done. Raises as `replay`.
    """
    if replays < 1:
        raise ValueError(f"replays must be at least 1; got {replays}")
    demands = [(Relation(row.expected_relation), Demand(row.expected_policy)) for row in rows]
    votes: list[list[Vote]] = [[] for _ in rows]
    for _ in range(replays + _REDRAWS):
        waiting = [at for at, cast in enumerate(votes) if sum(vote.passed is not None for vote in cast) < replays]
        if not waiting:
            break
        scores = iter(victim.measure([pair for at in waiting for pair in _pairs(rows[at])]))
        for at in waiting:
            votes[at].append(_vote(victim, by, band, *demands[at], next(scores), next(scores)))
        advanced(len(waiting))
    return tuple(
        Replay(attack_id=row.attack_id, relation=relation, policy=policy, wanted=replays, votes=tuple(cast))
        for row, (relation, policy), cast in zip(rows, demands, votes, strict=True)
    )


def _pairs(row: Replayable) -> tuple[Pair, Pair]:
    return (
        Pair(claim=row.original_claim, evidence=row.source_evidence),
        Pair(claim=row.adversarial_claim, evidence=row.adversarial_evidence),
    )


def _vote(  # noqa: PLR0913, PLR0917  what a vote is made of
    victim: Asked, by: Reference, band: Policy | None, relation: Relation, policy: Demand, pre: Score, post: Score
) -> Vote:
    decision, route = victim.decide(post), _route(post, band)
    return Vote(
        pre=pre,
        post=post,
        original_decision=victim.decide(pre),
        decision=decision,
        original_route=_route(pre, band),
        route=route,
        relation=relation_finding(relation, pre, post, by),
        policy=policy_finding(policy, _accepted(decision, route)),
    )


def _route(score: Score, band: Policy | None) -> Route | None:
    return None if band is None or score.value is None else decide(score.value, band)


def _accepted(decision: Decision | None, route: Route | None) -> bool | None:
    if route is not None:
        return not route.catches
    return None if decision is None else decision is Decision.ACCEPT
