"""The cut between what the harness measured and what an agent may learn of it."""

from __future__ import annotations

from confute.agents.agent import Feedback
from confute.records import Knowledge


def cut(feedback: Feedback, knowledge: Knowledge) -> Feedback:
    """Return the part of a feedback that a knowledge level may see: no score below the level `score`."""
    return feedback if knowledge.includes(Knowledge.SCORE) else feedback.model_copy(update={"score": None})
