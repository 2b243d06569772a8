"""Whether an abstention was called for: by the evidence of one reply, and by two rates over many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from confute.judges.rules.sentences import read
from confute.judges.rules.words import content, numbers
from confute.records import Record

_ASKS_A_NUMBER = re.compile(r"\bhow (?:many|much|old|long|high|far|tall|big)\b|\bwhen\b|\bin (?:what|which) year\b")
_QUESTION_WORDS = frozenset({"how", "many", "much", "when", "year", "old", "long", "high", "far", "tall", "big"})
_MIN_MARGIN = 0.2


def is_justified(question: str, evidence: Sequence[str]) -> bool | None:
    """Tell whether evidence leaves a question open; `None` where words alone do not tell.

    It does where it holds none of the question's words, and does not where it holds all of them and a sentence answers
    the asked number.
    """
    asked = content(question) - _QUESTION_WORDS
    given = [content(text) for text in evidence]
    if not asked or not given:
        return None
    if not asked & frozenset().union(*given):
        return True
    if not asked <= frozenset().union(*given) or not _ASKS_A_NUMBER.search(question.casefold()):
        return None
    sentences = [sentence.text for text in evidence for sentence in read(text).sentences]
    answered = any(content(sentence) & asked and numbers(sentence) for sentence in sentences)
    return False if answered else None


class AbstentionRates(Record):
    """Abstentions on items that evidence answers and on items that it does not; one rate alone says nothing.

    Whoever abstains always has both rates at 1.
    """

    answerable: int = Field(ge=0)
    abstained_answerable: int = Field(ge=0)
    unanswerable: int = Field(ge=0)
    abstained_unanswerable: int = Field(ge=0)

    @property
    def correct_abstention(self) -> float | None:
        """Share of the unanswerable items on which it abstained."""
        return self.abstained_unanswerable / self.unanswerable if self.unanswerable else None

    @property
    def false_abstention(self) -> float | None:
        """Share of the answerable items on which it abstained."""
        return self.abstained_answerable / self.answerable if self.answerable else None

    @property
    def tells_apart(self) -> bool | None:
        """Whether the first rate exceeds the second by a fifth at least (Youden's J); `None` without either."""
        if self.correct_abstention is None or self.false_abstention is None:
            return None
        return self.correct_abstention - self.false_abstention >= _MIN_MARGIN
