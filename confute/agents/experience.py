"""What earlier cases of a run taught: how often each kind of edit turned the victim, as plain values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Self

from pydantic import Field, model_validator

from confute.records import Edit, Mechanism, Record

Arm = tuple[Mechanism, str]
"""A mechanism on a surface: the places that the edits land in, as far as the moves tell."""

_NUMBER = re.compile(r"\d+")


class Lesson(Record):
    """What the candidates of one arm came to: `wins` of `pulls` measured ones turned the victim.

    Only candidates whose paired control was decided rightly count, so that a win is induced. `before` and `after` are
    the claims of the smallest win; where the claim stays, they are the same.
    """

    mechanism: Mechanism
    surface: str
    pulls: int = Field(ge=1)
    wins: int = Field(ge=0)
    before: str | None = None
    after: str | None = None

    @model_validator(mode="after")
    def _wins_are_pulls(self) -> Self:
        if self.wins > self.pulls:
            raise ValueError("there cannot be more wins than pulls")
        return self

    @property
    def arm(self) -> Arm:
        """The arm that the lesson is about."""
        return self.mechanism, self.surface


def arm_of(edits: Iterable[Edit]) -> Arm:
    """Return the arm of a set of edits: the first mechanism that changes content, and the slots, without numbers.

    The slots are those of the edits that change content, or of all where none does; paraphrases made beside them are
    told as one, since they change how an edit lands. Raises ValueError where there is no edit.
    """
    every = tuple(edits)
    if not every:
        raise ValueError("no edits have no arm")
    content = [edit for edit in every if edit.mechanism is not Mechanism.PARAPHRASE]
    slots = " + ".join(sorted(_NUMBER.sub("#", edit.slot) for edit in content or every))
    beside = " beside a paraphrase" if 0 < len(content) < len(every) else ""
    return (content or every)[0].mechanism, slots + beside
