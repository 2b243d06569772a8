"""A claim with its evidence, parsed, and what stands against any change of its content."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from confute.oracles.text import lexicon
from confute.oracles.text.parsing import Parsed, Token, parse
from confute.oracles.text.quantities import Quantity, numbers, quantities
from confute.records import Case

MAX_CLAIM_CHARS = 5_000
MAX_EVIDENCE_CHARS = 50_000


@dataclass(frozen=True)
class Source:
    """A claim and its evidence, parsed."""

    claim: Parsed
    evidence: tuple[Parsed, ...]

    @cached_property
    def evidence_text(self) -> str:
        """The passages in lower case, one a line."""
        return "\n".join(passage.text.lower() for passage in self.evidence)

    @cached_property
    def evidence_lemmas(self) -> frozenset[str]:
        """The lemmas and the words of the evidence, in lower case."""
        lemmas = (passage.lemmas for passage in self.evidence)
        words = (frozenset(passage.words) for passage in self.evidence)
        return frozenset().union(*lemmas, *words)

    @cached_property
    def evidence_quantities(self) -> tuple[tuple[Quantity, Parsed], ...]:
        """Every quantity of the evidence, with its passage."""
        return tuple((quantity, passage) for passage in self.evidence for quantity in quantities(passage.text))

    @cached_property
    def evidence_numbers(self) -> tuple[Fraction, ...]:
        """Every number of the evidence."""
        return tuple(number for passage in self.evidence for number in numbers(passage.text))

    @cached_property
    def unasserted(self) -> str | None:
        """Why the claim does not assert its content flatly, or None where it does."""
        return _unasserted(self.claim)

    @cached_property
    def negated(self) -> bool:
        """Tell whether the claim holds a negative word."""
        return any(
            token.lemma in lexicon.NEGATIONS or token.text.lower() in lexicon.NEGATIONS for token in self.claim.tokens
        )

    @cached_property
    def scoped(self) -> bool:
        """Tell whether the claim holds a word whose scope a negation would move."""
        return any(word in lexicon.SCOPED for word in self.claim.words)

    def covering(self, start: int, end: int) -> tuple[Token, ...]:
        """Return the claim's tokens that touch a span."""
        return tuple(token for token in self.claim.tokens if token.start < end and start < token.end)


def read(case: Case) -> Source | None:
    """Return a case parsed, or None where it is too long to be read."""
    if len(case.claim) > MAX_CLAIM_CHARS or sum(map(len, case.evidence)) > MAX_EVIDENCE_CHARS:
        return None
    return Source(claim=parse(case.claim), evidence=tuple(parse(passage) for passage in case.evidence))


def _unasserted(claim: Parsed) -> str | None:
    words = set(claim.words)
    lemmas = claim.lemmas | words
    reasons = {
        "question": "?" in words or (bool(claim.words) and claim.words[0] in lexicon.QUESTION_WORDS),
        "conditional": bool(words & lexicon.CONDITIONALS),
        "modal": any(token.text.lower() in lexicon.MODALS and token.tag == "MD" for token in claim.tokens),
        "hedged": bool(lemmas & lexicon.HEDGES),
        "reported_speech": _reported(claim),
        "disjunction": bool(words & lexicon.DISJUNCTIONS),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _reported(claim: Parsed) -> bool:
    reporting = (token for token in claim.tokens if token.lemma in lexicon.REPORTS and token.tag.startswith("V"))
    return "according" in claim.words or any(claim.children(token, "ccomp") for token in reporting)
