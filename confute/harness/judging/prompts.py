"""What the judges of a family ask, as it is asked: every wording, on an exhibit that says nothing."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from confute.judges.families import Family, build_panel
from confute.judges.judge import Exhibit, Judge, Turn
from confute.judges.question import Variant
from confute.models.scripted import ScriptedModel

_NOTHING = "-0"
_UNREADABLE = "?"
_BARE = Exhibit(
    reply=_NOTHING,
    prompt=_NOTHING,
    claim=_NOTHING,
    evidence=(_NOTHING,),
    truth=_NOTHING,
    falsehood=_NOTHING,
    persona=_NOTHING,
    capabilities=(_NOTHING,),
    secret=_NOTHING,
)
_TURNS = _BARE.model_copy(update={"turns": (Turn(role="assistant", content=_NOTHING),)})


def asked_prompts(family: Family) -> dict[str, str]:
    """Return each prompt by a name that tells its leg and wording, each with the request to answer once more."""
    return {
        f"{name} as asked in wording {number}, {exhibit_name}": prompt
        for number, variant in enumerate(family.variants, 1)
        for exhibit_name, exhibit in (("a reply alone", _BARE), ("a conversation", _TURNS))
        for name, prompt in _prompts(family, variant, exhibit)
    }


def _prompts(family: Family, variant: Variant, exhibit: Exhibit) -> list[tuple[str, str]]:
    model = ScriptedModel(lambda _request, _repeat: _UNREADABLE)
    return [
        (judge.name, _last_prompt(judge, model, exhibit))
        for judge in build_panel(family, model, variant=variant).judges
    ]


def _last_prompt(judge: Judge, model: ScriptedModel, exhibit: Exhibit) -> str:
    """The last one of a judge whose model cannot be read: the question, and the request to answer it once more."""
    _finished(judge.judge(exhibit))
    return model.calls[-1].request.messages[-1].content


def _finished(work: Coroutine[Any, Any, object]) -> None:
    """Carry out what waits for nothing, as a scripted model does, with or without a running event loop."""
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
    raise RuntimeError("a scripted model waited")
