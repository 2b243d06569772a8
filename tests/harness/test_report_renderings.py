import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from synthetic_run import FA, attempt, canaries, case, counterexample, drawn_run, manifest

from confute.errors import ReportError
from confute.harness.rates import Mark, rate
from confute.harness.render import words
from confute.harness.render.diff import Kind, word_diff
from confute.harness.render.formats import rendered, write_all
from confute.harness.render.terminal import print_report
from confute.harness.report import Report, build
from confute.records import Arm, Outcome

HOSTILE = "\x00\x1b[31m\u202ered<script>alert(1)</script>\ud800 | `*x*` [b]y[/b] {{ 7*7 }} \u200b"


def drawn(seed: int = 1, n: int = 12) -> Report:
    return build(*drawn_run(seed, n))


def hostile() -> Report:
    cases = [case("a", domain=f"={HOSTILE}"), case("b", domain="+1")]
    made = manifest(cases, run_id=HOSTILE, attacker_name=HOSTILE, oracle_version=HOSTILE)
    made = made.model_copy(
        update={
            "victim": made.victim.model_copy(update={"detector": HOSTILE, "parts": {HOSTILE: HOSTILE}}),
            "dataset": made.dataset.model_copy(update={"name": HOSTILE}),
        }
    )
    found = counterexample(
        "temporal-1",
        original_claim=HOSTILE,
        adversarial_claim=f"no {HOSTILE}",
        source_evidence=(HOSTILE, "x" * 100_000),
    )
    return build(made, [*canaries(), attempt("a", FA, Arm.SEARCH, 0.2)], [found])


def on_terminal(report: Report) -> str:
    stream = io.StringIO()
    print_report(report, Console(file=stream, width=120, highlight=False))
    return stream.getvalue()


class _Elements(HTMLParser):
    VOID = frozenset({"meta", "line", "path", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.links += [f"{name}={value}" for name, value in attrs if name in {"src", "href", "onclick", "onerror"}]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def elements(page: str) -> _Elements:
    parser = _Elements()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


@pytest.mark.parametrize("form", ["json", "md", "csv", "html"])
def test_hostile_text_is_shown_and_never_acts(form: str) -> None:
    text = rendered(hostile(), form)
    text.encode("utf-8")
    assert not re.search(r"[\x00\x1b]", text)
    if form != "json":
        assert "\u202e" not in text
        assert "\u200b" not in text


def test_hostile_text_makes_no_element_of_the_page() -> None:
    page = elements(rendered(hostile(), "html"))
    assert "script" not in page.names
    assert page.links == []
    assert "{{ 7*7 }}" in rendered(hostile(), "html")


def test_hostile_text_reaches_no_terminal() -> None:
    shown = on_terminal(hostile())
    assert not re.search(r"[\x00\x1b\u202e\u200b\ud800]", shown)
    assert "⟨U+202E⟩" in shown
    assert "[b]y[/b]" in shown


def test_hostile_text_stays_within_its_table_cell_in_markdown() -> None:
    rows = [line for line in rendered(hostile(), "md").splitlines() if line.startswith("|")]
    cells = [re.sub(r"\\.", "", row).count("|") for row in rows]
    heads = {index: cells[index - 1] for index, row in enumerate(rows) if set(row) <= set("| -")}
    assert heads
    width = 0
    for index, count in enumerate(cells):
        width = heads.get(index, heads.get(index + 1, width))
        assert count == width


def test_the_page_needs_nothing_else() -> None:
    page = rendered(drawn(), "html")
    found = elements(page)
    assert found.links == []
    assert not {"script", "link", "img", "iframe", "object"} & set(found.names)
    assert "http:" not in page.replace("http-equiv", "")
    assert "https:" not in page
    assert "url(" not in page


def test_the_page_draws_both_arms_and_shows_the_ten_smallest_as_diffs() -> None:
    report = drawn(n=20)
    page = rendered(report, "html")
    found = elements(page)
    assert len(report.counterexamples) > 10
    assert found.names.count("article") == 10
    assert found.names.count("del") == found.names.count("ins") == 10
    assert "search path" in page
    assert "blind path" in page
    assert report.regression_ids[9] in page
    assert f">{report.regression_ids[10]}<" not in page


def test_the_page_of_an_empty_run_says_so() -> None:
    page = rendered(build(manifest([case("a")]), [], []), "html")
    elements(page)
    assert "No item was attacked." in page
    assert "None was confirmed." in page


def test_no_form_writes_a_share_without_a_denominator() -> None:
    report = build(manifest([case("a")]), [], [])
    for text in (rendered(report, "md"), on_terminal(report)):
        assert "0 %" not in text
        assert "100 %" not in text
        assert "None" not in text
        assert words.DASH in text
    rows = list(csv.DictReader(io.StringIO(rendered(report, "csv"))))
    assert {(row["value"], row["low"], row["high"]) for row in rows} == {("", "", "")}


def test_the_table_of_rates_says_what_the_report_says() -> None:
    report = drawn()
    rows = list(csv.DictReader(io.StringIO(rendered(report, "csv"))))
    direction = next(one for one in report.directions if one.goal is FA)
    row = next(
        one for one in rows if (one["metric"], one["goal"], one["group"]) == ("asr_induced", "false_acceptance", "all")
    )
    induced = direction.attack.asr_induced
    assert int(row["numerator"]) == induced.numerator
    assert int(row["denominator"]) == induced.denominator
    assert float(row["low"]) == pytest.approx(induced.low, rel=1e-5)
    assert {"validity", "potency", "worst_case", "success_search", "auc"} <= {one["metric"] for one in rows}


def test_no_cell_of_the_table_is_a_formula() -> None:
    for row in csv.reader(io.StringIO(rendered(hostile(), "csv"))):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_the_json_is_a_red_team_report_with_its_promised_parts() -> None:
    value = json.loads(rendered(drawn(), "json"))
    assert value["report"] == "red_team_report"
    assert value["schema_version"] == 1
    promised = {"victim", "attacker", "families", "budgets", "attempted", "valid", "validity_rate", "directions"}
    assert promised | {"held_out", "stages", "regression_ids", "curves", "ladder", "canaries", "warnings"} <= set(value)
    assert value["held_out"] is None
    assert value["victim"]["threshold"] == 0.5


def test_the_first_screen_tells_what_was_attacked_and_what_came_of_it() -> None:
    report = drawn()
    first_screen = "\n".join(on_terminal(report).splitlines()[:16])
    attack = next(one.attack for one in report.directions if one.goal is FA)
    assert "word_overlap" in first_screen
    for found in (attack.baseline, attack.control, attack.asr_all, attack.asr_induced, attack.worst_case):
        assert f"{found.numerator}/{found.denominator}" in first_screen


def test_the_terminal_marks_the_changed_words() -> None:
    assert "opened in [-2018-] {+2019+}." in on_terminal(drawn())


def test_every_file_is_written(tmp_path: Path) -> None:
    report = drawn()
    write_all(report, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rates.csv", "report.html", "report.json", "report.md"]
    assert (tmp_path / "report.json").read_text(encoding="utf-8") == report.to_json()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be written"):
        write_all(drawn(), tmp_path / "absent")


def test_an_unknown_form_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ReportError, match="json, md, csv, html"):
        rendered(drawn(), "pdf")


def test_a_diff_marks_the_replaced_word_alone() -> None:
    assert [(run.kind, run.text) for run in word_diff("It opened in 2018.", "It opened in 2019.")] == [
        (Kind.KEPT, "It opened in "),
        (Kind.REMOVED, "2018"),
        (Kind.KEPT, " "),
        (Kind.ADDED, "2019"),
        (Kind.KEPT, "."),
    ]


def test_a_long_kept_run_is_cut_in_the_middle() -> None:
    claim = " ".join(f"w{index}" for index in range(5_000))
    runs = word_diff(claim, f"{claim} not")
    assert "… " in [run.text for run in runs]
    assert sum(len(run.text) for run in runs) < 500
    assert runs[-1] == (Kind.ADDED, "not")


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["a", "bb", "c.", "7"]), max_size=12),
    st.lists(st.sampled_from(["a", "bb", "d"]), max_size=12),
)
def test_a_diff_without_its_removed_words_reads_as_the_new_claim(before: list[str], after: list[str]) -> None:
    runs = word_diff(" ".join(before), " ".join(after))
    kept = "".join(run.text for run in runs if run.kind is not Kind.REMOVED)
    assert kept.split() == " ".join(after).split()


@settings(max_examples=60)
@given(st.text(), st.text())
def test_any_two_texts_can_be_compared_and_hide_nothing(before: str, after: str) -> None:
    for run in word_diff(before, after):
        assert run.text == words.visible(run.text)


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "—"), (0.0, "0 %"), (1.0, "100 %"), (0.004, "<1 %"), (0.996, ">99 %"), (0.641, "64 %")]
)
def test_only_an_exact_nought_or_one_is_shown_as_such(value: float | None, shown: str) -> None:
    assert words.percent(value) == shown


def test_a_cell_names_what_it_could_not_count() -> None:
    outcomes = [Outcome.SUCCEEDED, Outcome.ERROR, Outcome.NO_EVIDENCE, Outcome.UNKNOWN]
    cell = words.cell(rate(Mark(str(index), outcome) for index, outcome in enumerate(outcomes)))
    assert cell == "1/1 100 % [21–100 %] (+1 error, 1 without evidence, 1 unknown)"
    assert words.cell(rate([Mark("a", Outcome.ERROR)])) == "— (+1 error)"


def test_a_threshold_and_a_score_of_nought_are_figures_and_not_absences() -> None:
    # d08
    made = manifest([case("a")])
    made = made.model_copy(update={"victim": made.victim.model_copy(update={"threshold": 0.0})})
    found = counterexample("temporal-1", pre_score=0.0, post_score=0.0, threshold=0.0)
    page = rendered(build(made, [], [found]), "html")
    assert "accepts at risk ≤ 0," in page
    assert "Risk 0.000 before (○), 0.000 after (●), threshold 0.000." in page
