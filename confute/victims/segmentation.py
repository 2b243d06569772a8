"""Evidence cut into the passages that a detector sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import nupunkt

from confute import text
from confute.contract import Segmentation, SegmentationUnit

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


@lru_cache(maxsize=4096)
def passages(evidence: tuple[str, ...], segmentation: Segmentation) -> tuple[str, ...]:
    """Return the passages of some evidence in order, without the blank ones.

    `sentence` cuts at sentence ends and blank lines; `passage` takes each item as it stands; `window` takes runs of
    `window_tokens` tokens that begin every `stride_tokens` (by default, end to end) and never cross items; `whole`
    joins all items with line breaks. A text is blank where no character of it can be seen. Sentence ends are those
    of nupunkt (arXiv:2504.04131), which knows abbreviations, decimals and initials of English.
    """
    items = [item.strip() for item in evidence if not text.is_blank(item)]
    match segmentation.unit:
        case SegmentationUnit.PASSAGE:
            cut = items
        case SegmentationUnit.WHOLE:
            cut = ["\n".join(items)] if items else []
        case SegmentationUnit.SENTENCE:
            cut = [sentence for item in items for sentence in _sentences(item)]
        case SegmentationUnit.WINDOW:
            size = segmentation.window_tokens or 1
            stride = segmentation.stride_tokens or size
            cut = [window for item in items for window in _windows(item, size, stride)]
    return tuple(passage for passage in cut if not text.is_blank(passage))


def _sentences(item: str) -> Iterator[str]:
    for block in _BLANK_LINE.split(item):
        yield from nupunkt.sentences(block, paragraph_breaks=False)


def _windows(item: str, size: int, stride: int) -> Iterator[str]:
    normal = unicodedata.normalize("NFC", item)
    spans = text.spans(normal)
    for start in range(0, len(spans), stride):
        window = spans[start : start + size]
        yield normal[window[0].start : window[-1].end]
        if start + size >= len(spans):
            return
