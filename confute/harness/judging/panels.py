"""Who sits on the bench: the panels of a judge that was named, in each wording that was asked for."""

from __future__ import annotations

from pathlib import Path

from confute.errors import JudgeError
from confute.harness.judging.bench import Seated
from confute.harness.judging.degenerate import degenerate, degenerate_names
from confute.harness.judging.prompts import asked_prompts
from confute.harness.judging.stability import OWN_WORDING
from confute.judges.families import Family, build_panel
from confute.judges.judge import Panel
from confute.judges.question import JudgeSettings, Variant
from confute.judges.rules.panel import build_rule_panel
from confute.models.chat import ChatModel, ModelSpec
from confute.models.chat_load import load_chat
from confute.yaml_records import read_record

RULES = "rules"
DEGENERATE = "degenerate:"
_ALLOWED = f"model, {RULES}, or {DEGENERATE}NAME with NAME one of {', '.join(degenerate_names())}"


def seat_without_model(name: str, family: Family, *, seed: int) -> Seated:
    """Seat the rule judges, named `rules`, or a broken panel, named `degenerate:NAME`.

    Raises JudgeError for any other name, and for a family without rules.
    """
    if name == RULES:
        return Seated(name, {OWN_WORDING: build_rule_panel(family)}, (name,), question=family.question)
    if not name.startswith(DEGENERATE):
        raise JudgeError("there is no such judge", field="judge", allowed=_ALLOWED, got=name)
    panel = degenerate(name.removeprefix(DEGENERATE), family, seed=seed)
    return Seated(name, {OWN_WORDING: panel}, (name,), question=family.question)


def seat_model(
    spec: ModelSpec, family: Family, *, settings: JudgeSettings, cache: Path | None, wordings: bool
) -> Seated:
    """Seat a family's panel on a model, in every wording of its questions or in its own alone.

    Raises ModelError where the model cannot be loaded.
    """
    model = load_chat(spec, cache=cache)
    variants = family.variants if wordings else family.variants[:1]
    templates = {**dict(family.template_sources), **asked_prompts(family)}
    panels = {_wording(variant): _panel(family, model, settings, variant) for variant in variants}
    return Seated(spec.model, panels, (spec.model,), templates, family.question)


def read_spec(path: Path) -> ModelSpec:
    """Read a model's specification from YAML or JSON. Raises JudgeError, with line and field, where it is none."""
    return read_record(path, ModelSpec, JudgeError)


def _panel(family: Family, model: ChatModel, settings: JudgeSettings, variant: Variant) -> Panel:
    return build_panel(family, model, settings=settings, variant=variant, short_circuit=False)


def _wording(variant: Variant) -> str:
    if variant == Variant():
        return OWN_WORDING
    return f"paraphrase {variant.template}" + (", options turned" if variant.swapped else "")
