"""A user's own claims, held out from a run on other claims of theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from confute import contract as contracts
from confute.errors import CorpusError, DatasetError
from confute.harness import run
from confute.harness.suites.freezing import Wanted, freeze
from confute.harness.suites.past_run import PastRun, read_past_run
from confute.harness.suites.suite import SuiteKind, read_suite

CONTRACT = """
victim: {detector: word_overlap, threshold: {value: 0.4}}
objective: {oracle: guarded_text, attack_goal: false_acceptance}
attacker: {capabilities: [quantity], budgets: {victim_queries: 2}}
"""
SEEN = [("s1", "The bridge of Aldova is 120 metres long.", "Engineers built the bridge of Aldova, 120 metres long.")]
OTHER = ("o1", "The tower of Brumal is 80 metres high.", "Masons built a tower in Brumal that is 80 metres high.")


class Quiet:
    """Shows no progress."""

    def begin(self, phase: str, total: int) -> None: ...

    def advance(self, units: int) -> None: ...


def write(file: Path, rows: list[tuple[str, str, str]]) -> Path:
    told = [
        {"id": group, "claim": claim, "evidence": [passage], "label": "SUPPORTED", "domain": "d", "group": group}
        for group, claim, passage in rows
    ]
    file.write_text("\r\n".join(map(json.dumps, told)), encoding="utf-8", newline="")
    return file


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> PastRun:
    root = tmp_path_factory.mktemp("suite-data")
    order = run.Order(contract=contracts.parse(CONTRACT), data=str(write(root / "seen.jsonl", SEEN)))
    folder = root / "dev"
    folder.mkdir()
    run.write_text(folder / "order.json", order.model_dump_json())
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    return read_past_run(folder)


def held_out(data: Path, *allowed: str) -> Wanted:
    return Wanted(kind=SuiteKind.HELD_OUT, data=data, allowed_entities=allowed)


def test_claims_that_have_nothing_in_common_are_frozen_as_they_are(past: PastRun, tmp_path: Path) -> None:
    data = write(tmp_path / "other.jsonl", [OTHER])
    suite = freeze(tmp_path / "suites/held", past, held_out(data))
    assert (suite.folder / "cases.jsonl").read_bytes() == data.read_bytes()
    assert read_suite(suite.folder).manifest == suite.manifest
    (suite.folder / "cases.jsonl").write_bytes(data.read_bytes() + b"\n")
    with pytest.raises(CorpusError, match="is not what was frozen"):
        read_suite(suite.folder)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("o2", "The mayor of Aldova is old.", "The mayor is an old man."), "entities (1): 'aldova' in common"),
        (("s1", "The mayor of Cadel is old.", "The mayor is an old man."), "sources (1): 'source s1' in common"),
        (
            # The passage of the run has nine words: "engineers ... 120 metres long"; eight of them stand here.
            ("o2", "The mayor of Cadel is old.", "He saw it: engineers built the bridge of Aldova, 120 metres away."),
            "runs of eight words (1): 'engineers built the bridge of aldova 120 metres' in common",
        ),
    ],
)
def test_one_thing_in_common_is_refused_with_the_culprit(past: PastRun, tmp_path: Path, row, said: str) -> None:
    with pytest.raises(CorpusError) as told:
        freeze(tmp_path / "suites/held", past, held_out(write(tmp_path / "other.jsonl", [OTHER, row])))
    assert said in str(told.value)
    assert not (tmp_path / "suites").exists()


def test_a_name_that_any_text_may_name_is_allowed_by_name_and_written_down(past: PastRun, tmp_path: Path) -> None:
    data = write(tmp_path / "other.jsonl", [("o2", "The mayor of Aldova is old.", "The mayor is an old man.")])
    suite = freeze(tmp_path / "suites/held", past, held_out(data, "ALDOVA"))
    assert suite.manifest.allowed_entities == ("aldova",)


def test_an_exploration_shares_nothing_with_a_held_out_suite_beside_it(past: PastRun, tmp_path: Path) -> None:
    freeze(tmp_path / "suites/held", past, held_out(write(tmp_path / "other.jsonl", [OTHER])))
    new = Wanted(kind=SuiteKind.EXPLORATION, data=tmp_path / "other.jsonl", mechanisms=("polarity",))
    with pytest.raises(CorpusError, match="in common with the held_out suite"):
        freeze(tmp_path / "suites/new", past, new)
    freeze(tmp_path / "suites/new", past, new._replace(data=past.data))


@pytest.mark.parametrize("kind", [SuiteKind.HELD_OUT, SuiteKind.EXPLORATION])
def test_two_suites_of_one_kind_share_nothing_either(past: PastRun, tmp_path: Path, kind: SuiteKind) -> None:
    mechanisms = ("polarity",) if kind is SuiteKind.EXPLORATION else ()
    wanted = Wanted(kind, write(tmp_path / "other.jsonl", [OTHER]), mechanisms=mechanisms)
    freeze(tmp_path / "suites/one", past, wanted)
    with pytest.raises(CorpusError, match=f"in common with the {kind} suite"):
        freeze(tmp_path / "suites/two", past, wanted)
    freeze(tmp_path / "elsewhere/two", past, wanted)


def test_a_held_out_suite_shares_nothing_with_an_exploration_that_came_first(past: PastRun, tmp_path: Path) -> None:
    data = write(tmp_path / "other.jsonl", [OTHER])
    freeze(tmp_path / "suites/new", past, Wanted(SuiteKind.EXPLORATION, data, mechanisms=("polarity",)))
    with pytest.raises(CorpusError, match="in common with the exploration suite"):
        freeze(tmp_path / "suites/held", past, held_out(data))


def test_without_a_claims_file_or_with_an_unreadable_one_nothing_is_frozen(past: PastRun, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="needs a claims file"):
        freeze(tmp_path / "suites/held", past, Wanted(SuiteKind.HELD_OUT))
    with pytest.raises(DatasetError, match="cannot be read"):
        freeze(tmp_path / "suites/held", past, held_out(tmp_path / "none.jsonl"))


def test_where_the_runs_claims_have_changed_nothing_can_be_compared(past: PastRun, tmp_path: Path) -> None:
    moved = past._replace(data=write(tmp_path / "changed.jsonl", [OTHER]))
    with pytest.raises(CorpusError, match="are not there any more"):
        freeze(tmp_path / "suites/held", moved, held_out(write(tmp_path / "other.jsonl", [OTHER])))


def test_claims_with_something_in_common_are_left_out_and_counted(past: PastRun, tmp_path: Path) -> None:
    shares = ("o2", "The mayor of Aldova is old.", "The mayor is an old man.")
    wanted = held_out(write(tmp_path / "other.jsonl", [shares, OTHER]))._replace(leave_out=True)
    suite = freeze(tmp_path / "suites/held", past, wanted)
    assert (suite.manifest.cases, suite.manifest.left_out) == (1, 1)
    (row,) = (suite.folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(row)["id"] == "o1"
    assert read_suite(suite.folder).manifest == suite.manifest
    with pytest.raises(CorpusError, match="no case is left"):
        freeze(tmp_path / "suites/none", past, wanted._replace(data=write(tmp_path / "shares.jsonl", [shares])))
