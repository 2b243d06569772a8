"""What one judge is asked, and how."""

from __future__ import annotations

from pydantic import Field

from confute.judges.exhibits import Shown
from confute.judges.forms import Boolean, Form
from confute.records import NonBlank, Record
from confute.verdicts import Direction


class Question(Record):
    """What one judge looks for, and what of an exhibit it needs for that.

    `shows` are the fields that it is shown, in order, and `quotes` those that its quote must come from. It is not asked
    at all where none of `quotes` holds anything, or one of `needs` does not.
    """

    name: NonBlank
    direction: Direction
    label: NonBlank
    shows: tuple[Shown, ...] = Field(default=("reply",), min_length=1)
    quotes: tuple[Shown, ...] = Field(default=("reply",), min_length=1)
    needs: tuple[Shown, ...] = ()
    answer: Form = Boolean()


class JudgeSettings(Record):
    """How a model is asked; every setting is part of a judge's version.

    `seed` also decides the marks of the fence, and repeat i is asked with seed + i, so that a repeat samples anew.
    `max_characters` is how much of one text is shown, `structured` asks the endpoint for its JSON Schema mode, and
    `swapped` turns the order of the options.
    """

    temperature: float | None = Field(default=0.0, ge=0)
    seed: int = 0
    max_tokens: int = Field(default=400, ge=1)
    max_characters: int = Field(default=12_000, ge=100)
    structured: bool = True
    swapped: bool = False


class Variant(Record):
    """Which paraphrase of its template a judge uses, and whether the order of its options is turned."""

    template: int = Field(default=0, ge=0)
    swapped: bool = False
