"""Whether a framed probe still asks what the probe asks: by construction, by rules, or not known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

from confute import text
from confute.contract import ValidityConstraints
from confute.edits import applied
from confute.oracles.constraints import token_limit
from confute.oracles.probe.coined import is_coined, words_of
from confute.oracles.probe.frames import frames, moves
from confute.oracles.probe.probe import FramedProbe, frame_parts, turns_of
from confute.records import Candidate, Edit, Label, Mechanism, Record, Ruling, Validity, digest_of

_RULES = "probe-oracle-2"
_METHOD = "frames"
FREE_TEXT = "free_text"
"""The reason of an UNKNOWN that judges may settle."""


@lru_cache(maxsize=1)
def oracle_version() -> str:
    """Return the SHA-256, in hex, over the rules and the frames."""
    return digest_of([_RULES, [frame.model_dump(mode="json") for frame in frames()]])


class Limits(Record):
    """The contract's bounds on a candidate: its edits, the tokens that they change, and the turns of its talk."""

    constraints: ValidityConstraints
    max_turns: int


class ProbeOracle:
    """Rules on framed probes: VALID where every edit is a frame that it offers, UNKNOWN for free text around the core.

    A frame asks for nothing and the core stays letter by letter, so that what is right stays right. INVALID: `no_op`,
    `too_many_edits`, `too_many_turns`, `over_budget` (tokens of all turns, against the probe's), `core_missing`,
    `turns_missing`, `turn_between` (one between a probe's own turns, which its last may refer to), `name_is_known`.
    A probe that depends on its wording is UNKNOWN under every edit, and a language switch is where a reply in another
    language might be judged wrongly.
    """

    def __init__(self, probe: FramedProbe, mechanisms: Sequence[Mechanism], limits: Limits, *, seed: int) -> None:
        self._probe = probe
        self._limits = limits
        self._known = words_of(probe.known_texts)
        offered = moves(probe, mechanisms, seed=seed)
        self._frames = {(edit.mechanism, edit.replacements, edit.passages) for edit in offered}
        self._offered = offered

    @cached_property
    def moves(self) -> tuple[Edit, ...]:
        """The edits that alone are VALID, in a fixed order."""
        return tuple(edit for edit in self._offered if self._alone(edit) is Validity.VALID)

    def rule(self, candidate: Candidate) -> Ruling:
        """Return the ruling on a candidate of the probe."""
        reason = self._refusal(candidate)
        if reason is not None:
            return self._ruling(Validity.INVALID, reason)
        if self._probe.depends_on_wording:
            return self._ruling(Validity.UNKNOWN, "depends_on_wording")
        if not all((edit.mechanism, edit.replacements, edit.passages) in self._frames for edit in candidate.edits):
            return self._ruling(Validity.UNKNOWN, FREE_TEXT)
        switches = any(edit.mechanism is Mechanism.LANGUAGE_SWITCH for edit in candidate.edits)
        if switches and self._probe.judges_language:
            return self._ruling(Validity.UNKNOWN, "language_is_judged")
        return self._ruling(Validity.VALID, "frame")

    def _refusal(self, candidate: Candidate) -> str | None:
        turns, source = turns_of(candidate), self._probe.turns
        own = len(source) - 1
        made = applied(self._probe.start, candidate.edits)
        known = any(edit.mechanism is Mechanism.INVENTED_ENTITY and not self._invents(edit) for edit in candidate.edits)
        refused = {
            "edits_do_not_give_turns": made is None or made.pair != candidate.pair,
            "no_op": [*map(text.fold, turns)] == [*map(text.fold, source)],
            "too_many_edits": len(candidate.edits) > self._limits.constraints.max_edits,
            "too_many_turns": len(turns) > self._limits.max_turns,
            "over_budget": self.size(candidate) > token_limit(self._limits.constraints, " ".join(source)),
            "blank_turn": any(text.is_blank(turn) for turn in turns),
            "core_missing": not self._keeps_core(candidate),
            "turns_missing": candidate.evidence[:own] != source[:own],
            "turn_between": own > 0 and len(candidate.evidence) > own,
            "name_is_known": known,
        }
        return next((reason for reason, holds in refused.items() if holds), None)

    def _keeps_core(self, candidate: Candidate) -> bool:
        """Whether the core stands as it was: all is put at its ends, or it is found once in a rewritten turn."""
        ends = {0, len(self._probe.core)}
        replaced = [one for edit in candidate.edits for one in edit.replacements]
        at_its_ends = all(one.start == one.end and one.start in ends for one in replaced)
        return at_its_ends or frame_parts(self._probe, candidate) is not None

    def size(self, candidate: Candidate) -> int:
        """Return how many tokens a candidate's turns differ in from the probe's; an added turn counts whole."""
        own = len(self._probe.turns) - 1
        added = sum(len(text.tokens(turn)) for turn in candidate.evidence[own:])
        return added + text.token_distance(self._probe.core, candidate.claim)

    def _invents(self, edit: Edit) -> bool:
        written = [one.text for one in edit.replacements] + [one.text or "" for one in edit.passages]
        return any(is_coined(token, self._known) for one in written for token in text.tokens(one))

    def _alone(self, edit: Edit) -> Validity:
        candidate = applied(self._probe.start, (edit,))
        return Validity.INVALID if candidate is None else self.rule(candidate).validity

    def _ruling(self, validity: Validity, reason: str) -> Ruling:
        label = Label.UNSUPPORTED if validity is Validity.VALID else None
        return Ruling(validity=validity, label=label, reason=reason, method=_METHOD, oracle_version=oracle_version())
