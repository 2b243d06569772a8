"""The attack contract: what is attacked, for what, by whom, what counts, and how it is evaluated."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from confute.attacker_plan import Attacker, AttackTree, Budgets, FrozenAttacker, RunBudgets, StrategyName, Writes
from confute.curve_plan import CurvePlan
from confute.errors import ContractError
from confute.models.chat import ModelSpec
from confute.part import Part, without_none
from confute.records import AttackGoal, NonBlank, digest_of
from confute.victim_plan import Calibration, Segmentation, SegmentationUnit, Threshold, Victim
from confute.yaml_mistakes import explained, repeated_key

__all__ = [
    "AttackContract",
    "AttackTree",
    "Attacker",
    "Budgets",
    "Calibration",
    "Evaluation",
    "FrozenAttacker",
    "GoalChoice",
    "Objective",
    "OracleChoice",
    "Purpose",
    "RunBudgets",
    "Segmentation",
    "SegmentationUnit",
    "StrategyName",
    "Suite",
    "Threshold",
    "ValidityConstraints",
    "Victim",
    "Writes",
    "load",
    "parse",
    "schema",
]

_MINIMAL_TOKENS = 2
_HARD_CAP_SHARE = 0.15
_MAX_CONTRACT_BYTES = 1_000_000


class GoalChoice(StrEnum):
    """The wrong decisions that a contract asks for."""

    FALSE_ACCEPTANCE = "false_acceptance"
    FALSE_REJECTION = "false_rejection"
    BOTH = "both"

    @property
    def goals(self) -> tuple[AttackGoal, ...]:
        """The goals that the choice stands for."""
        return tuple(AttackGoal) if self is GoalChoice.BOTH else (AttackGoal(self.value),)


class OracleChoice(StrEnum):
    """Who decides what counts: a closure over typed facts, or guards over free text."""

    FACTS = "facts"
    GUARDED_TEXT = "guarded_text"


class Objective(Part):
    """The failure that the attack looks for, and the oracle that decides whether it was found.

    `judge` is a model that is asked, in the narrow questions of the family `support`, what the guards over free text
    leave open; without one that stays unknown.
    """

    target_failure: NonBlank = "ungrounded_claim_accepted"
    attack_goal: Annotated[GoalChoice, Field(strict=False)] = GoalChoice.BOTH
    oracle: Annotated[OracleChoice, Field(strict=False)]
    judge: ModelSpec | None = None

    @model_validator(mode="after")
    def _judge_has_work(self) -> Self:
        if self.judge is not None and self.oracle is not OracleChoice.GUARDED_TEXT:
            raise ValueError("a judge is for the oracle guarded_text: the oracle facts leaves nothing to it")
        return self

    @model_serializer(mode="wrap")
    def _declared(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_none(whole(self), "judge")


class ValidityConstraints(Part):
    """The free checks that a candidate passes before the oracle is asked.

    A candidate whose edits change content may change at most max(max_edited_tokens, floor(max_edited_share * tokens))
    tokens of the claim that it starts from; None leaves the share alone to decide. A paraphrase keeps the label and is
    not bounded in size.
    """

    max_edited_tokens: int | None = Field(default=_MINIMAL_TOKENS, ge=1)
    max_edited_share: float = Field(default=_HARD_CAP_SHARE, gt=0, le=1)
    max_edited_chars: int | None = Field(default=None, ge=1)
    max_edits: int = Field(default=3, ge=1)


class Suite(StrEnum):
    """What the cases are for: tuning, generalisation, or known failures."""

    DEVELOPMENT = "development"
    HELD_OUT = "held_out"
    REGRESSION = "regression"


class Purpose(StrEnum):
    """Why the attack is made."""

    SECURITY_THREAT = "security_threat"
    STRESS_TEST = "stress_test"
    SCIENTIFIC_FALSIFICATION = "scientific_falsification"


class Evaluation(Part):
    """What is frozen, on which suite, from which seed, and to what end."""

    frozen_threshold: bool = True
    frozen_attacker: bool = True
    suite: Annotated[Suite, Field(strict=False)] = Suite.DEVELOPMENT
    seed: int = Field(default=0, ge=0, lt=2**63)
    max_cases: int | None = Field(default=None, ge=1)
    purpose: Annotated[Purpose, Field(strict=False)] = Purpose.STRESS_TEST

    @model_validator(mode="after")
    def _held_out_is_frozen(self) -> Self:
        if self.suite is Suite.HELD_OUT and not (self.frozen_threshold and self.frozen_attacker):
            raise ValueError("a held_out suite needs frozen_threshold and frozen_attacker")
        return self


class AttackContract(Part):
    """Everything that an attack or a curve is answerable to; its digest stands in every row of the ledger.

    A contract with a `curve` and without an `attacker` declares a curve alone. `authorized` states that the owner of a
    remote victim allows the attack.
    """

    contract: Annotated[int, Field(ge=1, le=1)] = 1
    victim: Victim
    objective: Objective
    attacker: Attacker = Attacker()
    validity_constraints: ValidityConstraints = ValidityConstraints()
    evaluation: Evaluation = Evaluation()
    curve: CurvePlan | None = None
    authorized: bool = False

    @model_validator(mode="after")
    def _no_section_is_idle(self) -> Self:
        if not self.attacks and "validity_constraints" in self.model_fields_set:
            raise ValueError("validity_constraints bound an attacker's edits: add an attacker, or leave them out")
        return self

    @model_validator(mode="after")
    def _detectors_have_no_probes(self) -> Self:
        if any(mechanism.frames_a_probe for mechanism in self.attacker.capabilities):
            raise ValueError(
                "capabilities that frame a probe belong to a contract whose victim is a persona: "
                "victim: {persona: FILE}"
            )
        return self

    @model_serializer(mode="wrap")
    def _declared(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        idle: tuple[str, ...] = (
            ("curve",) if self.curve is None else () if self.attacks else ("attacker", "validity_constraints")
        )
        idle += () if self.authorized else ("authorized",)
        return {name: value for name, value in whole(self).items() if name not in idle}

    @model_validator(mode="after")
    def _held_out_attacker_is_frozen(self) -> Self:
        adapts = self.attacker.learns_across_cases and self.attacker.frozen is None
        if self.attacks and adapts and self.evaluation.suite is Suite.HELD_OUT:
            raise ValueError(
                f"the strategy '{self.attacker.strategy}' learns across cases: on a held_out suite name the frozen "
                "attacker of a development run, as attacker.frozen: {file: RUN/attacker.json, fingerprint: ...}"
                + (", or give it no memory by attacker.tree.lessons: 0" if self.attacker.model is not None else "")
            )
        return self

    @property
    def attacks(self) -> bool:
        """Whether the contract declares an attack: it names an attacker, or no curve."""
        return self.curve is None or "attacker" in self.model_fields_set

    @property
    def digest(self) -> str:
        """SHA-256 of the contract's canonical JSON, in hex; defaults written out count as defaults left out."""
        return digest_of(self.model_dump(mode="json"))


def load(path: Path) -> AttackContract:
    """Read a contract from a YAML or JSON file.

    Raises ContractError with the line, the field and what is allowed there.
    """
    try:
        if path.stat().st_size > _MAX_CONTRACT_BYTES:
            raise ContractError(f"{path}: larger than {_MAX_CONTRACT_BYTES} bytes")
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ContractError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ContractError(f"{path}: not UTF-8: {error}") from error
    return parse(source, name=str(path))


def parse(source: str, *, name: str = "contract") -> AttackContract:
    """Read a contract from YAML text (JSON is YAML); `name` stands in the messages.

    Raises ContractError with the line, the field and what is allowed there.
    """
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        value = yaml.safe_load(source)
        repeated = repeated_key(node)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ContractError(f"{name}: not YAML or JSON: {error}") from error
    if repeated is not None:
        line = repeated.start_mark.line + 1
        raise ContractError("stands twice", field=f"{name}:{line}: {repeated.value}", allowed="each field once")
    if not isinstance(value, dict):
        raise ContractError(f"{name}: a contract is a mapping", got=value, hint="see `confute contract schema`")
    try:
        return AttackContract.model_validate(value)
    except ValidationError as error:
        raise ContractError(explained(error, node, name, AttackContract)) from error


def schema() -> str:
    """Return the contract's JSON Schema as text."""
    return json.dumps(AttackContract.model_json_schema(), indent=2, ensure_ascii=False)
