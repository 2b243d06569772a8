"""A fact: who stands in which relation to whom, with what value, when, and in what manner it is said."""

from __future__ import annotations

import calendar
from decimal import Decimal
from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from confute.records import NonBlank, Record


class Polarity(StrEnum):
    """Whether a fact is stated or denied."""

    POSITIVE = "positive"
    NEGATIVE = "negative"

    @property
    def flipped(self) -> Polarity:
        """The other polarity."""
        return Polarity.NEGATIVE if self is Polarity.POSITIVE else Polarity.POSITIVE


class Modality(StrEnum):
    """Whether a fact is said to be so, or only to be possible."""

    ACTUAL = "actual"
    POSSIBLE = "possible"


class Quantity(Record):
    """An exact number of a unit; `unit` is a name in the lexicon's unit table."""

    number: Decimal = Field(allow_inf_nan=False)
    unit: NonBlank


class Date(Record):
    """A year, a month of a year, or a day; a coarser date is the interval of all its days."""

    year: int = Field(ge=1, le=9999)
    month: int | None = Field(default=None, ge=1, le=12)
    day: int | None = Field(default=None, ge=1, le=31)

    @model_validator(mode="after")
    def _is_in_the_calendar(self) -> Self:
        if self.day is not None and self.month is None:
            raise ValueError("a day needs a month")
        if self.month is not None and (self.day or 1) > calendar.monthrange(self.year, self.month)[1]:
            raise ValueError(f"month {self.month} of {self.year} has no day {self.day}")
        return self

    @property
    def first(self) -> tuple[int, int, int]:
        """The earliest day that the date may mean."""
        return self.year, self.month or 1, self.day or 1

    @property
    def last(self) -> tuple[int, int, int]:
        """The latest day that the date may mean."""
        month = self.month or 12
        return self.year, month, self.day or calendar.monthrange(self.year, month)[1]

    def contains(self, other: Date) -> bool:
        """Tell whether every day of the other date lies in this one."""
        return self.first <= other.first and other.last <= self.last

    def overlaps(self, other: Date) -> bool:
        """Tell whether the two dates can be of one day."""
        return self.first <= other.last and other.first <= self.last


class Fact(Record):
    """A typed statement: the relation's tuple, its polarity, its modality, and who is said to have said it.

    Scope is fixed: attribution over modality over polarity over the tuple. `attribution` None means that the text
    itself says it.
    """

    relation: NonBlank
    subject: NonBlank
    object: NonBlank | None = None
    value: Quantity | None = None
    date: Date | None = None
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ACTUAL
    attribution: NonBlank | None = None

    @property
    def swapped(self) -> Fact:
        """The fact with subject and object exchanged; one without an object is returned as it is."""
        if self.object is None:
            return self
        return self.model_copy(update={"subject": self.object, "object": self.subject})

    @property
    def negated(self) -> Fact:
        """The fact with the other polarity."""
        return self.model_copy(update={"polarity": self.polarity.flipped})
