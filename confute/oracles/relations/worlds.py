"""The documents that relations are tried on: the built-in set, and small worlds that it has no place for."""

from __future__ import annotations

from collections.abc import Iterator

from confute.contract import Suite
from confute.oracles.facts.builtin import documents
from confute.oracles.facts.oracle import FactsOracle
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.relation import Scene


def relation_facts(seed: int, suite: Suite) -> FactsOracle:
    """Return the oracle over the documents of a seed and suite: those of the built-in set, and the small worlds."""
    lexicon = relations_lexicon()
    return FactsOracle(documents(seed, suite, lexicon), lexicon)


def scenes(facts: FactsOracle) -> Iterator[Scene]:
    """Yield the cases of an oracle over documents as scenes, each with all other documents beside it."""
    by_id = {document.document_id: document for document in facts.documents}
    for case in facts.cases:
        others = tuple(document for document in facts.documents if document.document_id != case.group)
        yield Scene(by_id[case.group], case.claim, case.label, facts.lexicon, others)
