"""The oracle over relations: it recomputes both labels of an instance from its texts, and refuses what is wrong."""

from __future__ import annotations

import re
from functools import lru_cache

from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.relations import truth
from confute.oracles.relations.normal import Normaliser
from confute.oracles.relations.reading import Reader
from confute.oracles.relations.relation import Expected, Instance, Said, Situation
from confute.oracles.relations.statement import Statement
from confute.records import Label, NonBlank, Record
from confute.text import fold

_TEXTS = 4096
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])")
_SAME_LABEL = frozenset({Expected.INVARIANT, Expected.NOT_BELOW})


class Skip(Record):
    """Why an instance is not emitted; it is counted and never passes."""

    reason: NonBlank


class RelationOracle:
    """Rules on instances by reading their claims and closing what their passages say."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._parsed = lru_cache(maxsize=_TEXTS)(Reader(lexicon).read)
        self._normaliser = Normaliser(lexicon)

    def checked(self, instance: Instance) -> Instance | Skip:
        """Return the instance where both its labels, recomputed from its texts, are as its relation declares.

        Otherwise a Skip. Reasons: `no_op`, `claim_not_read`, `passage_says_more` and `passage_says_less` (than what it
        is said to say), `contradictory_evidence`, `label_before_not_supported`, `label_changed`, `label_not_changed`
        (the claim still follows), `label_not_as_declared`, `contradiction_elsewhere` (what is added does not by itself
        refute the claim, or the rest does not support it), and `within_tolerance` (a value within 3 % of the true one).
        Raises OracleError where a passage is said to say of an unknown relation, or what only claims may say.
        """
        reason = self._fault(instance)
        return instance if reason is None else Skip(reason=reason)

    def label(self, situation: Situation) -> Label | None:
        """Return the label of a situation's claim, or None where the claim cannot be read."""
        claim = self.read(situation.claim)
        return None if claim is None else truth.label(claim, _told(situation), self.lexicon)

    def read(self, text: str) -> Statement | None:
        """Return what a claim says once changes of its surface are undone, or else as it stands; None for nothing."""
        said = self._parsed(self._normaliser.restored(text))
        return self._parsed(text) if said is None else said

    def _fault(self, instance: Instance) -> str | None:
        if instance.before == instance.after:
            return "no_op"
        for situation in (instance.before, instance.after):
            reasons = (self._misreport(passage, situation.claim) for passage in situation.passages)
            if (reason := next((one for one in reasons if one is not None), None)) is not None:
                return reason
        before, after = self.label(instance.before), self.label(instance.after)
        if before is None or after is None:
            return "claim_not_read"
        broken = self._broken_promise(instance, before, after)
        if broken is None and instance.label is Label.NEI and not self._is_contradicted(instance):
            return "contradiction_elsewhere"
        return broken

    def _broken_promise(self, instance: Instance, before: Label, after: Label) -> str | None:
        """Return how the recomputed labels differ from what the relation declares.

        Evidence that contradicts itself is refused unless the relation declares just that.
        """
        if before is Label.NEI or (after is Label.NEI and instance.label is not Label.NEI):
            return "contradictory_evidence"
        if instance.expected in _SAME_LABEL and before is not after:
            return "label_changed"
        if instance.expected is Expected.RISES:
            if before is not Label.SUPPORTED:
                return "label_before_not_supported"
            if after is Label.SUPPORTED:
                return "label_not_changed"
            claim = self.read(instance.after.claim)
            if claim is not None and truth.has_near(claim, _told(instance.after), self.lexicon):
                return "within_tolerance"
        return None if after is instance.label else "label_not_as_declared"

    def _is_contradicted(self, instance: Instance) -> bool:
        """Tell whether the added passages alone refute the claim, and those that were there before support it."""
        before, after = instance.before.passages, instance.after
        added = tuple(one for one in after.passages if one not in before)
        kept = tuple(one for one in after.passages if one in before)
        alone, without = (self.label(after.model_copy(update={"passages": some})) for some in (added, kept))
        return alone is Label.REFUTED and without is Label.SUPPORTED

    def _misreport(self, passage: Said, claim: str) -> str | None:
        """Return how a passage's text differs from what it is said to say; the claim itself as a passage says nothing.

        A sentence that cannot be read is taken to say at most one of the declared statements.
        """
        if not passage.says and fold(passage.text) == fold(claim):
            return None
        read = [self._parsed(sentence) for sentence in _SENTENCE_END.split(passage.text)]
        if any(said is not None and said not in passage.says for said in read):
            return "passage_says_more"
        return "passage_says_less" if len(set(passage.says) - set(read)) > read.count(None) else None


def _told(situation: Situation) -> tuple[Statement, ...]:
    return tuple(said for passage in situation.passages for said in passage.says)
