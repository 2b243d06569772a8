"""What an attack on one probe stands on: every trial is ruled on, paid for, judged and kept here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from confute.harness.meter import Meter
from confute.harness.persona.attack.judging import Bench
from confute.harness.persona.attack.replays import Doubt, Replay
from confute.harness.persona.attack.target import AttackedProbe
from confute.harness.persona.attack.trial import Trial, TrialLedger, has_failed, keep
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
    """One attacked probe; `total` is the meter of what all searches of the run spend together."""

    contract_digest: str
    probe: AttackedProbe
    framed: FramedProbe
    oracle: ProbeOracle
    bench: Bench
    ledger: TrialLedger
    total: Meter
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
    ) -> Work[Trial | None]:
        """Rule on a candidate, have it replayed where it may stand, and settle a doubt about one that failed.

        None where the budget of victim queries does not suffice for every replay. A `ruling` that is given stands, and
        the probe as it is needs none.
        """
        ruling = ruling or (self.oracle.rule(candidate) if candidate.edits else None)
        turns = turns_of(candidate)
        is_open = self._is_open(ruling)
        counts = None
        if ruling is None or ruling.validity is Validity.VALID or is_open:
            if not _suffices(meter, times * len(turns)):
                return None
            panel = self.bench.panel(self.probe, lambda: self._spend_judge(meter))
            replay = Replay(self.probe, arm, turns, first, times, meter, panel)
            counts = yield from replayed(replay)
            if ruling is not None and is_open and has_failed(counts):
                ruling = yield from self._settled(candidate, ruling, replay)
        step, self._steps[arm] = self._steps[arm], self._steps[arm] + 1
        trial = Trial(
            contract_digest=self.contract_digest,
            probe_id=self.probe.id,
            arm=arm,
            step=step,
            verifies=first > 0,
            edits=candidate.edits,
            turns=turns,
            size=self.oracle.size(candidate),
            ruling=ruling,
            counts=counts,
            queries=meter.spent("victim_queries"),
        )
        keep(self.ledger, trial)
        return trial

    def normal(self, candidate: Candidate) -> Candidate:
        """Return a candidate whose last turn was rewritten as the frames that it amounts to, where it does."""
        if len(candidate.edits) != 1 or candidate.edits[0] in self.oracle.moves:
            return candidate
        edits = as_frames(self.framed, candidate, candidate.edits[0])
        return candidate if not edits else candidate.model_copy(update={"edits": edits})

    def _is_open(self, ruling: Ruling | None) -> bool:
        is_free = ruling is not None and ruling.validity is Validity.UNKNOWN and ruling.reason == FREE_TEXT
        return is_free and self.bench.same_request(lambda: False) is not None

    def _settled(self, candidate: Candidate, ruling: Ruling, replay: Replay) -> Work[Ruling]:
        panel = self.bench.same_request(lambda: self._spend_judge(replay.meter))
        assert panel is not None
        exhibit = Exhibit(claim=self.framed.core, reply=candidate.claim)
        verdict = yield from settled(Doubt(replay.place, exhibit, replay.meter, panel))
        return _ruled(ruling, verdict)

    def _spend_judge(self, meter: Meter) -> bool:
        if not meter.try_spend("judge_calls"):
            return False
        if self.total.try_spend("judge_calls"):
            return True
        meter.give_back("judge_calls", 1)
        return False


def _ruled(ruling: Ruling, verdict: Verdict) -> Ruling:
    """Return what judges make of an open ruling; what they leave open stays UNKNOWN."""
    if verdict.state not in _SETTLED:
        return ruling.model_copy(update={"reason": f"{FREE_TEXT}:{verdict.state}"})
    validity, label, reason = _SETTLED[verdict.state]
    known = {"validity": validity, "label": label, "reason": reason, "method": "judges"}
    return ruling.model_copy(update={**known, "oracle_version": verdict.version})


def _suffices(meter: Meter, calls: int) -> bool:
    """Tell whether so many victim queries are left; where they are not, the meter is told what was refused."""
    left = meter.remaining("victim_queries")
    if left is not None and left < calls:
        meter.try_spend("victim_queries", calls)
        return False
    meter.take("victim_queries", 0)  # nothing is spent, and a meter that is over its time says so
    return meter.exhausted is None
