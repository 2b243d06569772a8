"""What an attack on one probe stands on: every trial is ruled on, paid for, judged and kept here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from confute.harness.attacker_model import Totals
from confute.harness.meter import Meter
from confute.harness.persona.attack.judging import Bench
from confute.harness.persona.attack.outage import refuse_outage
from confute.harness.persona.attack.replays import Doubt, Replay
from confute.harness.persona.attack.target import AttackedProbe
from confute.harness.persona.attack.trial import BY_JUDGES, Trial, TrialLedger, has_failed, known_trial
from confute.harness.persona.attack.work import Work, replayed, settled
from confute.judges.judge import Exhibit
from confute.oracles.probe.oracle import FREE_TEXT, ProbeOracle
from confute.oracles.probe.probe import FramedProbe, as_frames, turns_of
from confute.records import Arm, Candidate, Label, Ruling, Validity
from confute.verdicts import Verdict, VerdictState

_SETTLED = {
    VerdictState.RESISTED: (Validity.VALID, Label.UNSUPPORTED, "asks_the_same"),
    VerdictState.SUCCEEDED: (Validity.INVALID, None, "asks_something_else"),
}


@dataclass
class Ground:
    """One attacked probe; `totals` are the meters of what all searches of the run spend together, a half each.

    The search without feedback has one half, whatever else is judged the other.
    """

    contract_digest: str
    probe: AttackedProbe
    framed: FramedProbe
    oracle: ProbeOracle
    bench: Bench
    ledger: TrialLedger
    totals: Totals
    _steps: Counter[Arm] = field(default_factory=Counter)

    def tried(  # noqa: PLR0913  what a trial is made of
        self,
        arm: Arm,
        candidate: Candidate,
        meter: Meter,
        *,
        times: int,
        first: int = 0,
        ruling: Ruling | None = None,
        confirms: bool = False,
    ) -> Work[Trial | None]:
        """Rule on a candidate, have it replayed where it may stand, and settle a doubt about one that failed.

        None where the budget of victim queries does not suffice for every replay. A `ruling` that is given stands, and
        the probe as it is needs none. A trial that the ledger holds stands as it is, and is charged as it was. Raises
        LedgerError where another one stands in its place, and ModelError where nobody answers.
        """
        ruling = ruling or (self.oracle.rule(candidate) if candidate.edits else None)
        turns, step = turns_of(candidate), self._steps[arm]
        known = known_trial(self.ledger, (self.probe.id, arm.value, step), candidate.edits, turns)
        is_open, counts = self._is_open(ruling), None
        if ruling is None or ruling.validity is Validity.VALID or is_open:
            if known is None and not _suffices(meter, times * len(turns)):
                return None
            replay = self._replay(arm, turns, meter, times=times, first=first, known=known)
            counts = yield from replayed(replay)
            refuse_outage(counts.errors, self.probe.id)
            if ruling is not None and is_open and has_failed(counts):
                ruling = yield from self._settled(candidate, ruling, replay)
        self._steps[arm] += 1
        if known is not None:
            return known
        trial = Trial(
            contract_digest=self.contract_digest,
            probe_id=self.probe.id,
            arm=arm,
            step=step,
            verifies=first > 0,
            confirms=confirms,
            edits=candidate.edits,
            turns=turns,
            size=self.oracle.size(candidate),
            ruling=ruling,
            counts=counts,
            queries=meter.spent("victim_queries"),
        )
        self.ledger.append(trial)
        return trial

    def normal(self, candidate: Candidate) -> Candidate:
        """Return a candidate whose last turn was rewritten as the frames that it amounts to, where it does."""
        if len(candidate.edits) != 1 or candidate.edits[0] in self.oracle.moves:
            return candidate
        edits = as_frames(self.framed, candidate, candidate.edits[0])
        return candidate if not edits else candidate.model_copy(update={"edits": edits})

    def _replay(  # noqa: PLR0913  what a replay is made of
        self, arm: Arm, turns: tuple[str, ...], meter: Meter, *, times: int, first: int, known: Trial | None
    ) -> Replay:
        spend, give_back = partial(self._spend_judge, arm, meter), partial(self._give_back_judge, arm, meter)
        panel = self.bench.panel(self.probe, spend, give_back)
        kept = None if known is None else known.counts
        return Replay(self.probe, arm, turns, first, times, meter, panel, spend, kept)

    def _is_open(self, ruling: Ruling | None) -> bool:
        is_free = ruling is not None and ruling.validity is Validity.UNKNOWN and ruling.reason == FREE_TEXT
        return is_free and self.bench.settles_free_text

    def _settled(self, candidate: Candidate, ruling: Ruling, replay: Replay) -> Work[Ruling]:
        pay = partial(self._spend_judge, replay.arm, replay.meter)
        panel = self.bench.same_request(pay, partial(self._give_back_judge, replay.arm, replay.meter))
        assert panel is not None
        exhibit = Exhibit(claim=self.framed.core, reply=candidate.claim)
        verdict = yield from settled(Doubt(replay.place, exhibit, panel, pay, replay.known is not None))
        if verdict.state is VerdictState.ERROR:
            refuse_outage({verdict.code or "": 1}, self.probe.id)
        return _ruled(ruling, verdict)

    def _spend_judge(self, arm: Arm, meter: Meter) -> bool:
        if not meter.try_spend("judge_calls"):
            return False
        if self.totals.of(arm).try_spend("judge_calls"):
            return True
        meter.give_back("judge_calls", 1)
        return False

    def _give_back_judge(self, arm: Arm, meter: Meter) -> None:
        meter.give_back("judge_calls", 1)
        self.totals.of(arm).give_back("judge_calls", 1)


def _ruled(ruling: Ruling, verdict: Verdict) -> Ruling:
    """Return what judges make of an open ruling; what they leave open stays UNKNOWN."""
    if verdict.state not in _SETTLED:
        return ruling.model_copy(update={"reason": f"{FREE_TEXT}:{verdict.state}"})
    validity, label, reason = _SETTLED[verdict.state]
    known = {"validity": validity, "label": label, "reason": reason, "method": BY_JUDGES}
    return ruling.model_copy(update={**known, "oracle_version": verdict.version})


def _suffices(meter: Meter, calls: int) -> bool:
    """Tell whether so many victim queries are left; where they are not, the meter is told what was refused."""
    left = meter.remaining("victim_queries")
    if left is not None and left < calls:
        meter.try_spend("victim_queries", calls)
        return False
    meter.take("victim_queries", 0)  # nothing is spent, and a meter that is over its time says so
    return meter.exhausted is None
