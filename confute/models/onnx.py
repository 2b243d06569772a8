"""The embedded default: all-MiniLM-L6-v2 through ONNX Runtime, without PyTorch."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from confute.errors import ModelError
from confute.models import minilm_graph, weights
from confute.models.embedder import Vectors
from confute.models.surrogates import well_formed
from confute.records import digest_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

MAX_WORD_PIECES = 256
_TOKENS_PER_BATCH = 1024


class OnnxEmbedder:
    """Mean-pooled, normalised vectors of all-MiniLM-L6-v2, computed in float32 on the CPU.

    Texts of one length in word pieces are computed together, so that no text is ever padded: a vector has the same
    bits whatever stands beside its text. Of a longer text, the first 256 word pieces count, as in the original.
    """

    def __init__(self, folder: Path) -> None:
        """Load the model from the folder of its published files; raises ModelError where they are not those."""
        weights.check(folder)
        self._session = _session(folder)
        self._tokenizer = _tokenizer(folder)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the weights, the tokenizer, the settings and the runtime.

        Another release of the runtime gives other bits, so that a cache must not take one's vectors for the other's.
        """
        parts = {"files": weights.SHA256, "max_word_pieces": MAX_WORD_PIECES, "pooling": "mean, unit length"}
        return digest_of(parts | {"onnxruntime": version("onnxruntime"), "tokenizers": version("tokenizers")})

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, 384), float32, rows of unit length."""
        vectors = np.empty((len(texts), minilm_graph.DIMENSION), np.float32)
        ids = [encoding.ids for encoding in self._encode(texts)]
        for rows in _batches([len(one) for one in ids]):
            (hidden,) = self._session.run(None, {"ids": np.array([ids[row] for row in rows], np.int64)})
            vectors[rows] = _pooled(hidden)
        return vectors

    def truncated(self, texts: Sequence[str]) -> int:
        """Return how many of the texts are longer than 256 word pieces."""
        return sum(bool(encoding.overflowing) for encoding in self._encode(texts))

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        # One by one: encode_batch starts a thread pool, which warns on every later fork; tokenising is 1% of the work.
        return [self._tokenizer.encode(well_formed(text)) for text in texts]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the rows of equal length together, in runs of a bounded number of tokens."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for row, length in enumerate(lengths):
        by_length[length].append(row)
    for length, rows in sorted(by_length.items()):
        size = max(1, _TOKENS_PER_BATCH // length)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def _pooled(hidden: Vectors) -> Vectors:
    # In numpy, as ONNX Runtime sums a batch of one in another order than a larger one.
    means = hidden.mean(axis=1)
    unit: Vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
    return unit


def _tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / weights.TOKENIZER))
    tokenizer.enable_truncation(MAX_WORD_PIECES)
    tokenizer.no_padding()
    return tokenizer


def _session(folder: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _available_cores()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder.resolve()))
    try:
        graph = minilm_graph.serialised(folder / weights.WEIGHTS)
    except ImportError as error:
        raise ModelError("the package 'onnx' is absent", hint="pip install 'confute[minilm]'") from error
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
