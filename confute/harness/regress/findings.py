"""What a corpus showed of a victim, whatever the victim is: rows with their standings, and figures over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from confute.counterexample import Status
from confute.harness.regress.replay import ReplayState
from confute.harness.regress.standing import Standing, standing
from confute.harness.stats.flake import pass_hat_k
from confute.harness.stats.proportion import Interval, wilson
from confute.records import Record


class KnownRow(Record):
    """One counterexample with its status before the replays, and what they say together.

    `disagreement` is the share of pairs of measured replays that differ, None for fewer than two.
    """

    attack_id: str
    status: Status
    state: ReplayState
    passes: int = Field(ge=0)
    measured: int = Field(ge=0)
    disagreement: float | None

    @property
    def standing(self) -> Standing:
        """What the replays mean for the status."""
        return standing(self.status, self.state)


class PassHat(Record):
    """pass^k: the chance that k replays of a case all pass, averaged over the `cases` with at least k of them."""

    k: int = Field(ge=1)
    value: float | None
    cases: int = Field(ge=0)


class Findings(Record):
    """What a corpus showed; `pass_hat` stands for k = 1 and for k = the number of replays."""

    corpus: str
    corpus_digest: str
    replays: int
    pass_hat: tuple[PassHat, ...]
    rows: tuple[KnownRow, ...]

    @property
    def is_as_expected(self) -> bool:
        """Whether no counterexample is a reason to fail."""
        return all(row.standing.expected for row in self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many counterexamples stand how, such as `still fails`."""
        return dict(Counter(row.standing.words for row in self.rows).most_common())

    @property
    def held(self) -> tuple[int, int, Interval | None]:
        """How many of the measured cases held in every replay, with Wilson's 95 % interval over cases."""
        measured = [row for row in self.rows if row.state is not ReplayState.UNMEASURED]
        held = sum(row.state is ReplayState.HOLDS for row in measured)
        return held, len(measured), wilson(held, len(measured))


def pass_hats(rows: Sequence[KnownRow], replays: int) -> tuple[PassHat, ...]:
    """Return pass^1, and pass^k for as many replays as there were of each case."""
    return tuple(_pass_hat(rows, k) for k in sorted({1, replays}))


def _pass_hat(rows: Sequence[KnownRow], k: int) -> PassHat:
    values = [value for row in rows if (value := pass_hat_k(row.passes, row.measured, k)) is not None]
    return PassHat(k=k, value=sum(values) / len(values) if values else None, cases=len(values))
