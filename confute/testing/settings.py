"""What the plugin was told, by options of the command line or by the ini file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

_HELP = {
    "detector": "Detector under test: a built-in one or module:attribute.",
    "threshold": "The detector's own threshold, on its own scale (0.5).",
    "contract": "Contract that names the detector and its threshold, instead of both.",
    "data": "Labelled claims, for a contract that sets its threshold on them.",
    "policy": "Policy that `confute policy --save` wrote: its routes decide, and a review catches.",
    "replays": "Replays of each counterexample (5; 20 against a persona).",
    "persona": "Persona, YAML, for the fixture `persona`, and for counterexamples against a persona.",
    "judge_cases": "Labelled exhibits, JSONL, for the fixture `judge_case`.",
    "family": "Family of the labelled exhibits; the marker confute_family goes before.",
}
_FILES = frozenset({"contract", "data", "policy", "persona", "judge_cases"})


@dataclass(frozen=True)
class Settings:
    """The settings, each None where it was not given; paths are absolute."""

    corpus: Path | None
    detector: str | None
    threshold: float | None
    higher_is_safer: bool
    contract: Path | None
    data: Path | None
    policy: Path | None
    replays: int | None
    persona: Path | None
    judge_cases: Path | None
    family: str | None


def add_options(parser: pytest.Parser) -> None:
    """Declare the options, and an ini setting for each but `--confute`."""
    group = parser.getgroup("confute", "counterexamples, detectors, personas and judges")
    group.addoption(
        "--confute",
        metavar="CORPUS",
        help="Counterexamples, each of them a test: JSON Lines, one JSON array, or a run's folder.",
    )
    for name, words in _HELP.items():
        group.addoption(f"--confute-{name.replace('_', '-')}", metavar=name.upper(), help=words)
        parser.addini(f"confute_{name}", words)
    parser.addini("confute_higher_is_safer", "The detector scores safety.", type="bool", default=False)


def settings_of(config: pytest.Config) -> Settings:
    """Return what was told; an option goes before the ini file.

    Raises pytest.UsageError for a threshold or a number of replays that is none.
    """
    told = {name: _told(config, name) for name in _HELP}
    paths = {name: _path(config, name) for name in _FILES}
    return Settings(
        corpus=_corpus(config),
        detector=told["detector"],
        threshold=_number(told["threshold"], "threshold"),
        higher_is_safer=bool(config.getini("confute_higher_is_safer")),
        contract=paths["contract"],
        data=paths["data"],
        policy=paths["policy"],
        replays=_count(told["replays"]),
        persona=paths["persona"],
        judge_cases=paths["judge_cases"],
        family=told["family"],
    )


def _told(config: pytest.Config, name: str) -> str | None:
    found = config.getoption(f"confute_{name}") or config.getini(f"confute_{name}")
    return str(found) if found else None


def _path(config: pytest.Config, name: str) -> Path | None:
    if option := config.getoption(f"confute_{name}"):
        return (config.invocation_params.dir / str(option)).resolve()
    if ini := config.getini(f"confute_{name}"):
        return ((config.inipath.parent if config.inipath else config.rootpath) / str(ini)).resolve()
    return None


def _number(told: str | None, name: str) -> float | None:
    try:
        number = None if told is None else float(told)
    except ValueError:
        number = math.nan
    if number is not None and not math.isfinite(number):
        raise pytest.UsageError(f"confute {name}: must be a finite number; got {told!r}")
    return number


def _count(told: str | None) -> int | None:
    if told is None:
        return None
    if not (told.isascii() and told.isdigit() and len(told) <= 3 and int(told)):
        raise pytest.UsageError(f"confute replays: must be a number from 1 to 999; got {told!r}")
    return int(told)


def _corpus(config: pytest.Config) -> Path | None:
    named = config.getoption("confute")
    if not named:
        return None
    path = (config.invocation_params.dir / str(named)).resolve()
    return path / "counterexamples.jsonl" if path.is_dir() else path
