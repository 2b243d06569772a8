"""Whether a judge's quote stands in the text that it judged."""

from __future__ import annotations

import re

from confute.judges.fence import without_unseen
from confute.text import fold

_MIN_WEIGHT = 8
_MARKS = str.maketrans({**dict.fromkeys("‘’‚‛`´′ʼ‹›", "'"), **dict.fromkeys("“”„‟″«»「」『』", '"')})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
_EDGES = " \t\n\"'.,;:!?…*_"
# Scripts that write no space between words, and say in one sign about what others say in several letters.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WORD = re.compile(r"\w")


def quoted(quote: str, texts: tuple[str, ...]) -> bool:
    """Tell whether a quote stands in one of the texts, as whole words.

    Both are compared after NFKC, case, white-space, quote-mark and dash folding, without unseen characters. A quote of
    fewer than eight letters or digits proves nothing, unless it is a whole text; a sign of a script that writes no
    spaces counts as two.
    """
    wanted = _folded(quote).strip(_EDGES)
    if not wanted:
        return False
    for text in texts:
        folded = _folded(text)
        if wanted == folded.strip(_EDGES) or (_weight(wanted) >= _MIN_WEIGHT and _stands_in(wanted, folded)):
            return True
    return False


def _folded(text: str) -> str:
    return fold(without_unseen(text).translate(_MARKS)).translate(_MARKS).translate(_DASHES)


def _weight(text: str) -> int:
    return sum(2 if _UNSPACED.match(character) else 1 for character in text if _WORD.match(character))


def _stands_in(wanted: str, text: str) -> bool:
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_joined(text[start - 1 : start], wanted[0]) or _joined(wanted[-1], text[end : end + 1])):
            return True
        start = text.find(wanted, start + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    return bool(_WORD.match(left) and _WORD.match(right) and not (_UNSPACED.match(left) or _UNSPACED.match(right)))
