"""The clamp: a judge votes within its contract, or it abstains and its raw vote is kept."""

from __future__ import annotations

from confute.errors import shown
from confute.judges.contained import contained
from confute.judges.fence import visible
from confute.judges.judge import Exhibit, Judge
from confute.verdicts import Direction, Vote, VoteState

BUDGET_SPENT = "budget_spent"
OFF_CONTRACT = "off_contract"
UNVERIFIED_QUOTE = "unverified_quote"
TEXT_CUT = "text_cut"
JUDGE_CRASHED = "judge_crashed"
MALFORMED_VOTE = "malformed_vote"


async def ask(judge: Judge, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
    """Return a judge's vote within its contract; whatever the judge raises or returns instead is an ERROR.

    The one place where a composite runs a judge: not even a cancellation that comes from within it leaves this place.
    """
    try:
        vote = await contained(judge.judge(exhibit, repeat=repeat))
    except Exception as error:  # a judge may be anybody's code: its failure is a vote, and never a verdict
        return _failed(judge, JUDGE_CRASHED, f"{type(error).__name__}: {error}", repeat)
    if not isinstance(vote, Vote):
        return _failed(judge, MALFORMED_VOTE, f"not a vote: {shown(vote)}", repeat)
    return clamp(vote, judge)


def clamp(vote: Vote, judge: Judge) -> Vote:
    """Return a vote that keeps to the judge's direction and label: any other one abstains, with its raw form kept.

    A vote that is an ERROR stays one, whatever else it says.
    """
    own = {"judge": judge.name, "direction": judge.direction, "label": judge.label}
    if all(getattr(vote, name) == value for name, value in own.items()):
        return vote
    if vote.state is VoteState.ERROR:
        return vote.model_copy(update=own)
    said = f"{vote.state}: {vote.direction} {vote.label} by {vote.judge}"
    return abstained(vote.model_copy(update={**own, "raw": vote.raw or said}), OFF_CONTRACT)


def abstained(vote: Vote, code: str) -> Vote:
    """Return a vote turned into an abstention: its raw form stays, its confidence is zeroed, and `code` says why."""
    changes = {"state": VoteState.ABSTAIN, "raw_state": vote.state, "clamped": True, "confidence": 0.0, "code": code}
    return vote.model_copy(update=changes)


def within_sight(vote: Vote, exhibit: Exhibit, *, shortened: bool) -> Vote:
    """Return the vote of a judge that saw a part of a text alone: a negative one abstains, as absence needs all of it.

    `shortened` tells that what the judge was shown is not all of the exhibit; then a positive judge that found nothing
    says so in its code, for its abstention proves nothing either. The exhibit itself may be of a reply that was cut
    off, and then every negative vote on it says so in its code.
    """
    if vote.direction is Direction.POSITIVE:
        unseen = shortened and vote.state is VoteState.ABSTAIN
        return vote.model_copy(update={"code": TEXT_CUT}) if unseen else vote
    code = exhibit.cut_off or (TEXT_CUT if shortened else None)
    if vote.state is VoteState.FIRED and code is not None:
        return abstained(vote, code)
    return vote.model_copy(update={"code": vote.code or exhibit.cut_off})


def _failed(judge: Judge, code: str, reason: str, repeat: int) -> Vote:
    return Vote(
        judge=judge.name,
        version=judge.version,
        direction=judge.direction,
        label=judge.label,
        state=VoteState.ERROR,
        code=code,
        reason=visible(reason)[:500],
        repeat=repeat,
    )
