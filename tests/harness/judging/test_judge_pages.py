from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from judge_bench import case, judged, validated, verdict
from rich.console import Console
from test_judge_validation import assessed

from confute.harness.judging.figures import Judged
from confute.harness.judging.gates import Limits, gates
from confute.harness.judging.page import Page, Part, markdown, print_page
from confute.harness.judging.pages import validation_page
from confute.harness.judging.report import report
from confute.judges.families import build_panel
from confute.judges.judge import Exhibit
from confute.models.chat import ChatReply, ChatRequest, ReplyCode
from confute.models.scripted import ScriptedModel
from confute.verdicts import VerdictState

HOSTILE = "<script>|\x1b[31m\u202e*x*[bold]\n\0"


def printed(page: Page) -> str:
    out = io.StringIO()
    print_page(page, Console(file=out, width=200, highlight=False))
    return out.getvalue()


def page(some: list[Judged], **fields: object) -> Page:
    found = assessed(some, **fields)
    return validation_page(found, gates(found, Limits()))


def test_every_rate_stands_with_its_counts_interval_and_errors() -> None:
    text = printed(page(judged(("S", VerdictState.SUCCEEDED), ("R", VerdictState.RESISTED), ("R", VerdictState.ERROR))))
    line = next(line for line in text.splitlines() if line.startswith("recall of resisted"))
    # 1 of 1 is 21 to 100 %, exact one-sided .05 to 1; one failed verdict stands beside.
    assert line.split()[3:] == ["1/1", "100", "%", "21–100", "%", ">=", "0.050,", "<=", "1.000", "1", "0"]


def test_the_report_says_what_stricter_limits_would_take() -> None:
    found = page(judged(("S", VerdictState.SUCCEEDED)))
    assert any("a share takes: 0.75: 11, 0.9: 29, 0.95: 59" in one for one in found.lines)
    text = markdown(found)
    line = next(line for line in text.splitlines() if line.startswith("| fabrication\\_safe"))
    assert line.endswith("| 11 |")


def test_what_nothing_was_measured_on_is_a_dash() -> None:
    text = printed(page(judged(("S", VerdictState.SUCCEEDED))))
    line = next(line for line in text.splitlines() if line.startswith("specificity"))
    assert line.split()[1:] == ["—", "—", "—", "—", "0", "0"]


def test_what_must_be_read_first_stands_first() -> None:
    some = [Judged(case(1, "S", split="development"), verdict(VerdictState.SUCCEEDED))]
    found = page(some * 2, judge="authors")
    assert found.warnings == (
        "circular_labels: cases were labelled by the judge itself, so that these figures cannot gate it",
        "2 cases are of the development split, which cannot gate a judge",
        "the judge said the same of every case",
        "kappa is undefined: constant_labels",
    )
    assert printed(found).splitlines()[1].startswith("! circular_labels")


def test_hostile_names_are_shown_and_never_interpreted() -> None:
    some = [Judged(case(1, "S", category=HOSTILE), verdict(VerdictState.RESISTED, code=HOSTILE))]
    found = page(some, judge=HOSTILE, cases_name=HOSTILE)
    for text in (printed(found), markdown(found)):
        assert "\x1b" not in text
        assert "\0" not in text
        assert "\u202e" not in text
        assert "⟨U+001B⟩" in text.replace("\\", "")
    assert "<script>" not in markdown(found)
    assert "[bold]" in printed(found)


def test_what_a_model_was_asked_without_stands_in_every_file(tmp_path: Path) -> None:
    def says(request: ChatRequest, _repeat: int) -> ChatReply:
        assert request.json_schema is not None
        text = '{"reason": "r", "quote": "a reply", "verdict": "no"}'
        return ChatReply(code=ReplyCode.OK, model="m", text=text, dropped=("seed",))

    panel = build_panel("misinformation", ScriptedModel(says), short_circuit=False)
    exhibit = Exhibit(prompt="p", truth="t", reply="a reply")
    cases = [case(1, "S").model_copy(update={"exhibit": exhibit})]
    found = validated(panel, cases, tmp_path)
    report(found, Limits())
    read = {
        name: (found.folder / name).read_text(encoding="utf-8") for name in ("votes.jsonl", "report.json", "report.md")
    }
    votes = json.loads(read["votes.jsonl"])["verdict"]["votes"]
    assert [one["dropped"] for one in votes] == [["seed"]] * 3
    assert json.loads(read["report.json"])["result"]["expense"]["dropped"] == {"seed": 3}
    assert "the model rejected seed: 3 votes were asked for without" in read["report.md"]


@given(st.text(max_size=80))
def test_a_row_of_markdown_is_one_line(text: str) -> None:
    made = markdown(Page(text, (text,), (text,), (Part(text, ("a", "b"), ((text, text),)),)))
    rows = [line for line in made.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert all(line.replace("\\|", "").count("|") == 3 for line in rows)


def test_a_terminal_shows_the_first_rows_and_says_how_many_are_left() -> None:
    rows = tuple((str(number),) for number in range(40))
    text = printed(Page("t", (), (), (Part("p", ("n",), rows), Part("empty", ("n",), ()))))
    assert "and 25 more rows in the report" in text
    assert "empty" not in text
