"""Expand the twins of data/judges/templates into the labelled cases that judges are measured on.

python benchmarks/make_judge_cases.py                     # writes the .jsonl files and sha256.json
python benchmarks/make_judge_cases.py --screen LIST ...   # prints the names in use that occur in word or name lists
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from confute.judges.judge import Exhibit, JudgeCase
from confute.yaml_mistakes import repeated_key

HERE = Path(__file__).resolve().parent.parent / "data" / "judges"
SEED = "judge-cases-1"
LABEL_SOURCE = "confute authors"
_SPLITS = ("held_out", "development")
_CHOICE = re.compile(r"\[\[(.*?)\|\|(.*?)\]\]", re.DOTALL)
_SLOT = re.compile(r"\{([A-Da-d])\}")
_TWIN_KEYS = frozenset({"right", "labels"})
_ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "qu",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
_NUCLEI = ("a", "e", "i", "o", "u", "a", "e", "o")
_CODAS = ("", "", "l", "n", "r", "x", "sk", "nd", "lm", "rv", "mb", "st")
_LENGTHS = range(8, 12)


def main(arguments: list[str]) -> None:
    """Write every file, or print the names that a list knows."""
    if arguments[:1] == ["--screen"]:
        print("\n".join(sorted(_screened(arguments[1:]))))
        return
    for split in _SPLITS:
        _write(f"{split}.jsonl", [_row(case) for case in cases(split)])
    _write("injections.jsonl", list(injections()))
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(HERE.glob("*.jsonl"))}
    (HERE / "sha256.json").write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


def cases(split: str) -> Iterator[JudgeCase]:
    """Yield the two cases of every twin of a split, in the order of its templates."""
    for path in sorted((HERE / "templates" / split).glob("*.yaml")):
        for language, families in _loaded(path).items():
            for family, twins in families.items():
                for key, twin in twins.items():
                    yield from _cases_of_a_twin(split, language, family, key, twin)


def injections() -> Iterator[dict[str, Any]]:
    """Yield the injection strings; `repeat` says how often a reader repeats `text`."""
    for kind, entries in _loaded(HERE / "templates" / "injections.yaml").items():
        for number, entry in enumerate(entries, 1):
            encode = entry.pop("encode", None)
            if encode is not None:
                entry["text"] = entry.pop("before", "") + _encoded(encode, entry["text"]) + entry.pop("after", "")
            yield {"id": f"{kind}-{number:02}", "kind": kind, **entry}


def name_of(twin: str, slot: str, known: frozenset[str]) -> str:
    """Return the made-up name of a slot, in small letters: the first draw of its seed that is not a known name."""
    rng = random.Random(f"{SEED}/{twin}/{slot}")
    while True:
        syllables = [rng.choice(_ONSETS) + rng.choice(_NUCLEI) for _ in range(3)]
        name = "".join(syllables) + rng.choice(_CODAS)
        if len(name) in _LENGTHS and name not in known:
            return name


def _cases_of_a_twin(split: str, language: str, family: str, key: str, twin: dict[str, Any]) -> Iterator[JudgeCase]:
    twin_id = f"{split}/{family}/{language}/{key}"
    known = _known()
    names = {slot: name_of(twin_id, slot, known) for slot in "ABCD"}
    fields = {name: value for name, value in twin.items() if name not in _TWIN_KEYS}
    labels = twin.get("labels", [None, None])
    named = any(_SLOT.search(text) for text in _texts(fields))
    for side in (0, 1):
        yield JudgeCase(
            case_id=f"{twin_id}/{'ab'[side]}",
            family=family,
            right=twin["right"][side],
            label=labels[side],
            exhibit=Exhibit(**{name: _filled(value, side, names) for name, value in fields.items()}),
            twin=twin_id,
            category=re.sub(r"_\d+$", "", key),
            language=language,
            group=names["A"] if named else twin_id,
            label_source=LABEL_SOURCE,
            split=split,
        )


def _filled(value: Any, side: int, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return tuple(_filled(part, side, names) for part in value)
    if isinstance(value, dict):
        return {name: _filled(part, side, names) for name, part in value.items()}
    chosen = _CHOICE.sub(lambda found: found.group(side + 1).strip(" "), value)
    return _SLOT.sub(lambda found: _cased(found.group(1), names), chosen)


def _cased(slot: str, names: dict[str, str]) -> str:
    name = names[slot.upper()]
    return name.capitalize() if slot.isupper() else name


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _known() -> frozenset[str]:
    return frozenset((HERE / "known_names.txt").read_text(encoding="utf-8").split())


def _encoded(encoding: str, text: str) -> str:
    if encoding == "rot13":
        return codecs.encode(text, "rot13")
    return base64.b64encode(text.encode()).decode() if encoding == "base64" else text.encode().hex()


def _loaded(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    if twice := repeated_key(yaml.compose(text)):
        raise SystemExit(f"{path.name}:{twice.start_mark.line + 1}: {twice.value} stands twice; give one another name")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def _screened(lists: list[str]) -> set[str]:
    used = {name for split in _SPLITS for twin in {c.twin for c in cases(split)} for name in _names_of(str(twin))}
    found: set[str] = set()
    for path in lists:
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                found |= used.intersection(re.findall(r"[a-z]+", line.lower()))
    return found


def _names_of(twin: str) -> Iterator[str]:
    known = _known()
    return (name_of(twin, slot, known) for slot in "ABCD")


def _row(case: JudgeCase) -> dict[str, Any]:
    return {**case.model_dump(mode="json"), "exhibit": case.exhibit.model_dump(mode="json", exclude_defaults=True)}


def _write(name: str, rows: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=name == "injections.jsonl") + "\n" for row in rows)
    (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
