"""What an attacker's model is asked: templates filled from the view, and from what it was told of its attempts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from confute.agents.agent import Disclosure, View
from confute.agents.llm_reply import IMPROVEMENT, MECHANISM, PROPOSAL, Fault
from confute.agents.llm_tried import Tried, passages, quoted, told
from confute.models.chat import ChatRequest, Message
from confute.prompts.render import Template, Value
from confute.records import AttackGoal, Edit, Mechanism, digest_of

FREE = "free"
DETECTORS, PERSONAS = "attack", "attack_persona"
"""Folders of the templates: against a detector, and against a persona."""

_MOVES, _EVIDENCE, _AGAIN = "moves", "evidence", "again"
MAX_CLAIM = 4_000
"""A longer claim is shown cut, and cannot be rewritten."""

_EVIDENCE_CHARACTERS = 12_000
_SHOWN_ATTRIBUTIONS = 12


class Prompts:
    """The templates of one attacker, each with the settings of the request that it makes."""

    def __init__(
        self,
        mechanisms: Sequence[Mechanism],
        *,
        max_tokens: int,
        temperature: float | None,
        folder: str = DETECTORS,
    ) -> None:
        self._mechanisms = tuple(one for one in mechanisms if not one.changes_evidence)
        offered = [_EVIDENCE] if len(self._mechanisms) < len(mechanisms) else []
        names = [*self._mechanisms, FREE, _MOVES, *offered, _AGAIN]
        self._templates = {name: Template(f"{folder}/{name}") for name in map(str, names)}
        self._settings: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the templates and the settings."""
        return digest_of([{name: one.fingerprint for name, one in self._templates.items()}, self._settings])

    def choice(  # noqa: PLR0913, PLR0917  what a question is made of
        self,
        view: View,
        offered: Sequence[Edit],
        expected: Sequence[float | None],
        history: Sequence[Tried],
        seed: int,
        lessons: str = "",
    ) -> ChatRequest:
        """Return the request to choose among moves, with the risk that each is expected to have where that is known.

        `lessons` are lines on what worked on earlier cases, empty for none.
        """
        name = _EVIDENCE if offered[0].mechanism.changes_evidence else _MOVES
        lines = [
            f"{number}. {_move(view, edit)}" + ("" if risk is None else f" (expected risk {risk:.4f})")
            for number, (edit, risk) in enumerate(zip(offered, expected, strict=True), start=1)
        ]
        number = {"type": "integer", "minimum": 1, "maximum": len(offered)}
        proposal = {"type": "array", "items": number, "minItems": 1, "maxItems": view.max_edits}
        values: dict[str, Value] = {"moves": lines, "max_edits": view.max_edits, "lessons": lessons.splitlines()}
        return self._request(name, view, values, _schema(proposal), history, seed)

    def text(self, view: View, mechanism: str, history: Sequence[Tried], seed: int, lessons: str = "") -> ChatRequest:
        """Return the request to rewrite the claim by a mechanism, or freely, where the model names the mechanism.

        `lessons` are lines on what worked on earlier cases, empty for none.
        """
        options = self.content if mechanism == FREE else ()
        values: dict[str, Value] = {
            "bounded": mechanism != Mechanism.PARAPHRASE,
            "max_tokens": view.max_edited_tokens or 2,
            "named": " or ".join(json.dumps(one) for one in options),
            "lessons": lessons.splitlines(),
        }
        named = {MECHANISM: {"type": "string", "enum": list(options)}} if options else {}
        return self._request(mechanism, view, values, _schema({"type": "string"}, named), history, seed)

    @property
    def content(self) -> tuple[str, ...]:
        """The mechanisms that change a claim's content, by name."""
        return tuple(str(one) for one in self._mechanisms if one is not Mechanism.PARAPHRASE)

    @property
    def paraphrases(self) -> bool:
        """Whether a claim may be said in other words."""
        return Mechanism.PARAPHRASE in self._mechanisms

    def again(self, request: ChatRequest, fault: Fault, seed: int) -> ChatRequest:
        """Return a request whose answer could not be used, with a word on why."""
        words = self._templates[_AGAIN].render({"code": str(fault)})
        (asked,) = request.messages
        message = asked.model_copy(update={"content": f"{asked.content}\n\n{words}"})
        return request.model_copy(update={"messages": (message,), "seed": seed})

    def _request(  # noqa: PLR0913, PLR0917
        self,
        name: str,
        view: View,
        values: Mapping[str, Value],
        schema: dict[str, Any],
        history: Sequence[Tried],
        seed: int,
    ) -> ChatRequest:
        shared: dict[str, Value] = {
            "reject": view.goal is AttackGoal.FALSE_REJECTION,
            "claim": quoted(view.start.claim, MAX_CLAIM),
            "evidence": passages(view.start.evidence, _EVIDENCE_CHARACTERS),
            "history": [told(one) for one in history],
            **_disclosed(view.disclosure),
        }
        prompt = self._templates[name].render({**shared, **values})
        message = Message(role="user", content=prompt)
        return ChatRequest(messages=(message,), seed=seed, json_schema=schema, **self._settings)


def _schema(proposal: dict[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    properties = {IMPROVEMENT: {"type": "string"}, **(more or {}), PROPOSAL: proposal}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _disclosed(disclosure: Disclosure | None) -> dict[str, Value]:
    if disclosure is None:
        return {"description": "", "configuration": [], "attributions": []}
    ranked = sorted(disclosure.attributions, key=lambda one: (-abs(one.rise), one.start))[:_SHOWN_ATTRIBUTIONS]
    return {
        "description": disclosure.description,
        "configuration": [f"{name}: {value}" for name, value in sorted(disclosure.configuration.items())],
        "attributions": [f"{quoted(one.token)}: {one.rise:+.4f}" for one in ranked],
    }


def _move(view: View, edit: Edit) -> str:
    if edit.mechanism.changes_evidence:
        parts = [
            f"take away passage {one.index + 1}"
            if one.index is not None and one.text is None
            else f"put {quoted(one.text or '')} in place of passage {one.index + 1}"
            if one.index is not None
            else f"add the passage {quoted(one.text or '')}"
            for one in edit.passages
        ]
    else:
        claim = view.start.claim
        parts = [f"{quoted(claim[one.start : one.end])} becomes {quoted(one.text)}" for one in edit.replacements]
        parts += [f"first the turn {quoted(one.text or '')}" for one in edit.passages]
    return f"{edit.mechanism.replace('_', ' ')}, {edit.slot}: {'; '.join(parts)}"
