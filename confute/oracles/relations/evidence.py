"""The rows on evidence, in the order of the catalogue; E16 compares two ranks of a victim and has no transform."""

from __future__ import annotations

from confute.oracles.relations.evidence_bijection import E9, E10
from confute.oracles.relations.evidence_foreign import E3, E4, E7, E15, E17, E18
from confute.oracles.relations.evidence_order import E1, E2, E12
from confute.oracles.relations.evidence_support import E5, E6, E14
from confute.oracles.relations.evidence_trust import E8, E11, E13

EVIDENCE = (E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13, E14, E15, E17, E18)
