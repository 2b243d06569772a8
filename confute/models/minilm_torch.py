"""The computation of all-MiniLM-L6-v2 in PyTorch, through which gradients flow, from the published files."""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confute.errors import ModelError
from confute.models import weights
from confute.models.embedder import Vectors
from confute.models.surrogates import well_formed
from confute.records import digest_of

if TYPE_CHECKING:
    import torch

_LAYERS, _HEADS, _DIMENSION = 6, 12, 384
_EPSILON = 1e-12
_MAX_WORD_PIECES = 256
_SPECIAL = "["

Array = NDArray[np.float64]


class Flip(NamedTuple):
    """One word piece of a text and another in its place, with the first-order change of the energy."""

    start: int
    end: int
    word: str
    change: float


class TorchMiniLM:
    """The embedder with its word embeddings exposed; vectors equal those of the ONNX embedder but for rounding."""

    def __init__(self, folder: Path) -> None:
        """Load the model from the folder of its published files.

        Raises ModelError where PyTorch is absent or the files are not the published ones.
        """
        try:
            import torch
        except ImportError as error:
            raise ModelError(
                "gradients need the package 'torch'",
                field="knowledge: white_box",
                hint="pip install 'confute[sentence-transformers]'",
            ) from error
        from tokenizers import Tokenizer

        weights.check(folder)
        self._weights = {name: torch.from_numpy(one) for name, one in _tensors(folder / weights.WEIGHTS).items()}
        self._tokenizer = Tokenizer.from_file(str(folder / weights.TOKENIZER))
        self._tokenizer.enable_truncation(_MAX_WORD_PIECES)
        self._tokenizer.no_padding()
        self._words = sorted(
            (place, word)
            for word, place in self._tokenizer.get_vocab().items()
            if word.isascii() and (word.isalpha() or word.isdecimal())
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the weights, the tokenizer and the runtime."""
        import torch

        return digest_of([weights.SHA256, str(torch.__version__)])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, 384), float32, rows of unit length."""
        import torch

        with torch.no_grad():
            rows = [self._vector(self._embedded(self._tokenizer.encode(well_formed(one)).ids)).numpy() for one in texts]
        return np.array(rows, np.float32).reshape(len(texts), _DIMENSION)

    def flips(self, text: str, basis: Array, *, sign: float, per_word: int, words: Collection[str]) -> list[Flip]:
        """Return the exchanges of one word that lower sign * (1 - ||U^T c||^2), to first order, the best first.

        HotFlip (Ebrahimi et al. 2018): the change for word v in place of w is the gradient at w times (e_v - e_w).
        One of the `words`, in lower case, takes the place of a word, and any number that of a number; `basis` holds
        U^T, (directions, 384).
        """
        encoding = self._tokenizer.encode(well_formed(text))
        gradient = self._gradient(encoding.ids, basis)
        table = self._weights["embeddings.word_embeddings.weight"].numpy()
        places = np.array([place for place, _ in self._words])
        digits = np.array([word.isdecimal() for _, word in self._words])
        allowed = np.array([word.isdecimal() or word in words for _, word in self._words])
        found = []
        for row, (token, (start, end)) in enumerate(zip(encoding.tokens, encoding.offsets, strict=True)):
            if not _is_whole_word(text, token, start, end):
                continue
            change = (table[places] - table[encoding.ids[row]]) @ gradient[row]
            change[(digits != token.isdecimal()) | ~allowed] = np.inf * sign
            order = np.argsort(sign * change, kind="stable")[:per_word]
            found += [Flip(start, end, self._words[one][1], float(change[one])) for one in order.tolist()]
        kept = [flip for flip in found if sign * flip.change < 0 and flip.word != text[flip.start : flip.end].lower()]
        return sorted(kept, key=lambda flip: (sign * flip.change, flip.start, flip.word))

    def _gradient(self, ids: Sequence[int], basis: Array) -> NDArray[np.float32]:
        """Return the gradient of 1 - ||U^T c||^2 by the word embedding of each word piece, (pieces, 384)."""
        import torch

        words = self._weights["embeddings.word_embeddings.weight"][list(ids)].clone().requires_grad_()
        vector = self._vector(words + self._places(len(ids)))
        energy = 1.0 - torch.square(torch.from_numpy(basis.astype(np.float32)) @ vector).sum()
        (gradient,) = torch.autograd.grad(energy, words)
        return np.asarray(gradient.numpy(), np.float32)

    def _embedded(self, ids: Sequence[int]) -> torch.Tensor:
        return self._weights["embeddings.word_embeddings.weight"][list(ids)] + self._places(len(ids))

    def _places(self, length: int) -> torch.Tensor:
        positions = self._weights["embeddings.position_embeddings.weight"][:length]
        return positions + self._weights["embeddings.token_type_embeddings.weight"][0]

    def _vector(self, embedded: torch.Tensor) -> torch.Tensor:
        import torch

        hidden = self._norm(embedded, "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        mean = hidden.mean(dim=0)
        unit: torch.Tensor = mean / torch.linalg.vector_norm(mean)
        return unit

    def _layer(self, hidden: torch.Tensor, prefix: str) -> torch.Tensor:
        import torch

        def heads(part: str) -> torch.Tensor:
            projected = self._linear(hidden, f"{prefix}attention.self.{part}")
            return projected.view(len(hidden), _HEADS, -1).transpose(0, 1)

        attended = torch.nn.functional.scaled_dot_product_attention(heads("query"), heads("key"), heads("value"))
        joined = attended.transpose(0, 1).reshape(len(hidden), _DIMENSION)
        inner = self._residual(joined, hidden, f"{prefix}attention.output")
        grown = torch.nn.functional.gelu(self._linear(inner, f"{prefix}intermediate.dense"))
        return self._residual(grown, inner, f"{prefix}output")

    def _residual(self, inner: torch.Tensor, hidden: torch.Tensor, prefix: str) -> torch.Tensor:
        return self._norm(self._linear(inner, f"{prefix}.dense") + hidden, f"{prefix}.LayerNorm")

    def _linear(self, hidden: torch.Tensor, prefix: str) -> torch.Tensor:
        return hidden @ self._weights[f"{prefix}.weight"].T + self._weights[f"{prefix}.bias"]

    def _norm(self, hidden: torch.Tensor, prefix: str) -> torch.Tensor:
        import torch

        scale, bias = self._weights[f"{prefix}.weight"], self._weights[f"{prefix}.bias"]
        return torch.nn.functional.layer_norm(hidden, (_DIMENSION,), scale, bias, _EPSILON)


def _is_whole_word(text: str, token: str, start: int, end: int) -> bool:
    """Tell whether a word piece is a word of the text on its own, and not a part of one or a special sign."""
    if token.startswith(_SPECIAL) or not (token.isalpha() or token.isdecimal()):
        return False
    around = text[start - 1 : start] + text[end : end + 1]
    return end - start == len(token) and not any(char.isalnum() or char in "-.,'" for char in around.strip(".,"))


def _tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a safetensors file: a length, a JSON header of offsets, and the data."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    found = {}
    for name, one in header.items():
        if one.get("dtype") == "F32":
            start, end = one["data_offsets"]
            flat = np.frombuffer(data[8 + size + start : 8 + size + end], "<f4")
            found[name] = flat.reshape(one["shape"]).copy()
    return found
