"""The documents that relations are tried on: the built-in set, and small worlds that it has no place for."""

from __future__ import annotations

from collections.abc import Iterator

from confute.contract import Suite
from confute.oracles.facts.builtin import documents
from confute.oracles.facts.closure import Closure
from confute.oracles.facts.fact import Polarity
from confute.oracles.facts.oracle import FactsOracle
from confute.oracles.relations.claim_edits import parser_of
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.recurrence import undetermined
from confute.oracles.relations.relation import Scene
from confute.records import Case, Label


def relation_facts(seed: int, suite: Suite) -> FactsOracle:
    """Return the oracle over the documents of a seed and suite: those of the built-in set, and the small worlds."""
    lexicon = relations_lexicon()
    return FactsOracle(documents(seed, suite, lexicon), lexicon)


def sure_cases(facts: FactsOracle) -> Iterator[Case]:
    """Yield the cases but those of denied claims that follow only since nothing happens twice.

    "X was not climbed in October 1924" does not follow from a climb in 1922 for a reader: whatever rests on one date or
    value of a fact is left out, unless a passage states the denial.
    """
    closed = {one.document_id: Closure(one.facts, undetermined(facts.lexicon)) for one in facts.documents}
    for case in facts.cases:
        claim = parser_of(facts.lexicon).parse(case.claim)
        is_denied = claim is not None and claim.polarity is Polarity.NEGATIVE and case.label is Label.SUPPORTED
        if claim is None or not is_denied or closed[case.group].label(claim) is Label.SUPPORTED:
            yield case


def scenes(facts: FactsOracle) -> Iterator[Scene]:
    """Yield the cases of an oracle over documents as scenes, each with all other documents beside it."""
    by_id = {document.document_id: document for document in facts.documents}
    for case in sure_cases(facts):
        others = tuple(document for document in facts.documents if document.document_id != case.group)
        yield Scene(by_id[case.group], case.claim, case.label, facts.lexicon, others)
