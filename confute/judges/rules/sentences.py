"""A reply as rules read it: folded sentences and clauses, in which what is quoted is told apart from what is said."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from confute.judges.fence import without_unseen

MAX_CHARACTERS = 20_000
QUOTED = "¤"
_SPACE = re.compile(r"[^\S\n]+")
_MARKS = str.maketrans({**dict.fromkeys("‘’‚‛´′ʼ‹›", "'"), **dict.fromkeys("“”„‟″«»「」『』", '"')})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒−", "-"))
# A quotation ends within 600 characters. A single quote opens after no letter and closes before none: no apostrophe.
_QUOTATION = re.compile(
    r'"[^"\n]{1,600}"|```.{1,600}?```|`[^`\n]{1,600}`|(?<!\w)\'(?=\S)[^\n]{1,300}?(?<=\S)\'(?!\w)', re.DOTALL
)
_ENDS = re.compile(r"(?<=[。！？])|\n+")
_LISTED = re.compile(r"^\s*(?:(?:\d{1,2}|[A-Ha-h])[.):]|[-*•])\s*$")
_INLINE_ITEM = re.compile(r"(?<=\S)\s+(?=(?:\d{1,2}[.)]|[a-h]\))\s+\w)")
_CLAUSE = re.compile(
    r"\s*(?:[;:]|\s[–—-]\s|—|,\s*(?=(?:and|but|so|yet|nor|while|though|although|since|because|which|as|not|nicht|non|pas|não)\b)"
    r"|,?\s+(?=(?:but|although|though|while|whereas|aber|sondern|ma|mais|pero|mas|sino)\b))\s*"
)


class Sentence(NamedTuple):
    """One sentence as it stands, and folded with its quotations blanked out."""

    text: str
    said: str

    @property
    def is_question(self) -> bool:
        """Whether it asks."""
        return self.text.rstrip(" \"')").endswith(("?", "？"))

    @property
    def clauses(self) -> tuple[str, ...]:
        """What is said, cut where the scope of a negation ends."""
        return tuple(clause for clause in (part.strip(" ,.!?") for part in _CLAUSE.split(self.said)) if clause)


class Reply(NamedTuple):
    """The sentences of a reply, and whether its end was cut off."""

    sentences: tuple[Sentence, ...]
    cut: bool

    @property
    def said(self) -> str:
        """All that is said outside quotations, one sentence a line."""
        return "\n".join(sentence.said for sentence in self.sentences)


def normal(text: str) -> str:
    """Return a text without unseen characters, in NFKC, with plain quotes and hyphens, its lines kept."""
    seen = unicodedata.normalize("NFKC", without_unseen(text)).translate(_MARKS).translate(_DASHES)
    return _SPACE.sub(" ", seen)


def folded(text: str) -> str:
    """Return a normal text in one case, without the dot that folding leaves on a Turkish i."""
    return normal(text).casefold().replace("i\u0307", "i").strip()


@lru_cache(maxsize=256)
def read(text: str) -> Reply:
    """Return the sentences of a text; beyond 20,000 characters it is cut, and says so."""
    whole = normal(text)
    kept = whole[:MAX_CHARACTERS]
    blanked = _QUOTATION.sub(_blank, kept)
    found = []
    for start, end in _spans(blanked):
        said = re.sub(f"{QUOTED}+", QUOTED, blanked[start:end]).casefold().replace("i\u0307", "i").strip()
        found.append(Sentence(kept[start:end].strip(), said))
    return Reply(tuple(one for one in found if re.search(r"[\w¤]", one.said)), cut=len(whole) > MAX_CHARACTERS)


def _blank(match: re.Match[str]) -> str:
    """A quotation as so many placeholders; one that ends a sentence keeps the sign that ends it."""
    length = len(match.group())
    inner = match.group().rstrip("\"'`")
    return QUOTED * (length - 1) + (inner[-1] if inner[-1:] in {".", "!", "?"} else QUOTED)


def _spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    cuts = sorted({match.end() for one in (_ENDS, _INLINE_ITEM) for match in one.finditer(text)} | {len(text)})
    for cut in cuts:
        spans += _joined(text, start, cut)
        start = cut
    return spans


def _joined(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of one block; the number of a list item stays with its item."""
    import nupunkt

    block = text[start:end]
    if not block.strip():
        return []
    spans: list[tuple[int, int]] = []
    for left, right in nupunkt.sent_spans(block):
        if spans and _LISTED.match(text[spans[-1][0] : spans[-1][1]]):
            spans[-1] = (spans[-1][0], start + right)
        else:
            spans.append((start + left, start + right))
    return spans
