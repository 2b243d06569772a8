"""Any sentence-transformers model by name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from confute.errors import ModelError
from confute.models.embedder import Vectors
from confute.models.surrogates import well_formed

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceEmbedder:
    """Unit vectors of a sentence-transformers model, one text in each forward pass.

    A batch would be padded, and the matrix kernels chosen by its size: either makes a vector depend on its neighbours.
    """

    def __init__(self, name: str) -> None:
        """Load a model by its hub name or its folder; raises ModelError where that fails."""
        self._model = _loaded(name)
        self._fingerprint = _fingerprint(self._model)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the weights, the tokenizer and the settings."""
        return self._fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, dimension), float32, rows of unit length."""
        if not texts:
            return np.empty((0, self._model.get_embedding_dimension() or 0), np.float32)
        vectors = self._model.encode(
            [well_formed(text) for text in texts], batch_size=1, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, np.float32)

    def truncated(self, texts: Sequence[str]) -> int:
        """Return how many of the texts are longer than the model reads; 0 for a model without a limit."""
        limit = self._model.max_seq_length
        if limit is None:
            return 0
        return sum(self._length(text) > limit for text in texts)

    def _length(self, text: str) -> int:
        return len(self._model.tokenizer(well_formed(text), truncation=False, verbose=False)["input_ids"])


def _loaded(name: str) -> SentenceTransformer:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ModelError(
            "needs the package 'sentence-transformers'",
            field=name,
            allowed="'minilm', or with that package the name of any sentence-transformers model",
            hint="pip install 'confute[sentence-transformers]'",
        ) from error
    try:
        return SentenceTransformer(name)
    except Exception as error:  # the hub client, the file readers and the model code each raise their own kinds
        raise ModelError(
            f"cannot be loaded as a sentence-transformers model: {type(error).__name__}: {error!s:.300}",
            field=name,
            hint="check the name, or give the folder of a model that is on this machine",
        ) from error


def _fingerprint(model: SentenceTransformer) -> str:
    import torch

    runtime = [version("torch"), version("sentence-transformers")]
    digest = hashlib.sha256(f"{runtime}\n{model}\n{model.max_seq_length}\n{sorted(model.prompts.items())}\n".encode())
    tokenizer = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
    digest.update((tokenizer.to_str() if hasattr(tokenizer, "to_str") else repr(tokenizer)).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
