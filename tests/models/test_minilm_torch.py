"""The embedder in PyTorch: the same vectors, and gradients that foretell what a change of a word does."""

import numpy as np
import pytest

from confute.models.minilm_torch import TorchMiniLM

TEXTS = (
    "Quinvalo bought Wexdimark Holdings for 7.52 billion dollars on 15 August 2002.",
    "a",
    "Ownership passed in 1999 to the firm of Ana.",
    "\x00\ud800 weiß 漢字 " + "long " * 400,
)


@pytest.fixture(scope="module")
def model(model_folder):
    return TorchMiniLM(model_folder)


def energy(minilm, text, basis):
    return 1.0 - float(np.square(basis @ minilm.embed([text])[0].astype(np.float64)).sum())


def test_vectors_are_those_of_the_onnx_embedder(model, minilm):
    assert np.abs(model.embed(TEXTS) - minilm.embed(TEXTS)).max() < 1e-5


def test_a_flip_lowers_the_energy_of_the_real_embedder_as_foretold(model, minilm):
    basis = minilm.embed(TEXTS[:1]).astype(np.float64)
    found = model.flips(TEXTS[2], basis, sign=1.0, per_word=4, words={"august", "holdings", "dollars"})
    before = energy(minilm, TEXTS[2], basis)
    changes = [energy(minilm, TEXTS[2][: f.start] + f.word + TEXTS[2][f.end :], basis) - before for f in found]
    assert len(found) > 4
    assert np.mean([change < 0 for change in changes]) > 0.6
    assert found == sorted(found, key=lambda one: one.change)
    assert all(one.change < 0 for one in found)


def test_numbers_take_the_place_of_numbers_and_only_named_words_that_of_words(model, minilm):
    basis = minilm.embed(TEXTS[:1]).astype(np.float64)
    found = model.flips(TEXTS[2], basis, sign=1.0, per_word=8, words={"august"})
    for one in found:
        old = TEXTS[2][one.start : one.end]
        assert old.isdecimal() == one.word.isdecimal()
        assert one.word.isdecimal() or one.word == "august"
    assert any(one.word.isdecimal() for one in found)


def test_the_gradient_is_the_slope_of_the_energy(model, minilm):
    # A central difference along the gradient of one word piece, in the embedding itself.
    import torch

    basis = minilm.embed(TEXTS[:1]).astype(np.float64)
    ids = model._tokenizer.encode(TEXTS[2]).ids
    gradient = model._gradient(ids, basis)
    step = np.zeros_like(gradient)
    step[3] = 0.05 * gradient[3] / np.linalg.norm(gradient[3])

    def at(shift):
        vector = model._vector(model._embedded(ids) + torch.from_numpy(shift)).numpy().astype(np.float64)
        return 1.0 - float(np.square(basis @ vector).sum())

    slope = (at(step) - at(-step)) / (2 * np.linalg.norm(step))
    assert slope == pytest.approx(np.linalg.norm(gradient[3]), rel=0.02)
