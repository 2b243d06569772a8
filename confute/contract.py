"""The attack contract: what is attacked, for what, by whom, what counts, and how it is evaluated."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from confute.curve_plan import CurvePlan
from confute.errors import ContractError
from confute.models.chat import ModelSpec
from confute.records import AttackGoal, Knowledge, Mechanism, NonBlank, digest_of
from confute.yaml_mistakes import explained, repeated_key

_MINIMAL_TOKENS = 2
_HARD_CAP_SHARE = 0.15
_MAX_CONTRACT_BYTES = 1_000_000


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SegmentationUnit(StrEnum):
    """How evidence is cut into passages before it is embedded."""

    SENTENCE = "sentence"
    PASSAGE = "passage"
    WINDOW = "window"
    WHOLE = "whole"


class Segmentation(_Part):
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


class Calibration(_Part):
    """How to set the threshold: the highest risk that keeps the target error rate on calibration cases alone.

    `error` names the error whose rate is held at or below `target_rate`; `share` is the part of the source groups
    that is set aside for calibration and never attacked.
    """

    error: Annotated[AttackGoal, Field(strict=False)] = AttackGoal.FALSE_REJECTION
    target_rate: float = Field(default=0.05, gt=0, lt=1)
    share: float = Field(default=0.5, gt=0, lt=1)


class Threshold(_Part):
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


class Victim(_Part):
    """The detector under attack and everything that its fingerprint depends on.

    `detector` is a built-in name (`hallucination_energy`, `nearest_passage`, `word_overlap`, `grounding`) or
    `module:attribute` for a user's own. `embedder` is `minilm` for the embedded default, or a sentence-transformers model name. A victim
    that is not `deterministic` is replayed while a counterexample is shrunk. `timeout_s` bounds one call.
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


class Objective(_Part):
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
        return _without_none(whole(self), "judge")


def _without_none(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    """Leave out fields that hold nothing, so that a contract without them keeps the digest that it had."""
    return {name: value for name, value in fields.items() if name not in names or value is not None}


class StrategyName(StrEnum):
    """The built-in search strategies."""

    RANDOM = "random"
    GREEDY = "greedy"
    BEAM = "beam"
    EVOLUTIONARY = "evolutionary"
    SURROGATE = "surrogate"
    BANDIT = "bandit"
    LLM = "llm"

    @property
    def learns_across_cases(self) -> bool:
        """Whether what a strategy does on a case depends on the cases before it."""
        return self is StrategyName.BANDIT

    @property
    def joins_companions(self) -> bool:
        """Whether a strategy makes edits that keep the label together with its moves."""
        return self in {StrategyName.SURROGATE, StrategyName.BANDIT}


class Budgets(_Part):
    """Upper limits for one search on one case in one direction; None is no limit.

    A limit is never passed by one unit. `wall_clock_s` runs from the start of an arm, and anew when a run is resumed.
    `evidence_additions` and `evidence_removals` bound what one candidate does to the evidence, since each starts from
    the case's own anew; a replaced passage counts as one of each.
    """

    victim_queries: int = Field(default=64, ge=1)
    attacker_calls: int | None = Field(default=None, ge=1)
    attacker_tokens: int | None = Field(default=None, ge=1)
    evidence_additions: int | None = Field(default=None, ge=0)
    evidence_removals: int | None = Field(default=None, ge=0)
    retrieval_attempts: int | None = Field(default=None, ge=0)
    judge_calls: int | None = Field(default=None, ge=0)
    money_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    wall_clock_s: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class RunBudgets(_Part):
    """Upper limits for a whole run, over all of its searches; None is no limit."""

    attacker_calls: int | None = Field(default=None, ge=1)
    attacker_tokens: int | None = Field(default=None, ge=1)
    judge_calls: int | None = Field(default=None, ge=0)
    money_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Writes(StrEnum):
    """What a language model proposes: a choice among the offered moves, a claim in its own words, or both in turn."""

    MOVES = "moves"
    TEXT = "text"
    BOTH = "both"


class AttackTree(_Part):
    """The shape of a tree of attacks (Mehrotra et al. 2023); a width and a branching of 1 give PAIR (Chao et al. 2023).

    Each of the `width` best nodes has `branching` children a round, for at most `depth` rounds. The model is shown the
    last `remembered` attempts of its branch and at most `offered` moves; a reply that cannot be read is asked for again
    at most `retries` times.
    """

    width: int = Field(default=3, ge=1, le=64)
    branching: int = Field(default=2, ge=1, le=16)
    depth: int = Field(default=8, ge=1, le=256)
    remembered: int = Field(default=4, ge=1, le=32)
    offered: int = Field(default=16, ge=1, le=64)
    retries: int = Field(default=2, ge=0, le=8)
    writes: Annotated[Writes, Field(strict=False)] = Writes.BOTH


class FrozenAttacker(_Part):
    """The attacker as a development run left it: the `attacker.json` of its folder, and the fingerprint in it."""

    file: NonBlank
    fingerprint: NonBlank


class Attacker(_Part):
    """Who attacks: the search strategy, what it may see, which mechanisms it may use, and what it may spend.

    By default the claim alone is changed; mechanisms that change the evidence are named one by one, `echo` without
    any other. `model` and `tree` belong to the strategy `llm`: the model that proposes, and how it searches; `total`
    bounds what all searches of a run spend together. A `frozen` attacker is the one that a development run left: it
    learns nothing across cases any more, and a run with another one is refused.
    """

    strategy: Annotated[StrategyName, Field(strict=False)] = StrategyName.GREEDY
    version: NonBlank = "1"
    knowledge: Annotated[Knowledge, Field(strict=False)] = Knowledge.SCORE
    capabilities: Annotated[tuple[Annotated[Mechanism, Field(strict=False)], ...], Field(strict=False)] = tuple(
        mechanism for mechanism in Mechanism if not mechanism.changes_evidence
    )
    budgets: Budgets = Budgets()
    model: ModelSpec | None = None
    tree: AttackTree | None = None
    total: RunBudgets | None = None
    frozen: FrozenAttacker | None = None

    @model_serializer(mode="wrap")
    def _declared(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without_none(whole(self), "model", "tree", "total", "frozen")

    @model_validator(mode="after")
    def _model_proposes(self) -> Self:
        asks = self.strategy is StrategyName.LLM
        if asks is not (self.model is not None):
            raise ValueError("the strategy llm needs a model, and no other strategy takes one")
        if self.tree is not None and not asks:
            raise ValueError("tree is the shape of the strategy llm, and no other strategy takes one")
        limits = (self.budgets.money_usd, None if self.total is None else self.total.money_usd)
        if self.model is not None and limits != (None, None) and not _is_priced(self.model):
            raise ValueError("a limit in money needs the model's prompt_price and completion_price")
        return self

    @model_validator(mode="after")
    def _can_do_something(self) -> Self:
        if not self.capabilities:
            raise ValueError("capabilities must name at least one mechanism")
        if len(set(self.capabilities)) != len(self.capabilities):
            raise ValueError("capabilities must name each mechanism once")
        if Mechanism.ECHO in self.capabilities and len(self.capabilities) > 1:
            raise ValueError(
                "echo is a probe of provenance, not an attack on containment: name it alone, in its own run"
            )
        return self


def _is_priced(model: ModelSpec) -> bool:
    return model.provider == "local" or None not in {model.prompt_price, model.completion_price}


class ValidityConstraints(_Part):
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


class Evaluation(_Part):
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


class AttackContract(_Part):
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

    @model_serializer(mode="wrap")
    def _declared(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        idle = ("curve",) if self.curve is None else () if self.attacks else ("attacker", "validity_constraints")
        idle += () if self.authorized else ("authorized",)
        return {name: value for name, value in whole(self).items() if name not in idle}

    @model_validator(mode="after")
    def _held_out_attacker_is_frozen(self) -> Self:
        adapts = self.attacker.strategy.learns_across_cases and self.attacker.frozen is None
        if self.attacks and adapts and self.evaluation.suite is Suite.HELD_OUT:
            raise ValueError(
                f"the strategy '{self.attacker.strategy}' learns across cases: on a held_out suite name the frozen "
                "attacker of a development run, as attacker.frozen: {file: RUN/attacker.json, fingerprint: ...}"
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
