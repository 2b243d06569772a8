"""The frames that may stand around a probe, written by hand in five languages, and the edits that they make of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from confute.errors import OracleError
from confute.oracles.probe.coined import coined_names
from confute.oracles.probe.probe import FramedProbe
from confute.records import Edit, Label, Mechanism, NonBlank, PassageChange, Record, Replacement
from confute.yaml_records import read_record

_FILE = Path(__file__).with_name("frames.yaml")
_NAME, _FALSEHOOD = "{name}", "{falsehood}"


class Frame(Record):
    """A text that stands before or behind a probe's last turn, or is a turn of its own before it."""

    language: str
    mechanism: Mechanism
    place: Literal["before", "behind", "turn"]
    text: NonBlank


class FrameFile(Record):
    """What the file of frames holds."""

    frames: tuple[Frame, ...]


@lru_cache(maxsize=1)
def frames() -> tuple[Frame, ...]:
    """Return every frame, in the order of the file."""
    return read_record(_FILE, FrameFile, OracleError).frames


def moves(probe: FramedProbe, mechanisms: Sequence[Mechanism], *, seed: int) -> tuple[Edit, ...]:
    """Return the edits that frame a probe by some mechanisms, in a fixed order.

    Frames are in the probe's language, and a language that has none gets none; those of `language_switch` are all
    frames before a probe that may stand for their language alone, of every other language. A frame that needs a
    falsehood is left out for a probe that declares none, and one that is a turn of its own for a probe of several
    turns: between them and the last it would change what that one refers to. A probe that depends on its wording has
    no frames.
    """
    if probe.depends_on_wording:
        return ()
    spoken = [frame for frame in frames() if frame.place != "turn" or len(probe.turns) == 1]
    own = probe.language
    chosen = [frame for frame in spoken if frame.language == own and frame.mechanism in mechanisms]
    if Mechanism.LANGUAGE_SWITCH in mechanisms:
        others = [frame for frame in spoken if frame.language != own and _switches(frame)]
        chosen += [one.model_copy(update={"mechanism": Mechanism.LANGUAGE_SWITCH}) for one in others]
    names = iter(coined_names(f"{seed}/{probe.id}", probe.known_texts, len(chosen)))
    return tuple(_moves(probe, chosen, names))


def _switches(frame: Frame) -> bool:
    """Whether a frame may stand for its language alone: it claims nothing, and needs nothing of the probe."""
    return frame.mechanism is Mechanism.POLITENESS and frame.place == "before"


def _moves(probe: FramedProbe, chosen: Sequence[Frame], names: Iterator[str]) -> Iterator[Edit]:
    for frame in chosen:
        text = frame.text
        if _FALSEHOOD in text:
            if not probe.falsehood.strip():
                continue
            text = text.replace(_FALSEHOOD, probe.falsehood.strip())
        if _NAME in text:
            name = next(names, None)
            if name is None:
                continue
            text = text.replace(_NAME, name)
        yield _edit(probe, frame, text)


def _edit(probe: FramedProbe, frame: Frame, text: str) -> Edit:
    at = {"before": 0, "behind": len(probe.core)}
    is_turn = frame.place == "turn"
    return Edit(
        mechanism=frame.mechanism,
        slot=frame.place,
        replacements=() if is_turn else (Replacement(start=at[frame.place], end=at[frame.place], text=text),),
        passages=(PassageChange(text=text),) if is_turn else (),
        expected_label=Label.UNSUPPORTED,
    )
