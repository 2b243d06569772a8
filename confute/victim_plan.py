"""What is attacked, as the section `victim` of a contract declares it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from confute.part import Part
from confute.records import AttackGoal, NonBlank


class SegmentationUnit(StrEnum):
    """How evidence is cut into passages before it is embedded."""

    SENTENCE = "sentence"
    PASSAGE = "passage"
    WINDOW = "window"
    WHOLE = "whole"


class Segmentation(Part):
    """The unit of evidence; `window_tokens` and `stride_tokens` hold for the unit `window` alone."""

    unit: Annotated[SegmentationUnit, Field(strict=False)] = SegmentationUnit.SENTENCE
    window_tokens: int | None = Field(default=None, ge=1)
    stride_tokens: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _window_has_a_size(self) -> Self:
        if (self.unit is SegmentationUnit.WINDOW) != (self.window_tokens is not None):
            raise ValueError("window_tokens must be given for the unit 'window', and for no other")
        if self.stride_tokens is not None and self.window_tokens is None:
            raise ValueError("stride_tokens needs the unit 'window'")
        return self


class Calibration(Part):
    """How to set the threshold: the highest risk that keeps the target error rate on calibration cases alone.

    `error` names the error whose rate is held at or below `target_rate`; `share` is the part of the source groups
    that is set aside for calibration and never attacked.
    """

    error: Annotated[AttackGoal, Field(strict=False)] = AttackGoal.FALSE_REJECTION
    target_rate: float = Field(default=0.05, gt=0, lt=1)
    share: float = Field(default=0.5, gt=0, lt=1)


class Threshold(Part):
    """A threshold given as a number, or the way to calibrate it; exactly one of the two.

    `value` is on the detector's own scale, and is turned with its scores where higher is safer.
    """

    value: float | None = Field(default=None, allow_inf_nan=False)
    calibrate: Calibration | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.value is None) == (self.calibrate is None):
            raise ValueError("give exactly one of value and calibrate")
        return self


class Victim(Part):
    """The detector under attack and everything that its fingerprint depends on.

    `detector` is a built-in name (`hallucination_energy`, `nearest_passage`, `word_overlap`, `grounding`) or
    `module:attribute` for a user's own. `embedder` is `minilm` for the embedded default, or a sentence-transformers
    model name. A victim that is not `deterministic` is replayed while a counterexample is shrunk. `timeout_s` bounds
    one call.
    """

    detector: NonBlank
    version: NonBlank = "1"
    embedder: NonBlank | None = None
    rank: Annotated[int, Field(ge=1)] | Literal["full"] | None = None
    segmentation: Segmentation = Segmentation()
    higher_is_safer: bool = False
    deterministic: bool = True
    timeout_s: float = Field(default=60.0, gt=0, le=86_400)
    threshold: Threshold = Threshold(calibrate=Calibration())
    calibration_version: NonBlank = "1"
