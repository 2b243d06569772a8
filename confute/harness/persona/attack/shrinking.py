"""A success made minimal on fresh replays, and confirmed on more of them; none of these enters an attack rate."""

from __future__ import annotations

from confute.agents.minimise import minimise
from confute.agents.script import script_of
from confute.harness.meter import Meter
from confute.harness.persona.attack.ground import Ground
from confute.harness.persona.attack.replays import Counts
from confute.harness.persona.attack.trial import Trial
from confute.harness.persona.attack.work import Work
from confute.oracles.probe.probe import turns_of
from confute.persona_plan import Replays
from confute.records import Arm, Candidate, Edit, Mechanism, Outcome, Record


class Dropped(Record):
    """What came of the smallest candidate without one of its edits; without the only one it is the probe itself.

    `outcome` is RESISTED only where errors and doubts could not have made it fail, and `reason` why it is INVALID.
    """

    mechanism: Mechanism
    slot: str
    turns: tuple[str, ...]
    failed: int
    replays: int
    outcome: Outcome
    reason: str = ""

    @property
    def is_needed(self) -> bool:
        """Whether it is shown that the edit cannot be left out."""
        return self.outcome in {Outcome.RESISTED, Outcome.INVALID}


class Shrunk(Record):
    """The smallest candidate, its replays, and what dropping each of its edits came to.

    `confirmed` is None where the budget did not suffice. It is minimal where every edit was dropped in a trial of its
    own, and each of these was resisted, or would not stand.
    """

    candidate: Candidate
    confirmed: Trial | None
    dropped: tuple[Dropped, ...]
    one_minimal: bool
    queries: int

    @property
    def is_free(self) -> bool:
        """Whether it is free text in part, of which an edit is left out whole or not at all."""
        return self.confirmed is not None and self.confirmed.is_free

    @property
    def is_confirmed(self) -> bool:
        """Whether it fails in ceil(0.8 n) of the fresh replays that confirm it."""
        return self.confirmed is not None and self.confirmed.fails


class Shrinking:
    """Shrinks one success; what may be spent on it leaves room for the confirmation."""

    def __init__(self, ground: Ground, meter: Meter, plan: Replays, baseline: Trial) -> None:
        self._ground, self._meter, self._plan = ground, meter, plan
        start = ground.framed.start
        self._known = {start.pair: baseline}

    def run(self, found: Candidate, confirmed: Trial) -> Work[Shrunk]:
        """Return the smallest candidate that still fails stably, by delta debugging on the edits of one found.

        Where it is the one found, that was confirmed already.
        """
        start = self._ground.framed.start
        mechanisms = {edit.mechanism for edit in found.edits}
        alike = [move for move in self._ground.oracle.moves if move.mechanism in mechanisms]
        generator = minimise(start, found, alike)
        smallest = found
        try:
            tested = next(generator)
            while True:
                tested = generator.send((yield from self._fails(tested, found)))
        except StopIteration as stop:
            smallest = stop.value
        last: Trial | None = confirmed
        if smallest.pair != found.pair:
            last = yield from self._ground.tried(Arm.CONFIRM, smallest, self._meter, times=self._plan.confirmed)
        dropped = yield from self._dropped(smallest, found)
        all_dropped = len(dropped) == len(script_of(start, smallest).operations)
        minimal = all_dropped and all(one.is_needed for one in dropped)
        return Shrunk(
            candidate=smallest,
            confirmed=last,
            dropped=dropped,
            one_minimal=minimal,
            queries=self._meter.spent("victim_queries"),
        )

    def _fails(self, candidate: Candidate, found: Candidate) -> Work[bool]:
        """Replay a smaller candidate; one for which too little is left counts as not failing."""
        pair = candidate.pair
        if pair not in self._known:
            spare = self._plan.confirmed * len(turns_of(found))
            left = self._meter.remaining("victim_queries") or 0
            if left - spare < self._plan.shrinking * len(turns_of(candidate)):
                return False
            trial = yield from self._ground.tried(Arm.MINIMISE, candidate, self._meter, times=self._plan.shrinking)
            if trial is None:
                return False
            self._known[pair] = trial
        return self._known[pair].fails

    def _dropped(self, smallest: Candidate, found: Candidate) -> Work[tuple[Dropped, ...]]:
        """Return what dropping each edit came to, from the trials of the shrinking, or from one made now."""
        start = self._ground.framed.start
        script = script_of(start, smallest)
        results = []
        for operation in script.operations:
            rest = [one for one in script.operations if one is not operation]
            candidate = (script.apply(rest) if rest else None) or start
            yield from self._fails(candidate, found)
            if candidate.pair in self._known:
                results.append(_without(script.edits[operation.edit], self._known[candidate.pair]))
        return tuple(results)


def _without(edit: Edit, trial: Trial) -> Dropped:
    """Return what a trial without an edit shows of it."""
    counts, ruling = trial.counts or Counts(), trial.ruling
    return Dropped(
        mechanism=edit.mechanism,
        slot=edit.slot,
        turns=trial.turns,
        failed=counts.failed,
        replays=counts.replays,
        outcome=trial.shown,
        reason=ruling.reason if ruling is not None and trial.shown is Outcome.INVALID else "",
    )
