from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confute.errors import ModelError
from confute.models.cache import CachedEmbedder
from confute.models.embedder import Vectors


class Recorder:
    """Embeds a text as two numbers of its digest, and keeps what it was asked for."""

    def __init__(self, fingerprint: str = "f") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        digests = [
            hashlib.sha256((self.fingerprint + text).encode("utf-8", "surrogatepass")).digest() for text in texts
        ]
        return np.array([[one[0] / 7, one[1] / 3] for one in digests], np.float32).reshape(len(texts), 2)

    def truncated(self, texts: Sequence[str]) -> int:
        return len(texts)


def test_each_distinct_text_is_embedded_once_over_all_calls(tmp_path: Path) -> None:
    inner = Recorder()
    cached = CachedEmbedder(inner, tmp_path)
    cached.embed(["b", "a", "b"])
    cached.embed(["a", "c"])
    CachedEmbedder(inner, tmp_path).embed(["c", "b"])
    assert inner.asked == ["b", "a", "c"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=5), max_size=8))
def test_cached_vectors_have_the_bits_and_the_order_of_the_embedder(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    cached = CachedEmbedder(Recorder(), tmp_path_factory.mktemp("cache"))
    for _ in range(2):
        assert np.array_equal(cached.embed(texts), Recorder().embed(texts))


def test_texts_that_differ_in_a_lone_surrogate_are_kept_apart(tmp_path: Path) -> None:
    inner = Recorder()
    CachedEmbedder(inner, tmp_path).embed(["\ud800", "\ud801", "\ufffd"])
    assert len(inner.asked) == 3


def test_embedders_with_other_fingerprints_share_a_file_and_no_vector(tmp_path: Path) -> None:
    first, second = Recorder("f"), Recorder("g")
    CachedEmbedder(first, tmp_path).embed(["a"])
    CachedEmbedder(second, tmp_path).embed(["a"])
    assert second.asked == ["a"]
    assert CachedEmbedder(first, tmp_path).fingerprint == "f"


def test_a_vector_that_was_damaged_on_disk_is_computed_again(tmp_path: Path) -> None:
    inner = Recorder()
    cached = CachedEmbedder(inner, tmp_path)
    right = cached.embed(["a"])
    connection = sqlite3.connect(tmp_path / "embeddings.sqlite3")
    connection.execute("UPDATE vectors SET vector = zeroblob(8)")
    connection.commit()
    connection.close()
    assert np.array_equal(cached.embed(["a"]), right)
    cached.embed(["a"])
    assert inner.asked == ["a", "a"]


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    class FailsOnTheSecondCall(Recorder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            if self.asked:
                raise RuntimeError
            return super().embed(texts)

    texts = [str(number) for number in range(1500)]
    with pytest.raises(RuntimeError):
        CachedEmbedder(FailsOnTheSecondCall(), tmp_path).embed(texts)
    inner = Recorder()
    CachedEmbedder(inner, tmp_path).embed(texts)
    assert inner.asked == texts[1024:]


def test_a_file_that_is_no_database_is_a_model_error_that_says_to_delete_it(tmp_path: Path) -> None:
    (tmp_path / "embeddings.sqlite3").write_text("not a database, but long enough to be read as a header " * 9)
    with pytest.raises(ModelError, match=r"(?s)embeddings\.sqlite3.*next: delete the file"):
        CachedEmbedder(Recorder(), tmp_path)


def test_a_folder_that_is_a_file_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ModelError, match="cannot be made"):
        CachedEmbedder(Recorder(), tmp_path / "taken")


def test_the_count_of_truncated_texts_is_the_embedders(tmp_path: Path) -> None:
    assert CachedEmbedder(Recorder(), tmp_path).truncated(["a", "b"]) == 2


WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    from test_embedding_cache import CachedEmbedder, Recorder
    cached = CachedEmbedder(Recorder(), Path(sys.argv[2]))
    print("ready", flush=True)
    for start in range(0, int(sys.argv[3]), 20):
        cached.embed([str(number) for number in range(start, start + 40)])
    """
)


def _writer(folder: Path, texts: int) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", WRITER, str(Path(__file__).parent), str(folder), str(texts)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE)


def test_processes_that_write_the_same_texts_at_once_leave_a_right_cache(tmp_path: Path) -> None:
    for process in [_writer(tmp_path, 400) for _ in range(3)]:
        process.communicate()
        assert process.returncode == 0
    inner = Recorder()
    texts = [str(number) for number in range(400)]
    assert np.array_equal(CachedEmbedder(inner, tmp_path).embed(texts), Recorder().embed(texts))
    assert inner.asked == []


def test_a_process_that_is_killed_while_it_writes_leaves_a_right_cache(tmp_path: Path) -> None:
    with _writer(tmp_path, 1_000_000) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while not _rows(tmp_path):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    texts = [str(number) for number in range(2000)]
    assert np.array_equal(CachedEmbedder(Recorder(), tmp_path).embed(texts), Recorder().embed(texts))


def _rows(folder: Path) -> int:
    connection = sqlite3.connect(folder / "embeddings.sqlite3", timeout=30)
    count: int = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    connection.close()
    return count
