"""The fence: foreign text between marks that it cannot write, with nothing in it that the eye would miss."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from confute.text import fold

_NONCE_LENGTH = 10
# Unseen, and in no text that a reader would miss them in: controls but tab and line feed, formats, surrogates, line and
# paragraph separators, fillers and tags. Joiners between letters beyond ASCII and the emoji selector are left alone,
# since Persian, Indic scripts and emoji are written with them.
_UNSEEN = re.compile(
    "(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])"
    "|([\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff])\\1*"
)
_SHOWN = re.compile("⟨U\\+[0-9A-F]{4,6}(?: ×[0-9]+)?⟩")


class Part(NamedTuple):
    """One text to be fenced, under a title of our own."""

    title: str
    text: str


class Fenced(NamedTuple):
    """What is shown to a judge: the parts between their marks, the nonce in the marks, the titles of parts cut."""

    text: str
    nonce: str
    cut: frozenset[str]


def visible(text: str) -> str:
    """Return a text in which characters that cannot be seen are named, runs of one as `⟨U+200B ×40⟩`.

    Line ends become line feeds. What returns can be encoded as UTF-8.
    """
    return _UNSEEN.sub(_named, _with_line_feeds(text))


def without_unseen(text: str) -> str:
    """Return a text without the characters that cannot be seen, and without the names that `visible` gives them."""
    return _SHOWN.sub("", _UNSEEN.sub("", _with_line_feeds(text)))


def fenced(parts: list[Part], *, seed: int, limit: int) -> Fenced:
    """Return texts between marks that hold a nonce; one longer than `limit` characters keeps its head and its tail.

    The nonce follows from the seed and the texts, and occurs in none of them, in no case and no compatible writing.
    """
    seen = [(title, visible(text)) for title, text in parts]
    nonce = _nonce([text for _, text in seen], seed)
    blocks = [_block(title, text, nonce, limit) for title, text in seen]
    return Fenced("\n\n".join(blocks), nonce, frozenset(title for title, text in seen if len(text) > limit))


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _block(title: str, text: str, nonce: str, limit: int) -> str:
    return f"<<<{title} {nonce}>>>\n{_capped(text, nonce, limit)}\n<<<END {title} {nonce}>>>"


def _capped(text: str, nonce: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = (limit + 1) // 2
    tail = limit - head
    note = f"<<<CUT {nonce}: {len(text) - limit} of {len(text)} characters are left out here>>>"
    return f"{text[:head]}\n{note}\n{text[len(text) - tail :]}"


def _nonce(texts: list[str], seed: int) -> str:
    digest = hashlib.sha256(str(seed).encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode()).digest())
    folded = [fold(text) for text in texts]
    nonce = digest.hexdigest()[:_NONCE_LENGTH]
    while any(nonce in text for text in folded):
        digest.update(b"again")
        nonce = digest.hexdigest()[:_NONCE_LENGTH]
    return nonce


def _named(match: re.Match[str]) -> str:
    run = match.group()
    names = []
    for character in dict.fromkeys(run):
        count = run.count(character)
        names.append(f"⟨U+{ord(character):04X}{f' ×{count}' if count > 1 else ''}⟩")
    return "".join(names)
