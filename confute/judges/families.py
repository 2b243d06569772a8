"""Families of judges: small declarations in YAML, each a question, its legs and their templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from pydantic import Field

from confute.errors import JudgeError
from confute.judges.composite import Composite
from confute.judges.llm import AGAIN, LLMJudge
from confute.judges.question import JudgeSettings, Question, Variant
from confute.models.chat import ChatModel
from confute.prompts.render import Template
from confute.records import NonBlank, Record
from confute.verdicts import Direction
from confute.yaml_records import read_record

FOLDER = Path(__file__).parent / "families"
"""Where the families stand that come with the package."""

_SUFFIXES = frozenset({".yaml", ".yml"})
_GIVEN = frozenset({"exhibit", "nonce", "source", "options", "swapped", "key", "count", "turns"})


class LegDeclaration(Question):
    """A question and the names of the templates that ask it: paraphrases of each other, the first one the default."""

    templates: tuple[NonBlank, ...] = Field(min_length=1)


class FamilyDeclaration(Record):
    """What a family's file holds."""

    name: NonBlank
    question: NonBlank
    legs: tuple[LegDeclaration, ...] = Field(min_length=1, max_length=8)


@dataclass(frozen=True)
class Leg:
    """A question, with the templates that ask it."""

    question: Question
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class Family:
    """A question and the legs that answer it; `question` says what SUCCEEDED means."""

    name: str
    question: str
    legs: tuple[Leg, ...]

    @property
    def template_sources(self) -> tuple[tuple[str, str], ...]:
        """Name and source of each file that its judges ask by, each once, for checks that no case stands in them."""
        templates = [Template(AGAIN), *(template for leg in self.legs for template in leg.templates)]
        files = {source.name: source for template in templates for source in template.sources}
        return tuple(sorted(files.values()))

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The paraphrases that every leg has, in either order of options; the default one comes first."""
        count = min(len(leg.templates) for leg in self.legs)
        return tuple(
            Variant(template=number, swapped=swapped) for number, swapped in product(range(count), (False, True))
        )


def family_names() -> tuple[str, ...]:
    """Return the names of the families that come with the package."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def load_family(name_or_path: str | Path) -> Family:
    """Return a family by the name of a built-in one, or by the path of its YAML file.

    Templates are looked up beside the file first, among the package's then. Raises JudgeError with the line and what
    is allowed there, and PromptError for a template.
    """
    path = _path(name_or_path)
    declared = read_record(path, FamilyDeclaration, JudgeError)
    _refuse_unworkable(declared, path)
    return Family(declared.name, declared.question, tuple(_leg(one, path.parent) for one in declared.legs))


def build_panel(  # noqa: PLR0913  each is a choice of its own
    family: Family | str | Path,
    model: ChatModel,
    *,
    settings: JudgeSettings | None = None,
    variant: Variant | None = None,
    short_circuit: bool = True,
    spend: Callable[[], bool] | None = None,
) -> Composite:
    """Return the composite of a family's judges on one model.

    `variant` chooses paraphrase and order of options; `spend` is asked before each call of the model and refuses it by
    returning False; `short_circuit=False` hears every judge, as a validation needs. Raises JudgeError where a leg has
    no such paraphrase.
    """
    family = family if isinstance(family, Family) else load_family(family)
    variant = variant or Variant()
    settings = (settings or JudgeSettings()).model_copy(update={"swapped": variant.swapped})
    judges = [
        LLMJudge(leg.question, _chosen(leg, variant), model, settings=settings, spend=spend) for leg in family.legs
    ]
    return Composite(family.name, judges, short_circuit=short_circuit)


def _chosen(leg: Leg, variant: Variant) -> Template:
    if variant.template >= len(leg.templates):
        allowed = f"0 to {len(leg.templates) - 1}"
        raise JudgeError("has no such paraphrase", field=leg.question.name, allowed=allowed, got=variant.template)
    return leg.templates[variant.template]


def _path(name_or_path: str | Path) -> Path:
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix in _SUFFIXES:
        return path
    if name_or_path not in family_names():
        allowed = f"{', '.join(family_names())}, or the path of a YAML file"
        raise JudgeError("there is no such family", field="family", allowed=allowed, got=name_or_path)
    return FOLDER / f"{name_or_path}.yaml"


def _refuse_unworkable(declared: FamilyDeclaration, path: Path) -> None:
    """Refuse what could never vote rightly, before a model is asked."""
    for number, leg in enumerate(declared.legs):
        if hidden := [one for one in leg.quotes if one not in leg.shows]:
            raise JudgeError(
                "names what the judge is not shown, so that no quote could be found",
                field=f"{path}: legs.{number}.quotes",
                allowed=f"what it shows: {', '.join(leg.shows)}",
                got=", ".join(hidden),
                hint="without a line of its own, quotes is [reply]",
            )
    for direction in Direction:
        if all(leg.direction is not direction for leg in declared.legs):
            raise JudgeError(
                f"has no {direction.value} judge",
                field=f"{path}: legs",
                allowed="at least one leg of each direction: positive ones find what the family is after, negative "
                "ones its absence",
            )


def _leg(declared: LegDeclaration, folder: Path) -> Leg:
    question = Question.model_validate(declared.model_dump(exclude={"templates"}))
    return Leg(question, tuple(_template(name, folder) for name in declared.templates))


def _template(name: str, folder: Path) -> Template:
    template = Template(name, folder=folder)
    if unknown := template.names - _GIVEN:
        raise JudgeError(
            "asks for what it is not given", field=name, allowed=", ".join(sorted(_GIVEN)), got=sorted(unknown)
        )
    if "exhibit" not in template.names:
        hint = "put {{ exhibit }} where the judged text is to stand, or extend parts/judge.j2"
        raise JudgeError("does not show what is judged", field=name, hint=hint)
    return template
