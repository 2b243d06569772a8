"""The forms in which a judge may be asked to answer, and when an answer in one of them fires."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from confute.records import NonBlank, Record

CANNOT_TELL = "cannot_tell"
"""The answer of a judge that cannot tell: a state of its own, neither a verdict nor an error."""


class Boolean(Record):
    """Yes or no; `brackets` admits `[[YES]]` and `[[NO]]` where a reply holds no structured output."""

    form: Literal["boolean"] = "boolean"
    key: NonBlank = "verdict"
    brackets: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The answers that the judge is offered."""
        return ("yes", "no", CANNOT_TELL)

    def fires(self, value: Any) -> bool:
        """Tell whether an answer says that the judge found what it looks for."""
        return value is True


class Choice(Record):
    """One of the options, in its own words; those in `finds` make the judge fire."""

    form: Literal["choice"] = "choice"
    key: NonBlank = "verdict"
    choices: tuple[NonBlank, ...] = Field(min_length=2)
    finds: tuple[NonBlank, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _finds_are_choices(self) -> Self:
        if len({choice.strip().casefold() for choice in (*self.choices, CANNOT_TELL)}) != len(self.choices) + 1:
            raise ValueError(f"choices must differ from each other and from {CANNOT_TELL}")
        if not set(self.finds) < set(self.choices):
            raise ValueError("finds must be some of the choices, and not all")
        return self

    @property
    def options(self) -> tuple[str, ...]:
        """The answers that the judge is offered."""
        return (*self.choices, CANNOT_TELL)

    def fires(self, value: Any) -> bool:
        """Tell whether an answer says that the judge found what it looks for."""
        return value in self.finds


class Score(Record):
    """A number on a declared scale, both ends included; the judge fires from `fires_from` upwards.

    `flag` names a field in which the judge also says yes or no; the score decides, and a difference is recorded.
    """

    form: Literal["score"] = "score"
    key: NonBlank = "score"
    scale: tuple[FiniteFloat, FiniteFloat]
    fires_from: FiniteFloat
    flag: NonBlank | None = None

    @model_validator(mode="after")
    def _lies_on_the_scale(self) -> Self:
        low, high = self.scale
        if not low < self.fires_from <= high:
            raise ValueError("fires_from must lie on the scale, above its lower end")
        return self

    @property
    def options(self) -> tuple[str, ...]:
        """The answers that the judge is offered: none, since it names a number."""
        return ()

    def fires(self, value: Any) -> bool:
        """Tell whether an answer says that the judge found what it looks for."""
        return isinstance(value, float) and value >= self.fires_from


class Verdicts(Record):
    """Yes or no for each passage of evidence or each capability, in order; fires on `any`, on `all` or on `none`.

    `item` is the field of an item that holds its verdict, where items are objects.
    """

    form: Literal["verdicts"] = "verdicts"
    key: NonBlank = "verdicts"
    item: NonBlank = "verdict"
    each: Literal["evidence", "capabilities"] = "evidence"
    finds: Literal["any", "all", "none"] = "any"

    @property
    def options(self) -> tuple[str, ...]:
        """The answers that the judge is offered for each item."""
        return ("yes", "no", CANNOT_TELL)

    def fires(self, value: Any) -> bool:
        """Tell whether an answer says that the judge found what it looks for; an item that is not told never helps."""
        if self.finds == "any":
            return any(one is True for one in value)
        return bool(value) and all(one is (self.finds == "all") for one in value)


Form = Annotated[Boolean | Choice | Score | Verdicts, Field(discriminator="form")]


def json_schema(form: Form, options: tuple[str, ...]) -> dict[str, Any]:
    """Return the JSON Schema of an answer: the reason comes first, then the quote, and the verdict last."""
    one = {"type": "string", "enum": list(options)} if options else {"type": "number"}
    verdict = {"type": "array", "items": one} if isinstance(form, Verdicts) else one
    properties = {"reason": {"type": "string"}, "quote": {"type": "string"}, form.key: verdict}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
