from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from confute.errors import ModelError
from confute.models.load import load
from confute.models.onnx import OnnxEmbedder
from confute.models.sentence import SentenceEmbedder

TEXTS = [
    "",
    "yes",
    "TRUE",
    "\ud800 lone",
    "Aspirin lowers the risk of stroke by 12.5% in adults.",
    "The court held that the contract was void on 3 May 1987.",
    "Łódź is the third-largest city in Poland; 回 is a Chinese character.",
    "The committee met. " * 100,
]


@pytest.fixture(scope="session")
def original(model_folder: Path) -> SentenceEmbedder:
    import torch

    torch.set_num_threads(1)  # test workers share the cores
    return SentenceEmbedder(str(model_folder))


def test_both_runtimes_give_the_same_minilm_vectors(minilm: OnnxEmbedder, original: SentenceEmbedder) -> None:
    cosines = (minilm.embed(TEXTS) * original.embed(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.99999


def test_both_runtimes_give_the_same_minilm_vectors_on_real_claims(
    minilm: OnnxEmbedder, original: SentenceEmbedder, real_claims: list[str]
) -> None:
    cosines = (minilm.embed(real_claims) * original.embed(real_claims)).sum(axis=1)
    assert cosines.min() > 0.99999


def test_a_sentence_transformers_vector_has_the_same_bits_alone(original: SentenceEmbedder) -> None:
    vectors = original.embed(TEXTS)
    for at, text in enumerate(TEXTS):
        assert np.array_equal(original.embed([text])[0], vectors[at])


def test_both_runtimes_count_the_same_texts_as_truncated(minilm: OnnxEmbedder, original: SentenceEmbedder) -> None:
    texts = ["the " * 254, "the " * 255, "the"]
    assert minilm.truncated(texts) == original.truncated(texts) == 1


def test_no_texts_give_an_empty_array(original: SentenceEmbedder) -> None:
    assert original.embed([]).shape == (0, 384)


def test_the_fingerprint_changes_with_the_settings_and_not_with_the_folder(
    original: SentenceEmbedder, model_folder: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(model_folder, tmp_path / "copy")
    assert SentenceEmbedder(str(copy)).fingerprint == original.fingerprint
    (copy / "sentence_bert_config.json").write_text('{"max_seq_length": 128, "do_lower_case": false}')
    assert SentenceEmbedder(str(copy)).fingerprint != original.fingerprint


def test_a_folder_that_is_no_model_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"(?s)cannot be loaded.*next: check the name"):
        load(str(tmp_path))


def test_a_model_name_without_the_package_says_which_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match=r"pip install 'confute\[sentence-transformers\]'"):
        load("some-model")
