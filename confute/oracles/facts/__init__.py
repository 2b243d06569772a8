"""Typed facts: their lexicon, sentences and closure, and the oracle over them."""

from confute.oracles.facts.builtin import builtin
from confute.oracles.facts.document import Document, Passage
from confute.oracles.facts.fact import Date, Fact, Modality, Polarity, Quantity
from confute.oracles.facts.lexicon import Lexicon, builtin_lexicon
from confute.oracles.facts.oracle import FactsOracle

__all__ = [
    "Date",
    "Document",
    "Fact",
    "FactsOracle",
    "Lexicon",
    "Modality",
    "Passage",
    "Polarity",
    "Quantity",
    "builtin",
    "builtin_lexicon",
]
