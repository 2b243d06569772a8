"""The built-in set: documents over all domains of the lexicon, with claims that follow and claims that do not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.contract import Suite
from confute.oracles.facts.claims import claims
from confute.oracles.facts.document import Document, Passage
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon, builtin_lexicon
from confute.oracles.facts.oracle import FactsOracle
from confute.oracles.facts.parse import Parser
from confute.oracles.facts.render import Sentence, sentence
from confute.oracles.facts.world import World, world

DOCUMENTS_PER_DOMAIN = 8


def builtin(seed: int, suite: Suite) -> FactsOracle:
    """Return the oracle over the built-in set of a seed: at least 400 facts, one document for each small world.

    Suites never share a coined word; one seed and suite always give the same documents.
    """
    lexicon = builtin_lexicon()
    return FactsOracle(documents(seed, suite, lexicon), lexicon)


def documents(seed: int, suite: Suite, lexicon: Lexicon) -> Iterator[Document]:
    """Yield the documents of a seed and suite, all domains alike; no two share a coined word."""
    taken: set[str] = set()
    parser = Parser(lexicon)
    for domain in lexicon.domains.values():
        for number in range(DOCUMENTS_PER_DOMAIN):
            made = world(seed, domain, plot=number, suite=suite, taken=taken)
            taken.update(entity.word.lower() for entity in made.entities)
            random = Random(f"{seed}/document/{suite}/{domain.domain}/{number}")  # noqa: S311  reproducible, no secret
            bare = Document(
                document_id=f"{suite}-{seed}-{domain.domain}-{number}",
                domain=domain.domain,
                entities=made.entities,
                passages=tuple(_passages(made, lexicon, random)),
                claims=(),
            )
            yield bare.model_copy(update={"claims": claims(bare, lexicon, parser, random)})


def _passages(made: World, lexicon: Lexicon, random: Random) -> Iterator[Passage]:
    """Yield passages of one or two sentences, each fact in the first template of its relation."""
    facts = list(made.facts)
    while facts:
        count = random.choice((1, 1, 2))
        said, facts = tuple(facts[:count]), facts[count:]
        yield Passage(text=" ".join(evidence_sentence(fact, lexicon).text for fact in said), facts=said)


def evidence_sentence(fact: Fact, lexicon: Lexicon) -> Sentence:
    """Return a fact as evidence says it: in the first template of its relation, a large value in a scale of its unit.

    Raises ValueError where that template has no place for all that the fact says.
    """
    template = next(iter(lexicon.templates[fact.relation].values()))
    said = sentence(fact, template, lexicon)
    if said is None:
        raise ValueError(f"the first template of {fact.relation} has no place for all that the plots say")
    if fact.value is not None and (scaled := lexicon.units.writings(fact.value).get("scaled/0")) is not None:
        return said._replace(texts=said.texts | {"value": scaled})
    return said
