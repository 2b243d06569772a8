"""The rows on claims, in the order of their numbers."""

from __future__ import annotations

from itertools import chain

from confute.oracles.relations.claims_manner import MANNER_RELATIONS
from confute.oracles.relations.claims_names import NAME_RELATIONS
from confute.oracles.relations.claims_roles import ROLE_RELATIONS
from confute.oracles.relations.claims_surface import SURFACE_RELATIONS
from confute.oracles.relations.claims_values import VALUE_RELATIONS
from confute.oracles.relations.relation import Relation

_PARTS = (ROLE_RELATIONS, NAME_RELATIONS, MANNER_RELATIONS, VALUE_RELATIONS, SURFACE_RELATIONS)
CLAIMS: tuple[Relation, ...] = tuple(sorted(chain(*_PARTS), key=lambda one: int(one.relation_id.removeprefix("C"))))
