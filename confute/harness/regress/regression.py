"""A corpus put to a detector: what each counterexample showed, whether that is as expected, and which moves are due."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from confute.counterexample import Counterexample, Mitigation, Status
from confute.errors import CorpusError
from confute.harness.persona.attack.counterexample import PersonaCounterexample
from confute.harness.policy.policy import Policy
from confute.harness.regress.corpus import Corpus
from confute.harness.regress.findings import Findings, KnownRow, pass_hats
from confute.harness.regress.relations import Reference
from confute.harness.regress.replay import REPLAYS, Replay, replay_all
from confute.harness.regress.standing import Standing, acknowledged, moved
from confute.harness.regress.subject import Subject
from confute.records import Label, Record

Kept = TypeVar("Kept", Counterexample, PersonaCounterexample)


class RegressionRow(KnownRow):
    """One counterexample against a detector with its replays; `is_constant` as in Regression."""

    original_label: Label
    replay: Replay
    is_constant: bool

    @property
    def is_original_wrong(self) -> bool:
        """Whether the original claim, too, was decided wrongly in some replay."""
        accepted = {vote.accepts_original for vote in self.replay.votes} - {None}
        return any(one is not (self.original_label is Label.SUPPORTED) for one in accepted)

    @property
    def standing(self) -> Standing:
        """What the replays mean for the status; nothing is mitigated by a detector that tells no claims apart."""
        found = super().standing
        if found.due is Status.MITIGATED and (self.is_original_wrong or self.is_constant):
            return found._replace(words=f"{found.words}, unproven", due=None)
        return found


class Regression(Findings):
    """What a corpus showed of one detector.

    `fingerprint` and `threshold` (on the risk scale) are the victim's own; `reference_n` risks tell how far one moved.
    `band` is the saved policy by whose routes claims were accepted, None where the threshold decided. `is_constant`
    tells that all reference risks are one value, so that what holds proves nothing.
    """

    victim: Mitigation
    threshold: float
    band: Policy | None = None
    reference_n: int
    is_constant: bool
    tolerance: float
    rows: tuple[RegressionRow, ...]


def regress(
    corpus: Corpus[Counterexample],
    subject: Subject,
    *,
    replays: int = REPLAYS,
    band: Policy | None = None,
    advanced: Callable[[int], None] = lambda _: None,
) -> Regression:
    """Replay every counterexample of a corpus against a detector; nothing is written.

    Raises ValueError where `replays` is below 1.
    """
    victim, by = subject.victim, subject.reference
    done = replay_all(corpus.rows, victim, by, replays=replays, band=band, advanced=advanced)
    manifest = victim.manifest
    rows = tuple(_row(one, two, by) for one, two in zip(corpus.rows, done, strict=True))
    return Regression(
        corpus=corpus.path.name,
        corpus_digest=corpus.digest,
        victim=Mitigation(detector=manifest.detector, version=manifest.version, fingerprint=victim.fingerprint),
        threshold=manifest.threshold,
        band=band,
        reference_n=len(by.risks),
        is_constant=by.is_constant,
        tolerance=by.tolerance,
        replays=replays,
        pass_hat=pass_hats(rows, replays),
        rows=rows,
    )


def updated(corpus: Corpus[Kept], found: Findings, by: Record) -> Corpus[Kept]:
    """Return a corpus with every status moved as its replays call for, not yet written; `by` is the victim asked."""
    due = {row.attack_id: row.standing.due for row in found.rows}
    return corpus.with_rows([moved(row, due[row.attack_id], by) for row in corpus.rows])


def with_acknowledged(corpus: Corpus[Kept], attack_id: str, reason: str) -> Corpus[Kept]:
    """Return a corpus with one row as an acknowledged limitation, not yet written.

    Raises CorpusError where there is no such row, and as `acknowledged`.
    """
    if attack_id not in {row.attack_id for row in corpus.rows}:
        raise CorpusError("is not in the corpus", field="--acknowledge", allowed=str(corpus.path), got=attack_id)
    return corpus.with_rows([acknowledged(row, reason) if row.attack_id == attack_id else row for row in corpus.rows])


def _row(row: Counterexample, done: Replay, by: Reference) -> RegressionRow:
    return RegressionRow(
        attack_id=row.attack_id,
        status=row.status,
        original_label=row.original_label,
        state=done.state,
        passes=done.passes,
        measured=done.measured,
        disagreement=done.disagreement,
        replay=done,
        is_constant=by.is_constant,
    )
