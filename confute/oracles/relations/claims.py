"""The rows on claims, in the order of their numbers."""

from __future__ import annotations

from itertools import chain

from confute.oracles.relations.claims_manner import MANNER_RELATIONS
from confute.oracles.relations.claims_names import NAME_RELATIONS
from confute.oracles.relations.claims_rich_amounts import AMOUNTS
from confute.oracles.relations.claims_rich_kinds import KINDS
from confute.oracles.relations.claims_rich_lists import LISTS
from confute.oracles.relations.claims_rich_parts import PARTS
from confute.oracles.relations.claims_rich_times import TIMES
from confute.oracles.relations.claims_roles import ROLE_RELATIONS
from confute.oracles.relations.claims_surface import SURFACE_RELATIONS
from confute.oracles.relations.claims_values import VALUE_RELATIONS
from confute.oracles.relations.relation import Relation

_OF_ONE_FACT = (ROLE_RELATIONS, NAME_RELATIONS, MANNER_RELATIONS, VALUE_RELATIONS, SURFACE_RELATIONS)
_OF_MORE = (AMOUNTS, KINDS, LISTS, PARTS, TIMES)
_ALL = chain(*_OF_ONE_FACT, *_OF_MORE)
CLAIMS: tuple[Relation, ...] = tuple(sorted(_ALL, key=lambda one: int(one.relation_id.removeprefix("C"))))
