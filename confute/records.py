"""The values that pass between the parts: frozen, strict, and free of behaviour."""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, model_validator


class Record(BaseModel):
    """A frozen value whose fields are all declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def digest_of(value: Any) -> str:
    """Return the SHA-256, in hex, of a JSON value written canonically (sorted keys, no spaces)."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    return value


NonBlank = Annotated[str, AfterValidator(_not_blank)]


class Label(StrEnum):
    """What the evidence says of a claim."""

    SUPPORTED = "SUPPORTED"
    UNSUPPORTED = "UNSUPPORTED"
    REFUTED = "REFUTED"
    NEI = "NEI"


class Decision(StrEnum):
    """What a victim does with a claim: ACCEPT iff risk <= threshold."""

    ACCEPT = "ACCEPT"
    REJECT = "REJECT"


class AttackGoal(StrEnum):
    """The wrong decision that an attack looks for."""

    FALSE_ACCEPTANCE = "false_acceptance"
    FALSE_REJECTION = "false_rejection"


class Knowledge(StrEnum):
    """How much of the victim an agent may see, in rising order."""

    DECISION = "decision"
    SCORE = "score"
    ALGORITHM = "algorithm"
    WHITE_BOX = "white_box"

    def includes(self, other: Knowledge) -> bool:
        """Tell whether this level may see what `other` may see."""
        order = list(Knowledge)
        return order.index(self) >= order.index(other)


class Mechanism(StrEnum):
    """What an edit does: six change a claim's content, a paraphrase keeps it, and those after it change the evidence.

    Passages of other sources: an inflation is added to lower the risk of a claim that is not supported, a rotation
    turns the evidence away from a supported one, a distractor is added though it is about much the same as a supported
    one, and a nearest wrong passage stands in place of one of the case's own. A support deletion takes away the only
    support, a duplication adds a copy. An echo is the claim added to its own evidence, a probe of provenance.

    The last eight frame what a persona is asked, and leave the question as it is.
    """

    ROLE_SWAP = "role_swap"
    POLARITY = "polarity"
    QUANTITY = "quantity"
    TEMPORAL = "temporal"
    CAUSAL = "causal"
    BINDING = "binding"
    PARAPHRASE = "paraphrase"
    INFLATION = "inflation"
    ROTATION = "rotation"
    SUPPORT_DELETION = "support_deletion"
    DUPLICATION = "duplication"
    DISTRACTOR = "distractor"
    NEAREST_WRONG = "nearest_wrong"
    ECHO = "echo"
    POLITENESS = "politeness"
    HISTORY = "history"
    LANGUAGE_SWITCH = "language_switch"
    ROLE = "role"
    PERMISSION = "permission"
    AUTHORITY = "authority"
    FALSE_PRESUPPOSITION = "false_presupposition"
    INVENTED_ENTITY = "invented_entity"

    @property
    def changes_evidence(self) -> bool:
        """Whether the edits of the mechanism leave the claim as it is."""
        return self in _OF_EVIDENCE

    @property
    def frames_a_probe(self) -> bool:
        """Whether the edits of the mechanism are made on what a persona is asked."""
        return self in _OF_PROBES


_OF_EVIDENCE = frozenset(
    {
        Mechanism.INFLATION,
        Mechanism.ROTATION,
        Mechanism.SUPPORT_DELETION,
        Mechanism.DUPLICATION,
        Mechanism.DISTRACTOR,
        Mechanism.NEAREST_WRONG,
        Mechanism.ECHO,
    }
)

_OF_PROBES = frozenset(
    {
        Mechanism.POLITENESS,
        Mechanism.HISTORY,
        Mechanism.LANGUAGE_SWITCH,
        Mechanism.ROLE,
        Mechanism.PERMISSION,
        Mechanism.AUTHORITY,
        Mechanism.FALSE_PRESUPPOSITION,
        Mechanism.INVENTED_ENTITY,
    }
)


class Validity(StrEnum):
    """Whether an oracle vouches for a candidate; UNKNOWN is not VALID."""

    VALID = "VALID"
    INVALID = "INVALID"
    UNKNOWN = "UNKNOWN"


class ScoreState(StrEnum):
    """Whether a victim measured a pair."""

    MEASURED = "MEASURED"
    NO_EVIDENCE = "NO_EVIDENCE"
    ERROR = "ERROR"


class Arm(StrEnum):
    """Which question a step of a run answers."""

    BASELINE = "baseline"
    CONTROL = "control"
    SEARCH = "search"
    NO_FEEDBACK = "no_feedback"
    MINIMISE = "minimise"
    CONFIRM = "confirm"
    CANARY = "canary"
    LADDER = "ladder"


class Outcome(StrEnum):
    """What one step showed."""

    SUCCEEDED = "SUCCEEDED"
    RESISTED = "RESISTED"
    INVALID = "INVALID"
    UNKNOWN = "UNKNOWN"
    NO_EVIDENCE = "NO_EVIDENCE"
    ERROR = "ERROR"


class Pair(Record):
    """A claim and the evidence passages that it is scored against."""

    claim: str
    evidence: tuple[str, ...]


class Case(Record):
    """A labelled claim with its evidence; `group` is the source document, by which splits and guards work."""

    case_id: NonBlank
    claim: NonBlank
    evidence: tuple[str, ...]
    label: Label
    domain: str
    source: str
    group: NonBlank
    split: str | None = None

    @property
    def pair(self) -> Pair:
        """The claim and its evidence, as a victim is asked about them."""
        return Pair(claim=self.claim, evidence=self.evidence)


class Replacement(Record):
    """A text to stand in place of the source claim's characters from start to end (half open)."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str


class PassageChange(Record):
    """One change of the source evidence: a passage added, removed or replaced.

    `index` is the place of the source passage that is removed or replaced, None where one is added; `text` is what is
    added or stands in its place, None where one is removed.
    """

    index: int | None = Field(default=None, ge=0)
    text: str | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.index is None and self.text is None:
            raise ValueError("give the index of a passage, the text of one, or both")
        return self


class Edit(Record):
    """One move on a source claim or its evidence: its mechanism, the slot it works on, and what it changes where.

    `expected_label` is the label that the oracle gives to the claim when this edit alone is made.
    """

    mechanism: Mechanism
    slot: str
    replacements: tuple[Replacement, ...]
    passages: tuple[PassageChange, ...] = ()
    expected_label: Label


class Candidate(Record):
    """An edited case as an agent proposes it: the edits made on its source, and the claim and evidence they give."""

    case_id: str
    goal: AttackGoal
    edits: tuple[Edit, ...]
    claim: str
    evidence: tuple[str, ...]

    @property
    def pair(self) -> Pair:
        """The claim and its evidence, as a victim is asked about them."""
        return Pair(claim=self.claim, evidence=self.evidence)


class Ruling(Record):
    """An oracle's word on a candidate: whether it counts, the label recomputed for it, and why."""

    validity: Validity
    label: Label | None
    reason: str
    method: str
    oracle_version: str


class Score(Record):
    """A victim's risk for one pair, higher is riskier; `value` is None unless MEASURED."""

    state: ScoreState
    value: FiniteFloat | None = None
    error_code: str | None = None
    error_message: str | None = None


class Attempt(Record):
    """One step of a run, as the ledger keeps it.

    `step` counts within (case_id, goal, arm); `queries` is what the arm has spent on the victim up to and with this
    step. `ruling` is None for steps that ask no oracle (baselines, probes and canaries), `score` None for steps that
    never reached the victim, `outcome` None where nothing is judged (probes and canaries). `level` is the rung of the
    difficulty ladder, for the arm `ladder` alone.
    """

    contract_digest: str
    case_id: str
    goal: AttackGoal | None
    arm: Arm
    step: int = Field(ge=0)
    repeat: int = Field(default=0, ge=0)
    probe: bool = False
    level: int | None = Field(default=None, ge=0, le=5)
    claim: str
    evidence: tuple[str, ...]
    edits: tuple[Edit, ...]
    ruling: Ruling | None
    score: Score | None
    decision: Decision | None
    outcome: Outcome | None
    queries: int = Field(ge=0)
