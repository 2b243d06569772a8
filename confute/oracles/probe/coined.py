"""Names that are coined, so that nothing is known to bear them."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable
from itertools import islice, product

from confute import text

_ONSETS = ("Br", "Dr", "Gl", "Kv", "Pl", "Qu", "Sk", "Tr", "V", "Zh")
_MIDDLES = ("amb", "ebr", "ilv", "ond", "ulk", "yrm", "arq", "ezn")
_PART = re.compile(r"[^\W\d_][^\WA-Z_\d]*")
_ENDINGS = ("adur", "eniv", "islo", "omek", "untar", "yphel")


def coined_names(seed: str, known: Iterable[str], count: int) -> tuple[str, ...]:
    """Return so many different coined names that occur in none of the known texts, in an order drawn by the seed.

    There are 480 of them; fewer come back where the known texts hold the others.
    """
    told = words_of(known)
    names = ["".join(parts) for parts in product(_ONSETS, _MIDDLES, _ENDINGS)]
    random.Random(f"{seed}/coined").shuffle(names)  # noqa: S311  a reproducible draw, not a secret
    return tuple(islice((name for name in names if text.fold(name) not in told), count))


def is_coined(word: str, known: Collection[str]) -> bool:
    """Tell whether a word is one of the coined names, and none of the known words, which `words_of` gives."""
    shapes = ((o, m) for o in _ONSETS for m in _MIDDLES if word.startswith(o + m))
    return text.fold(word) not in known and any(word[len(o + m) :] in _ENDINGS for o, m in shapes)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of texts, folded; of `two_words`, and of `someWords`, each of its parts too."""
    return frozenset(text.fold(part) for one in texts for token in text.tokens(one) for part in _parts(token))


def _parts(token: str) -> tuple[str, ...]:
    return (token, *_PART.findall(token))
