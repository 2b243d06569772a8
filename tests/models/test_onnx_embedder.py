from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confute.errors import ModelError
from confute.models import weights
from confute.models.onnx import MAX_WORD_PIECES, OnnxEmbedder

WORDS = ["the", "court", "held", "aspirin", "lowers", "12.5%", "of", "unbelievably", "Łódź", "not", "回", "."]
texts = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(texts, min_size=1, max_size=12), st.data())
def test_a_vector_has_the_same_bits_whatever_stands_beside_its_text(
    minilm: OnnxEmbedder, batch: list[str], data: st.DataObject
) -> None:
    vectors = minilm.embed(batch)
    order = data.draw(st.permutations(range(len(batch))))
    alone = data.draw(st.sampled_from(range(len(batch))))
    assert np.array_equal(minilm.embed([batch[at] for at in order]), vectors[order])
    assert np.array_equal(minilm.embed([batch[alone]])[0], vectors[alone])


def test_a_vector_has_the_same_bits_in_a_batch_that_is_cut_into_many_runs(minilm: OnnxEmbedder) -> None:
    batch = [f"the court held on {day} May that aspirin lowers the risk" for day in range(1, 32)] * 5
    vectors = minilm.embed(batch)
    for at in (0, 17, 101):
        assert np.array_equal(minilm.embed([batch[at]])[0], vectors[at])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_a_finite_vector_of_unit_length(minilm: OnnxEmbedder, text: str) -> None:
    assert np.linalg.norm(minilm.embed([text])) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    "text", ["", "\x00", "\ud800 alone", "x" * 100_000, "word " * 20_000, "\u202e<b>&amp;", "🂡" * 999]
)
def test_hostile_text_has_a_finite_vector_of_unit_length(minilm: OnnxEmbedder, text: str) -> None:
    assert np.linalg.norm(minilm.embed([text])) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_an_empty_array_of_the_right_width(minilm: OnnxEmbedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_the_first_256_word_pieces_of_a_text_count(minilm: OnnxEmbedder) -> None:
    # [CLS] and [SEP] take two of the 256 pieces, and "the" and "court" one each.
    full = "the " * (MAX_WORD_PIECES - 2)
    assert minilm.truncated([full, full + "court", "short"]) == 1
    assert np.array_equal(minilm.embed([full]), minilm.embed([full + "court"]))
    assert not np.array_equal(minilm.embed([full]), minilm.embed([full[4:] + "court"]))


def test_a_paraphrase_is_nearer_than_another_subject(minilm: OnnxEmbedder) -> None:
    claim, paraphrase, other = minilm.embed(
        [
            "Aspirin lowers the risk of stroke.",
            "The risk of stroke is reduced by aspirin.",
            "The match ended in a draw.",
        ]
    )
    assert claim @ paraphrase > 0.8
    assert claim @ other < 0.3


def test_a_changed_weights_file_is_refused_by_name_and_digest(model_folder: Path, tmp_path: Path) -> None:
    for name in weights.SHA256:
        shutil.copy(model_folder / name, tmp_path / name)
    with (tmp_path / weights.WEIGHTS).open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\x00\x01\x02\x03")
    with pytest.raises(ModelError, match=r"(?s)model\.safetensors.*53aa5117.*next: reinstall"):
        OnnxEmbedder(tmp_path)


def test_an_absent_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"(?s)model\.safetensors.*unreadable"):
        OnnxEmbedder(tmp_path)
