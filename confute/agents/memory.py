"""What worked before, as short text for the next prompt of an attacker that reads."""

from __future__ import annotations

from collections.abc import Iterable

from confute.agents.experience import Lesson

_SHOWN = 6
_MAX_CHARS = 200


def remembered(experience: Iterable[Lesson], at_most: int = _SHOWN) -> str:
    """Return the lessons as lines of text, the most promising first; empty where nothing was learned.

    The order is by the mean of Beta(1 + wins, 1 + pulls - wins). What won is shown by its smallest example, and as many
    arms that never won are named at last, so that they are not tried again. Claims are cut to 200 characters, and hold
    no line break and no control character.
    """
    lessons = sorted(experience, key=lambda one: (-(1 + one.wins) / (2 + one.pulls), one.arm))
    won = [_won(one) for one in lessons if one.wins][:at_most]
    lost = [f"{_named(one)} (0 of {one.pulls})" for one in reversed(lessons) if not one.wins][:at_most]
    return "\n".join([*won, *([f"Never worked: {'; '.join(lost)}."] if lost else [])])


def _won(lesson: Lesson) -> str:
    told = f"Worked in {lesson.wins} of {lesson.pulls} tries: {_named(lesson)}."
    if lesson.before is None or lesson.after is None or lesson.before == lesson.after:
        return told
    return f'{told} Smallest: "{_shown(lesson.before)}" became "{_shown(lesson.after)}".'


def _named(lesson: Lesson) -> str:
    return f"{lesson.mechanism.replace('_', ' ')} on {_shown(lesson.surface)}"


def _shown(words: str) -> str:
    plain = "".join(char if char.isprintable() else " " for char in words[: 4 * _MAX_CHARS])
    flat = " ".join(plain.replace('"', "'").split())
    return flat if len(flat) <= _MAX_CHARS else f"{flat[: _MAX_CHARS - 1]}…"
