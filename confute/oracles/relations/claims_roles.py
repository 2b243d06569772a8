"""Relations of who does what to whom: swaps, voices, converses, causes and other wordings."""

from __future__ import annotations

import re

from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.relation import Property
from confute.oracles.facts.relation import Relation as Declared
from confute.oracles.relations.claim_edits import (
    keeping,
    raising,
)
from confute.oracles.relations.relation import Relation, Scene
from confute.records import Label

_SWAPS = ("subject+object", "relation")
_PASSIVE = re.compile(r"<(?:was|were|is|are) [^>]*>.*\bby (?:the )?\{(?P<agent>subject|object)\}")
_BE = re.compile(r"<(?:was|were|is|are)\b")


def _swapped_roles(scene: Scene, before: Reading, after: Reading) -> Label | None:
    relation = _declared(before, scene.lexicon)
    is_role = relation.is_asymmetric and not _is_causal(relation) and not _is_temporal(relation)
    return Label.REFUTED if is_role and after.fact == before.fact.swapped else None


def _swapped_causes(scene: Scene, before: Reading, after: Reading) -> Label | None:
    is_cause = _is_causal(_declared(before, scene.lexicon))
    return Label.REFUTED if is_cause and after.fact == before.fact.swapped else None


def _swapped_equals(scene: Scene, before: Reading, after: Reading) -> bool:
    return _declared(before, scene.lexicon).is_symmetric and after.fact == before.fact.swapped


def _changed_voice(scene: Scene, before: Reading, after: Reading) -> bool:
    one, other = _notation(before, scene.lexicon), _notation(after, scene.lexicon)
    return after.fact == before.fact and (_are_voices(one, other) or _are_voices(other, one))


def _converse_verb(scene: Scene, before: Reading, after: Reading) -> bool:
    one, other = _notation(before, scene.lexicon), _notation(after, scene.lexicon)
    names = {before.sentence.template.name, after.sentence.template.name}
    is_converse = "converse" in names and _order(one) != _order(other)
    return after.fact == before.fact and is_converse and not _PASSIVE.search(one) and not _PASSIVE.search(other)


def _sibling(scene: Scene, before: Reading, after: Reading) -> bool:
    one, other = _notation(before, scene.lexicon), _notation(after, scene.lexicon)
    is_same_view = _order(one) == _order(other) and bool(_PASSIVE.search(one)) == bool(_PASSIVE.search(other))
    return after.fact == before.fact and one != other and is_same_view


def _declared(reading: Reading, lexicon: Lexicon) -> Declared:
    return lexicon.relations[reading.fact.relation]


def _notation(reading: Reading, lexicon: Lexicon) -> str:
    return lexicon.relations[reading.fact.relation].templates[reading.sentence.template.name]


def _is_causal(relation: Declared) -> bool:
    return Property.CAUSAL in relation.properties


def _is_temporal(relation: Declared) -> bool:
    return relation.order is not None and relation.order.argument == "date"


def _order(notation: str) -> list[str]:
    """Return the names' slots as they follow each other."""
    return re.findall(r"\{(subject|object)\}", notation)


def _are_voices(active: str, passive: str) -> bool:
    """Tell whether the passive's agent is what the active begins with, and the active's verb is no form of "be"."""
    match = _PASSIVE.search(passive)
    return match is not None and _BE.search(active) is None and _order(active)[0] == match["agent"]


ROLE_RELATIONS: tuple[Relation, ...] = (
    Relation(
        "C1",
        "swap subject and object",
        "a supported plain claim between two of a kind, of an asymmetric relation; not of causes and orders in time",
        raising(_SWAPS, _swapped_roles),
    ),
    Relation(
        "C2",
        "swap in a symmetric relation",
        "a claim of a relation declared symmetric",
        keeping("subject+object", _swapped_equals),
    ),
    Relation(
        "C3",
        "active and passive",
        "a claim whose relation has a passive that names the agent after 'by', and an active that begins with it",
        keeping("relation", _changed_voice),
    ),
    Relation(
        "C4",
        "converse verb",
        "a claim whose relation has a converse wording with the two names exchanged, neither of the two passive",
        keeping("relation", _converse_verb),
    ),
    Relation(
        "C24",
        "cause and effect",
        "a supported plain claim of a causal relation between two of a kind",
        raising(_SWAPS, _swapped_causes),
    ),
    Relation(
        "C40",
        "template sibling paraphrase",
        "a claim whose relation has another wording of the same voice and order of names",
        keeping("relation", _sibling),
    ),
)
