"""Texts that whatever reads other people's text must bear."""

from __future__ import annotations

HOSTILE = {
    "NUL": "a\x00b",
    "lone surrogate": "a\ud800b",
    "control characters": "\x01\x1b[31mred\x1b[0m\x7f\x85",
    "right to left": "abc \u202ecba\u202c \u05d0\u05d1",
    "combining marks": "e" + "\u0301" * 500,
    "emoji sequence": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1ee\U0001f1f9",
    "markup": "<script>alert(1)</script> {{ 7 * 7 }} {% raw %} %s %d {0} ${HOME}",
    "huge number": "9" * 5_000,
    "odd number": "1e999 -\u2212--5 %\u00a0\u066b\u0663 NaN inf 0/0",
    "unseen characters": "\u200b\u2060\ufeff\u00ad",
    "quotes": "\"'`\\\u201c\u201d\u2018\u2019",
    "one long word": "x" * 100_000,
    "many words": "word " * 20_000,
    "many lines": "\r\n\t" * 2_000 + "end",
}
"""By name: what is odd about them stands in the name."""
