"""Italian words that tell how a sentence is built."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SINGULAR_COPULAS = _words("è era sarà sia fosse sarebbe sembra pare diventa resta rimane viene venne veniva fu risulta")
"""Forms of verbs that join a singular subject and what is said of it."""

PLURAL_COPULAS = _words(
    "sono erano saranno siano fossero sarebbero sembrano paiono diventano restano rimangono vengono furono"
)
"""Forms of verbs that join a plural subject and what is said of it."""

COPULAS = SINGULAR_COPULAS | PLURAL_COPULAS
"""All of them."""

FIRST_PERSON = _words("sono ero sarò sarei fui resto rimango divento")
"""Forms of them in which the speaker tells of itself."""

CLITICS = _words("mi ti si ci vi ne lo la le li gli me te se ce ve non")
"""Words that lean on a verb and stand between it and its subject."""

PREPOSITIONS = _words("di a da in con su per tra fra d' senza sotto sopra dopo verso")
"""Prepositions without an article."""

CLAUSE_OPENERS = _words("e ed ma o oppure se quando perché che poiché mentre però quindi dove come")
"""Words after which a new clause begins."""

TAKE_A_CLAUSE = _words(
    "fatto idea notizia speranza possibilità dubbio motivo modo momento caso giorno volta ora anno detto"
)
"""Nouns after which che opens what they are about, and stands for none of them."""

TIMES = _words(
    "giorno mese anno settimana sera mattina notte ora volta minuto secondo momento giornata estate inverno "
    "lunedì martedì mercoledì giovedì venerdì sabato domenica"
)
"""Nouns that stand after a verb and tell when, as no subject of it."""

ALL = _words("tutto tutta tutti tutte")
"""Words that stand before an article."""

FEELS = _words("sento trovo sono ero sarei ritengo considero")
"""Verbs that do so after mi."""

LINKS = _words("stato stata stati state diventato diventata rimasto rimasta")
"""Participles that take a predicate themselves."""

AFTER_A_FEELING = _words("di d' a ad per che come da")
"""Words that follow an adjective at the head of a sentence."""

NEVER_PRONOUNS = _words("un un' una il")
"""Articles that stand before nothing but a noun or its adjectives."""
