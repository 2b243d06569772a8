"""The cut between what the harness measured and what an agent may learn of it."""

from __future__ import annotations

from confute.agents.agent import Feedback, View
from confute.records import Knowledge


def cut(feedback: Feedback, knowledge: Knowledge) -> Feedback:
    """Return the part of a feedback that a knowledge level may see: no score below the level `score`."""
    return feedback if knowledge.includes(Knowledge.SCORE) else feedback.model_copy(update={"score": None})


def blinded(view: View) -> View:
    """Return a view of the same item in which nothing is told of the victim, nor of what turned it on other items."""
    return view.model_copy(update={"knowledge": Knowledge.DECISION, "experience": (), "disclosure": None})
