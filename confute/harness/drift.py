"""Whether a victim changed while a run lasted, as its canaries tell, and why no gate may then be set."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from confute.contract import AttackContract
from confute.records import Arm, Attempt, Mechanism, Record, ScoreState
from confute.victims.canaries import drifted


class Canaries(Record):
    """Fixed pairs scored first and last: `drifted` is None where none was measured at either time.

    One that was measured at one time alone has changed.
    """

    n: int = Field(ge=0)
    compared: int = Field(ge=0)
    changed: int = Field(ge=0)
    drifted: bool | None
    closed: bool


def canaries(attempts: Sequence[Attempt]) -> Canaries:
    """Compare the canaries' first scores with their last."""
    scores = {
        repeat: {one.case_id: one.score for one in attempts if one.arm is Arm.CANARY and one.repeat == repeat}
        for repeat in (0, 1)
    }
    pairs = [(first, scores[1].get(name)) for name, first in scores[0].items()]
    known = [(first, last) for first, last in pairs if first is not None and last is not None]
    compared = [pair for pair in known if any(score.state is ScoreState.MEASURED for score in pair)]
    changed = len(drifted([first for first, _ in compared], [last for _, last in compared]))
    return Canaries(
        n=len(scores[0]),
        compared=len(compared),
        changed=changed,
        drifted=changed > 0 if compared else None,
        closed=bool(scores[0]) and scores[0].keys() == scores[1].keys(),
    )


def withheld(seen: Canaries, contract: AttackContract) -> tuple[str, ...]:
    """Return why no gate may be set on a run's figures; drift cannot be told from the noise of a noisy victim."""
    reasons: list[str] = []
    if not seen.closed:
        reasons.append("run_unfinished")
    elif seen.drifted is None:
        reasons.append("canaries_unmeasured")
    if seen.drifted:
        reasons.append("victim_drifted" if contract.victim.deterministic else "canaries_noisy")
    if Mechanism.ECHO in contract.attacker.capabilities:
        reasons.append("provenance_probe")
    return tuple(reasons)
