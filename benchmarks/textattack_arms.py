"""TextAttack as a rival, in an environment of its own, driven over JSON lines; its queries are counted by who answers.

Its published release does not resolve any more (`sentencepiece` and an old `scikit-learn` do not build), so that it is
installed with what its import needs and nothing else. It wants NLTK's list of stop words, which is written here.
"""

from __future__ import annotations

import json
import os
import subprocess
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from confute.records import Edit, digest_of

OWN = ("deepwordbug", "swaps:greedy", "swaps:beam", "swaps:genetic")
"""Arm (a): its recipe, and its searches over its character, number, name and inflection swaps."""

SAME_MOVES = ("moves:greedy", "moves:beam", "moves:importance")
"""Arm (b): its searches over our moves; its genetic search swaps word for word and cannot hold a move of several."""

_TORCH = "torch==2.13.0"
_BARE = """textattack==0.3.11 flair==0.15.1 bert-score==0.3.13 OpenHowNet pinyin wikipedia-api
transformer-smaller-training-vocab"""
_NEEDED = """sentencepiece>=0.2 transformers<5 datasets lemminflect num2words word2number Levenshtein more-itertools
jieba lru-dict terminaltables nltk pandas scipy language_tool_python editdistance anytree boto3 conllu<5 deprecated ftfy
gdown langdetect lxml matplotlib mpld3 pptree pytorch-revgrad regex segtok sqlitedict tabulate bioc scikit-learn>=1.4"""
_STOP_WORDS = """
i me my we our you your he him his she her it its they them their what which who whom this that these those am
is are was were be been being have has had having do does did doing a an the and but if or because as until
while of at by for with about against between into through during before after above below to from up down in
out on off over under again further then once here there when where why how all any both each few more most
other some such no nor not only own same so than too very can will just should now
"""

Score = Callable[[Sequence[str]], list[float | None]]
Rule = Callable[[Sequence[Sequence[int]]], list[bool]]


class TextAttack:
    """A worker process; a context manager."""

    def __init__(self, folder: Path) -> None:
        python = _environment(folder)
        worker = Path(__file__).with_name("textattack_worker.py")
        self.fingerprint = digest_of([_BARE, worker.read_text(encoding="utf-8")])
        offline = {"HF_HUB_OFFLINE": "1", "NLTK_DATA": str(folder / "nltk_data"), "TA_CACHE_DIR": str(folder / "kept")}
        self._process = subprocess.Popen(
            [python, "-W", "ignore", worker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | offline | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def attack(self, task: dict[str, Any], tau: float, score: Score, rule: Rule) -> None:
        """Carry out one attack; `score` is the victim, None once the queries are spent, and `rule` the oracle."""
        self._send(task)
        while "done" not in (asked := self._receive()):
            if "rule" in asked:
                self._send({"valid": rule(asked["rule"])})
            else:
                self._send({"risks": score(asked["score"]), "tau": tau})

    def _send(self, message: dict[str, Any]) -> None:
        pipe = cast("IO[str]", self._process.stdin)
        pipe.write(json.dumps(message) + "\n")
        pipe.flush()

    def _receive(self) -> dict[str, Any]:
        while True:
            line = cast("IO[str]", self._process.stdout).readline()
            if not line:
                raise RuntimeError(f"TextAttack ended with code {self._process.wait()}")
            if line.startswith("{"):
                return dict(json.loads(line))


def described(edit: Edit) -> list[list[object]]:
    """Return an edit of a claim as the worker reads it."""
    return [[one.start, one.end, one.text] for one in edit.replacements]


def _environment(folder: Path) -> Path:
    """Return the interpreter of the environment, which is made where it is not there; this takes minutes."""
    python = folder / "textattack" / "bin" / "python"
    ready = folder / "textattack" / "ready"
    if not ready.exists():
        venv.create(folder / "textattack", with_pip=True)
        for packages in ([_TORCH], ["--no-deps", *_BARE.split()], ["--only-binary", "scikit-learn", *_NEEDED.split()]):
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        words = folder / "nltk_data" / "corpora" / "stopwords" / "english"
        words.parent.mkdir(parents=True, exist_ok=True)
        words.write_text("\n".join(_STOP_WORDS.split()) + "\n", encoding="utf-8")
        ready.touch()
    return python
