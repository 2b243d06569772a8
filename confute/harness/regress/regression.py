"""A corpus put to a victim: what each counterexample showed, whether that is as expected, and which moves are due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from pydantic import Field

from confute.counterexample import Counterexample, Mitigation, Status
from confute.harness.regress.corpus import Corpus
from confute.harness.regress.replay import REPLAYS, Replay, ReplayState, replay_all
from confute.harness.regress.standing import Standing, moved, standing
from confute.harness.regress.subject import Subject
from confute.harness.stats.proportion import Interval, wilson
from confute.records import Decision, Label, Record


class RegressionRow(Record):
    """One counterexample with its status before the replays, its replays, and what they say together."""

    status: Status
    original_label: Label
    state: ReplayState
    passes: int
    measured: int
    disagreement: float | None
    replay: Replay

    @property
    def standing(self) -> Standing:
        """What the replays mean for the status."""
        return standing(self.status, self.state)

    @property
    def is_original_wrong(self) -> bool:
        """Whether the original claim, too, was decided wrongly in some replay."""
        decisions = {vote.original_decision for vote in self.replay.votes} - {None}
        return any((one is Decision.ACCEPT) != (self.original_label is Label.SUPPORTED) for one in decisions)


class PassHat(Record):
    """pass^k: the chance that k replays of a case all pass, averaged over the `cases` with at least k of them."""

    k: int = Field(ge=1)
    value: float | None
    cases: int = Field(ge=0)


class Regression(Record):
    """What a corpus showed of one victim.

    `fingerprint` and `threshold` (on the risk scale) are the victim's own; `reference_n` risks tell how far one moved.
    `pass_hat` stands for k = 1 and for k = the number of replays.
    """

    corpus: str
    corpus_digest: str
    victim: Mitigation
    threshold: float
    reference_n: int
    tolerance: float
    replays: int
    pass_hat: tuple[PassHat, ...]
    rows: tuple[RegressionRow, ...]

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


def regress(
    corpus: Corpus[Counterexample],
    subject: Subject,
    *,
    replays: int = REPLAYS,
    advanced: Callable[[int], None] = lambda _: None,
) -> Regression:
    """Replay every counterexample of a corpus against a victim; nothing is written.

    Raises ValueError where `replays` is below 1.
    """
    done = replay_all(corpus.rows, subject.victim, subject.reference, replays=replays, advanced=advanced)
    manifest = subject.victim.manifest
    return Regression(
        corpus=corpus.path.name,
        corpus_digest=corpus.digest,
        victim=Mitigation(detector=manifest.detector, version=manifest.version, fingerprint=subject.victim.fingerprint),
        threshold=manifest.threshold,
        reference_n=len(subject.reference.risks),
        tolerance=subject.reference.tolerance,
        replays=replays,
        pass_hat=tuple(_pass_hat(done, k) for k in sorted({1, replays})),
        rows=tuple(_row(one, two) for one, two in zip(corpus.rows, done, strict=True)),
    )


def updated(corpus: Corpus[Counterexample], found: Regression) -> Corpus[Counterexample]:
    """Return a corpus with every status moved as its replays call for, not yet written."""
    states = {row.replay.attack_id: row.state for row in found.rows}
    return corpus.with_rows([moved(row, states[row.attack_id], found.victim) for row in corpus.rows])


def _row(row: Counterexample, done: Replay) -> RegressionRow:
    return RegressionRow(
        status=row.status,
        original_label=row.original_label,
        state=done.state,
        passes=done.passes,
        measured=done.measured,
        disagreement=done.disagreement,
        replay=done,
    )


def _pass_hat(done: Sequence[Replay], k: int) -> PassHat:
    values = [value for one in done if (value := one.pass_hat(k)) is not None]
    return PassHat(k=k, value=sum(values) / len(values) if values else None, cases=len(values))
