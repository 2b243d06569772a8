"""A detector of any kind asked about probes: a Python callable, an HTTP endpoint, or a command that reads JSONL."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
from collections.abc import Sequence
from typing import Any

from confute import text
from confute.contract import Segmentation, SegmentationUnit, Threshold, Victim
from confute.errors import VictimError
from confute.harness.control.probe import Probe
from confute.models.embedder import Embedder
from confute.models.load import load as load_embedder
from confute.records import Pair, Score, ScoreState
from confute.victims import load
from confute.victims.detector import Detector
from confute.victims.isolation import IsolatedDetector


class HttpDetector:
    """Asks an endpoint: POST `{"pairs": [{"claim", "evidence"}]}`, answered by `{"scores": [...]}` or a bare list."""

    def __init__(self, url: str, timeout_s: float) -> None:
        self._url = url
        self._timeout_s = timeout_s

    def score(self, pairs: Sequence[Pair]) -> list[Any]:
        """Return the endpoint's scores as they came; raises where it does not answer with status 200 and JSON."""
        import httpx

        body = {"pairs": [pair.model_dump(mode="json") for pair in pairs]}
        answer = httpx.post(self._url, json=body, timeout=self._timeout_s)
        answer.raise_for_status()
        said = answer.json()
        return list(said["scores"] if isinstance(said, dict) else said)


class CommandDetector:
    """Runs a command for each batch: a JSON object a line in, a number or `{"score": ...}` a line out."""

    def __init__(self, command: str, timeout_s: float) -> None:
        self._command = shlex.split(command)
        self._timeout_s = timeout_s

    def score(self, pairs: Sequence[Pair]) -> list[Any]:
        """Return the command's scores as they came; raises where it fails, takes too long, or writes no JSON."""
        asked = "".join(json.dumps(pair.model_dump(mode="json")) + "\n" for pair in pairs)
        done = subprocess.run(  # noqa: S603  the user's own command
            self._command, input=asked, capture_output=True, text=True, timeout=self._timeout_s, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"the command ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        return [line["score"] if isinstance(line, dict) and "score" in line else line for line in lines]


def detector_of(spec: str, timeout_s: float) -> Detector:
    """Return the detector that a text names: a URL, a command (a text with a space), or a built-in or own one.

    Raises VictimError where there is no such detector.
    """
    if spec.startswith(("http://", "https://")):
        return HttpDetector(spec, timeout_s)
    if " " in spec.strip():
        try:
            return CommandDetector(spec, timeout_s)
        except ValueError as error:
            raise VictimError(f"the command cannot be split: {error}", field="--detector", got=spec) from error
    return load.load(_victim(spec, timeout_s=timeout_s, higher_is_safer=False), _embedder)


def asked(  # noqa: PLR0913  one parameter for each way to ask
    detector: Detector,
    probes: Sequence[Probe],
    *,
    seed: int,
    timeout_s: float = 60.0,
    higher_is_safer: bool = False,
    max_tokens: int | None = None,
) -> tuple[Score, ...]:
    """Return one Score a probe, in their order, asked in an order of the seed and behind a wall.

    Whatever the detector does is a Score: an exception, NaN, a wrong length or a hang is an ERROR with its own code. A
    pair of more than `max_tokens` tokens is an ERROR `context_overflow` and is never sent.
    """
    order = list(range(len(probes)))
    random.Random(f"{seed}/control-order").shuffle(order)  # noqa: S311  reproducible, no secret
    fitting = [place for place in order if not _overflows(probes[place].pair, max_tokens)]
    victim = _victim("own:detector", timeout_s=timeout_s, higher_is_safer=higher_is_safer)
    scores = IsolatedDetector(detector, victim).measure([probes[place].pair for place in fitting])
    found = dict(zip(fitting, scores, strict=True))
    return tuple(found.get(place, _OVERFLOW) for place in range(len(probes)))


_OVERFLOW = Score(state=ScoreState.ERROR, error_code="context_overflow", error_message="the pair is over --max-tokens")


def _overflows(pair: Pair, most: int | None) -> bool:
    return most is not None and sum(len(text.tokens(one)) for one in (pair.claim, *pair.evidence)) > most


def _victim(spec: str, *, timeout_s: float, higher_is_safer: bool) -> Victim:
    return Victim(
        detector=spec,
        segmentation=Segmentation(unit=SegmentationUnit.PASSAGE),
        timeout_s=timeout_s,
        higher_is_safer=higher_is_safer,
        threshold=Threshold(value=0.5),
    )


def _embedder(name: str) -> Embedder:
    return load_embedder(name)
