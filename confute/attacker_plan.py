"""Who attacks and what may be spent, as the section `attacker` of a contract declares it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from confute.models.chat import ModelSpec
from confute.part import Part, without_none
from confute.records import Knowledge, Mechanism, NonBlank


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
        """Whether a strategy by itself does on a case what the cases before it taught."""
        return self is StrategyName.BANDIT

    @property
    def joins_companions(self) -> bool:
        """Whether a strategy makes edits that keep the label together with its moves."""
        return self in {StrategyName.SURROGATE, StrategyName.BANDIT}


class Budgets(Part):
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


class RunBudgets(Part):
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


class Control(StrEnum):
    """Who searches without feedback beside a language model: the same model, or uniform draws, which cost nothing."""

    MODEL = "model"
    RANDOM = "random"


class AttackTree(Part):
    """The shape of a tree of attacks (Mehrotra et al. 2023); a width and a branching of 1 give PAIR (Chao et al. 2023).

    Each of the `width` best nodes has `branching` children a round, for at most `depth` rounds. The model is shown the
    last `remembered` attempts of its branch and at most `offered` moves; a reply that cannot be read is asked for again
    at most `retries` times. It is told at most `lessons` kinds of edits that worked on earlier cases, and as many that
    never did; with 0 it learns nothing across cases. `control` searches beside it without feedback, on a budget of its
    own.
    """

    width: int = Field(default=3, ge=1, le=64)
    branching: int = Field(default=2, ge=1, le=16)
    depth: int = Field(default=8, ge=1, le=256)
    remembered: int = Field(default=4, ge=1, le=32)
    offered: int = Field(default=16, ge=1, le=64)
    retries: int = Field(default=2, ge=0, le=8)
    lessons: int = Field(default=6, ge=0, le=16)
    writes: Annotated[Writes, Field(strict=False)] = Writes.BOTH
    control: Annotated[Control, Field(strict=False)] = Control.MODEL


class FrozenAttacker(Part):
    """The attacker as a development run left it: the `attacker.json` of its folder, and the fingerprint in it."""

    file: NonBlank
    fingerprint: NonBlank


class Attacker(Part):
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
        mechanism for mechanism in Mechanism if not (mechanism.changes_evidence or mechanism.frames_a_probe)
    )
    budgets: Budgets = Budgets()
    model: ModelSpec | None = None
    tree: AttackTree | None = None
    total: RunBudgets | None = None
    frozen: FrozenAttacker | None = None

    @property
    def learns_across_cases(self) -> bool:
        """Whether what it does on a case depends on the cases before it, unless it is frozen."""
        if self.strategy is not StrategyName.LLM:
            return self.strategy.learns_across_cases
        return (self.tree or AttackTree()).lessons > 0

    @property
    def model_controls(self) -> bool:
        """Whether its model is asked by the search without feedback too."""
        return self.strategy is StrategyName.LLM and (self.tree or AttackTree()).control is Control.MODEL

    @model_serializer(mode="wrap")
    def _declared(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_none(whole(self), "model", "tree", "total", "frozen")

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
