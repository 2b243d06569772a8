"""What an attacker's model has tried, told in words that are made of the feedback alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from confute.agents.agent import Feedback
from confute.edits import passage_changes
from confute.records import Candidate, Decision

_MAX_SHOWN = 600
_HELD = {Decision.ACCEPT: "failed as is sought", Decision.REJECT: "did not fail often enough"}


class Tried(NamedTuple):
    """A candidate that was proposed, what the model said of it, and what came back; None where it was not sent."""

    candidate: Candidate
    improvement: str
    feedback: Feedback | None


def told(tried: Tried) -> str:
    """Return one attempt as a line: what was proposed, and of the feedback whatever the knowledge level left in it."""
    feedback = tried.feedback
    if feedback is None:
        return f"{_proposed(tried.candidate)}: was tried before, propose something else"
    waits = ", which judges would settle" if feedback.is_open else ""
    parts = [] if feedback.validity is None else [f"{feedback.validity} ({feedback.reason}{waits})"]
    if any(edit.mechanism.frames_a_probe for edit in tried.candidate.edits):
        parts += [] if feedback.decision is None else ["it " + _HELD[feedback.decision]]
        parts += [] if feedback.score is None else [f"held in {feedback.score:.0%} of the replays"]
    else:
        parts += [] if feedback.decision is None else [f"the detector says {feedback.decision}"]
        parts += [] if feedback.score is None else [f"risk {feedback.score:.4f}"]
    return f"{_proposed(tried.candidate)}: {', '.join(parts) or 'no answer'}"


def quoted(text: str, limit: int = _MAX_SHOWN) -> str:
    """Return a text as a JSON string on one line, cut where it is long, so that nothing in it ends the quotation."""
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    return json.dumps(cut, ensure_ascii=False)


def passages(texts: Sequence[str], limit: int) -> str:
    """Return passages as a JSON list on lines of their own, at most `limit` characters of them together."""
    shown, left = [], limit
    for text in texts:
        part = text if len(text) <= left else f"{text[:left]}…"
        shown.append(json.dumps(part, ensure_ascii=False))
        left -= len(text)
        if left <= 0:
            break
    rest = len(texts) - len(shown)
    return "[" + ",\n ".join(shown) + "]" + (f"\n({rest} more passages are not shown)" if rest else "")


def _proposed(candidate: Candidate) -> str:
    changes = passage_changes(candidate.edits)
    if not changes:
        return quoted(candidate.claim)
    if any(edit.mechanism.frames_a_probe for edit in candidate.edits):
        return " then ".join(quoted(turn) for turn in (*candidate.evidence, candidate.claim))
    added = [quoted(one.text) for one in changes if one.text is not None]
    removed = [str(one.index + 1) for one in changes if one.index is not None]
    told_of = [f"passage {', '.join(removed)} taken away"] if removed else []
    told_of += [f"added {', '.join(added)}"] if added else []
    return "evidence with " + " and ".join(told_of)
