"""What a knowledge level may see of a measurement."""

from __future__ import annotations

import pytest

from confute.agents.agent import Feedback
from confute.agents.feedback import cut
from confute.records import Decision, Knowledge, Validity

MEASURED = Feedback(validity=Validity.VALID, reason="closure", decision=Decision.REJECT, score=0.7)


def test_the_level_decision_sees_no_score() -> None:
    assert cut(MEASURED, Knowledge.DECISION) == MEASURED.model_copy(update={"score": None})


@pytest.mark.parametrize("knowledge", [Knowledge.SCORE, Knowledge.ALGORITHM, Knowledge.WHITE_BOX])
def test_the_levels_above_see_the_score(knowledge: Knowledge) -> None:
    assert cut(MEASURED, knowledge) == MEASURED


def test_a_missing_score_stays_missing() -> None:
    unmeasured = Feedback(validity=Validity.INVALID, reason="no_op", decision=None, score=None)
    assert cut(unmeasured, Knowledge.SCORE) == unmeasured
