"""Whole curves over claims whose every word is a direction."""

import json
import re
import xml.etree.ElementTree as ElementTree
from io import StringIO
from pathlib import Path

import pytest
from hashing_words import Hashing, hashed
from rich.console import Console
from typer.testing import CliRunner

from confute import cli, cli_curve, contract
from confute.curve_plan import CurvePlan, Toggles
from confute.errors import CalibrationError, ContractError, DatasetError, VictimError
from confute.harness import degradation_run
from confute.harness.degradation_options import overridden
from confute.harness.degradation_prepare import prepare
from confute.harness.degradation_rows import PointLedger
from confute.harness.mining import energies
from confute.harness.progress import Lines
from confute.harness.render.degradation_chart import chart, histogram
from confute.harness.render.degradation_html import degradation_html, write_degradation, written
from confute.harness.render.degradation_terminal import print_degradation
from confute.harness.render.degradation_words import ablation_table, curve_lines, lines
from confute.harness.render.plot import Dot, y_at
from confute.harness.render.words import estimate
from confute.models import load as models

CONTRACT = """
victim:
  detector: hallucination_energy
  rank: full
  segmentation: {unit: passage}
  threshold: THRESHOLD
objective: {oracle: guarded_text}
"""
CALIBRATED = "{calibrate: {error: false_rejection, target_rate: 0.1, share: 0.4}}"
TOPICS = ("court", "river", "virus", "engine", "forest", "market")


@pytest.fixture(autouse=True)
def _words_are_directions(monkeypatch):
    monkeypatch.setattr(models, "load", hashed)


def rows(n=60, groups=30, evidence=None):
    """Claims of three words; the evidence of a supported one repeats them, and sisters share their source's words."""
    made = []
    for number in range(n):
        group, topic = number % groups, TOPICS[number % len(TOPICS)]
        claim = f"{topic} source{group} fact{number}"
        label = "SUPPORTED" if number % 3 else "REFUTED"
        own = [f"{topic} source{group} fact{number if label == 'SUPPORTED' else 'other'} word{number}", f"{topic} more"]
        made.append(
            {
                "id": f"{number:03}:{'q' if number % 2 else 'l'}",
                "claim": claim,
                "evidence": own if evidence is None else evidence,
                "label": label,
                "group": f"g{group}",
                "domain": topic,
            }
        )
    return made


def curve(tmp_path, made=None, threshold=CALIBRATED, **options):
    data = tmp_path / "claims.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in (rows() if made is None else made)))
    parsed = contract.parse(CONTRACT.replace("THRESHOLD", threshold))
    return carried_out(tmp_path, parsed, data, **options)


def carried_out(tmp_path, parsed, data=None, overrides=(), **options):
    planned = parsed.model_copy(update={"curve": CurvePlan(**{"resamples": 500} | options)})
    prepared = prepare(planned, overrides, data, None, Lines())
    return degradation_run.carry_out(tmp_path / prepared.manifest.curve_id, prepared, Lines())


def states(result):
    """Return n and state of each row of the first table of a wide terminal, by the row's name."""
    out = Console(width=250, file=StringIO())
    print_degradation(result, out)
    table = out.file.getvalue().split("\nrank ")[1].splitlines()[2:]
    cells = [[cell for cell in line.split("  ") if cell.strip()] for line in table]
    return {one[0].strip(): (one[1].strip(), one[-1].strip()) for one in cells if len(one) > 5}


def test_the_same_inputs_give_the_same_bytes_in_every_form(tmp_path):
    first, second = (curve(tmp_path, budgets=(1, 4), ranks=(1, "full"), ablate=True) for _ in range(2))
    for form in ("json", "md", "html"):
        assert written(first, form) == written(second, form)


def test_every_point_names_its_counts_and_the_search_never_finds_worse(tmp_path):
    (found,) = curve(tmp_path, budgets=(16, 1, 4, 4, "all")).curves
    assert [point.name for point in found.points] == ["1", "4", "16", "all"]
    assert {point.mined for point in found.points} == {found.claims}
    means = [point.mean for point in found.points]
    assert means == sorted(means, reverse=True)
    assert (found.monotony.rises, found.monotony.compared) == (0, 3 * found.claims)
    assert sum(found.first_accepted_at.values()) == found.claims
    assert found.victim.threshold_source == "calibrated"
    assert found.baseline.false_acceptance.rate.denominator == found.claims


def test_a_search_that_finds_worse_with_more_is_told(tmp_path, monkeypatch):
    right = energies.shortlisted
    monkeypatch.setattr(energies, "shortlisted", lambda *given: 1 - right(*given))
    result = curve(tmp_path, budgets=(1, 4))
    assert result.curves[0].monotony.rises > 0
    assert "best_of_k_rises" in {one.code for one in result.warnings}


def test_calibration_claims_and_pool_share_no_source(tmp_path):
    result = curve(tmp_path, budgets=(1,))
    (found,) = result.curves
    calibration = found.victim.calibration
    # 40 % of 30 sources of two claims are set aside; the pool holds the sets of the other 18.
    assert (result.pool.groups, result.pool.sets) == (18, 36)
    assert calibration.n + found.claims <= sum(row["label"] == "SUPPORTED" for row in rows())


def test_one_rank_alone_and_beside_others_has_the_same_curve(tmp_path):
    together = curve(tmp_path, budgets=(1, 4), ranks=(1, 2, "full")).curves[1]
    (alone,) = curve(tmp_path, budgets=(1, 4), ranks=(2,)).curves
    assert together == alone


def test_each_toggle_moved_alone_is_an_ablation_that_changes_the_figures_it_is_known_to_spoil(tmp_path):
    copies = rows()
    for row in copies:
        row["evidence"] = row["evidence"] * 4
    result = curve(tmp_path, copies, budgets=(1, 4), ablate=True)
    safe, moved = result.curves[0], {one.toggle: one.curve for one in result.ablations}
    assert list(moved) == list(Toggles.model_fields)
    # A sister of the same source and topic is a nearer "wrong" set, so the gap at K = 1 shrinks.
    assert moved["source_guard"].points[0].gap.value < safe.points[0].gap.value - 0.05
    # Refuted rows among the positives raise their mean energy.
    assert moved["honour_labels"].positives_mean > safe.positives_mean + 0.02
    assert moved["honour_labels"].claims > safe.claims
    assert ablation_table(result).head == ("", "safe", *(f"{name} off" for name in Toggles.model_fields))
    # The own set takes the one place of K = 1, so a random set stands there and the curve falls from too high.
    assert moved["eligible_budget"].points[0].gap.value > safe.points[0].gap.value + 0.05
    # Copies add arbitrary directions, so energies of foreign evidence sink.
    assert moved["drop_null_directions"].baseline.mean < safe.baseline.mean - 0.02


def test_a_moved_toggle_is_told(tmp_path):
    result = curve(tmp_path, budgets=(1,), toggles=Toggles(source_guard=False))
    assert result.warnings[0].code == "toggles_moved"
    assert "source_guard" in result.warnings[0].message


def test_budgets_beyond_the_pool_are_told_and_stay_empty(tmp_path):
    result = curve(tmp_path, budgets=(4, 64))
    point = result.curves[0].points[1]
    n = point.claims
    assert states(result)["64"] == (f"0/{n}", f"too few eligible: {n} of {n}")
    assert (point.mined, point.too_few_eligible, point.auc.value, point.mean) == (0, point.claims, None, None)
    firsts = next(line for line in curve_lines(result.curves[0]) if line.startswith("first accepted at"))
    assert "K = 64: —; never" in firsts
    assert "K = 4: —" not in firsts
    assert "too_few_eligible" in {one.code for one in result.warnings}


def test_one_source_is_told_and_mines_nothing(tmp_path):
    result = curve(tmp_path, rows(groups=1), threshold="{value: 0.5}", budgets=(1,))
    assert {one.code for one in result.warnings} >= {
        "one_source",
        "nothing_eligible",
        "too_few_eligible",
        "threshold_given",
    }
    assert [point.mined for point in result.curves[0].points] == [0]
    assert result.curves[0].baseline.mined == 0
    n = result.curves[0].claims
    assert states(result) == {
        "own evidence": (f"{n}/{n}", "measured"),
        "random (baseline)": (f"0/{n}", f"one source in all: {n} of {n}"),
        "same domain": (f"0/{n}", f"one source in all: {n} of {n}"),
        "semantic neighbour": (f"0/{n}", f"one source in all: {n} of {n}"),
        "1": (f"0/{n}", f"one source in all: {n} of {n}"),
    }


def test_one_source_is_told_before_anything_is_set_aside_to_calibrate_on(tmp_path):
    with pytest.raises(DatasetError, match=r"^group: nothing could be mined: all evidence is of one source"):
        curve(tmp_path, rows(groups=1))


def test_groups_that_are_all_joined_are_one_source(tmp_path):
    made = [row | {"sources": ["the one book"]} for row in rows()]
    with pytest.raises(DatasetError, match=r"all evidence is of one source.*\n.*\n  got: '60 cases'"):
        curve(tmp_path, made)


def test_one_source_beside_the_calibration_half_is_told_before_anything_is_embedded(tmp_path, monkeypatch):
    def embed(self, texts):
        raise AssertionError("nothing is to be embedded")

    monkeypatch.setattr(Hashing, "embed", embed)
    # Two groups of 30: one is set aside, the other is all that could be mined.
    with pytest.raises(DatasetError, match="all evidence outside the calibration half is of one source"):
        curve(tmp_path, rows(groups=2))


def test_where_nothing_could_be_mined_one_line_stands_for_the_empty_plot(tmp_path):
    result = curve(tmp_path, rows(groups=1), threshold="{value: 0.5}", budgets=(1, "all"))
    page = written(result, "html")
    assert page.count("Nothing could be mined.") == 1
    # The histogram of own evidence stays.
    assert page.count("<svg") == 1
    assert all("Nothing could be mined" in written(result, form) for form in ("md", "json"))


def test_one_set_for_all_mines_nothing(tmp_path):
    result = curve(tmp_path, rows(evidence=["court"]), threshold="{value: 0.5}", budgets=(1, "all"))
    assert (result.pool.sets, result.pool.most_eligible) == (1, 0)
    assert {one.code for one in result.warnings} >= {"one_passage_sets", "one_set", "nothing_eligible"}
    n = result.curves[0].claims
    assert states(result)["all eligible"] == (f"0/{n}", f"one set in all: {n} of {n}")
    assert "claims.jsonl: 1 evidence set of 30 sources, 0 eligible" in next(lines(result))


def test_a_claim_whose_domain_has_no_other_source_is_told_in_its_row(tmp_path):
    made = [row | {"domain": "alone" if row["group"] == "g1" else "together"} for row in rows()]
    result = curve(tmp_path, made, threshold="{value: 0.5}", budgets=(1,))
    # Source 1 has two cases, 001 and 031, both SUPPORTED: neither finds a set of its domain outside its source.
    n = result.curves[0].claims
    assert states(result)["same domain"] == (f"{n - 2}/{n}", f"no set of the domain: 2 of {n}")


def test_empty_sets_are_told_and_neither_mined_nor_mined_for(tmp_path):
    made = rows()
    for row in made[::6]:
        row["evidence"] = [" "]
    result = curve(tmp_path, made, budgets=(1,))
    without = result.pool.cases_without_evidence
    assert without > 0
    n = result.curves[0].claims
    assert states(result)["own evidence"] == (f"{n}/{n}", f"no evidence: {without} cases")
    assert "cases_without_evidence" in {one.code for one in result.warnings}
    assert result.curves[0].unmeasured == 0


def test_nothing_but_empty_sets_is_refused(tmp_path):
    with pytest.raises(VictimError, match=r"nothing to mine\n  got: '60 cases without evidence'"):
        curve(tmp_path, rows(evidence=[" "]), threshold="{value: 0.5}")


def test_rows_left_out_are_told(tmp_path):
    result = curve(tmp_path, [*rows(), rows()[0]], budgets=(1,))
    said = {one.code: one.message for one in result.warnings}["rows_dropped"]
    assert said == "1 of 61 rows was left out: 1 with an id that stands before (first on line 61)."


def test_claims_are_selected_by_a_glob_on_their_ids(tmp_path):
    everything, some = curve(tmp_path, budgets=(1,)), curve(tmp_path, budgets=(1,), select="*:l")
    assert some.curves[0].claims < everything.curves[0].claims
    assert some.pool == everything.pool.model_copy(
        update={"fewest_eligible": some.pool.fewest_eligible, "most_eligible": some.pool.most_eligible}
    )


def test_a_file_without_supported_claims_is_refused(tmp_path):
    made = [row | {"label": "REFUTED"} for row in rows()]
    with pytest.raises(DatasetError, match="no claim is labelled SUPPORTED"):
        curve(tmp_path, made, threshold="{value: 0.5}")


@pytest.mark.parametrize("threshold", ["{value: 0.5}", CALIBRATED])
def test_a_selection_of_nothing_is_refused_with_what_ids_look_like(tmp_path, threshold):
    with pytest.raises(
        DatasetError, match=r"^curve\.select: no id matches 'zzz\*'; ids look like '000:l', '001:q', '002:l'\n"
    ):
        curve(tmp_path, threshold=threshold, select="zzz*")


def test_a_selection_without_supported_claims_is_refused(tmp_path):
    with pytest.raises(DatasetError, match=r"^curve\.select: no claim is labelled SUPPORTED"):
        curve(tmp_path, threshold="{value: 0.5}", select="000:*")


@pytest.mark.usefixtures("declared")
def test_the_option_that_selects_nothing_is_named():
    done = invoked("curve", "c.yaml", "--data", "claims.jsonl", "--select", "zzz*")
    assert str(done.exception).startswith("--select: no id matches 'zzz*'")


def test_too_few_cases_to_calibrate_on_are_refused_before_anything_is_embedded(tmp_path, monkeypatch):
    def embed(self, texts):
        raise AssertionError("nothing is to be embedded")

    monkeypatch.setattr(Hashing, "embed", embed)
    made = [row | {"label": "SUPPORTED"} for row in rows(20, 20)]
    # 40 % of 20 groups of one case are 8.
    with pytest.raises(CalibrationError, match=r"at least 10\n  got: '8, of 8 in that half'"):
        curve(tmp_path, made)


def test_another_detector_is_refused(tmp_path):
    parsed = contract.parse("victim: {detector: word_overlap}\nobjective: {oracle: facts}\n")
    with pytest.raises(ContractError, match=r"victim\.detector"):
        carried_out(tmp_path, parsed)


def test_the_facts_oracle_checks_every_mined_set(tmp_path):
    parsed = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED).replace("guarded_text", "facts"))
    result = carried_out(tmp_path, parsed, budgets=(1,))
    assert {point.unchecked for point in result.curves[0].points} == {0}
    assert "support_unchecked" not in {one.code for one in result.warnings}


def test_accidental_support_is_no_negative(tmp_path, monkeypatch):
    from confute.oracles.facts.oracle import FactsOracle
    from confute.records import Ruling, Validity

    supports = Ruling(validity=Validity.INVALID, label=None, reason="label_not_changed", method="m", oracle_version="1")
    monkeypatch.setattr(FactsOracle, "rule", lambda self, case, candidate: supports)
    parsed = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED).replace("guarded_text", "facts"))
    result = carried_out(tmp_path, parsed, budgets=(1,))
    (found,) = result.curves
    assert (found.points[0].too_few_eligible, result.pool.most_eligible) == (found.claims, 0)
    assert (found.points[0].false_acceptance.rate.denominator, found.points[0].mean) == (0, None)
    codes = {one.code for one in result.warnings}
    assert "nothing_eligible" in codes
    assert not codes & {"one_set", "one_source"}


def test_pages_escape_hostile_names_and_hold_well_formed_drawings(tmp_path):
    result = curve(tmp_path, budgets=(1, 4), ablate=True)
    named = result.dataset.model_copy(update={"name": "<script>alert(1)</script>\u202e|x"})
    page = degradation_html(result.model_copy(update={"dataset": named}))
    assert "<script" not in page
    assert "⟨U+202E⟩" in page
    drawings = page.split("<svg")[1:]
    assert len(drawings) == 2
    for drawing in drawings:
        tree = ElementTree.fromstring("<svg" + drawing.split("</svg>")[0] + "</svg>")
        assert [one for one in tree.iter() if one.tag == "path" and one.attrib["d"].startswith("M")]


def test_the_plot_sets_the_search_beside_random_evidence_and_both_axes_are_named(tmp_path):
    result = curve(tmp_path, budgets=(1, 4))
    (found,) = result.curves
    drawn = chart(found)
    assert [tick.label for tick in drawn.x_ticks] == ["random", "1", "4"]
    assert drawn.x_ticks[0].at < drawn.x_ticks[1].at
    rejected, ranked = drawn.levels
    assert ranked.dot == Dot(
        drawn.x_ticks[0].at, y_at(found.baseline.auc.value), f"AUC, random evidence: {estimate(found.baseline.auc)}"
    )
    assert rejected.dot.y == y_at(found.baseline.false_acceptance.rate.value)
    page = degradation_html(result)
    assert all(f">{name}</text>" in page for name in ("AUC; share accepted", "share of claims"))


def test_the_heights_of_a_histogram_are_shares_of_claims(tmp_path):
    (found,) = curve(tmp_path, budgets=(1,)).curves
    histograms = (found.positives_histogram, found.baseline.histogram, found.points[0].histogram)
    highest = max(max(bins) / sum(bins) for bins in histograms)
    ticks = histogram(found).y_ticks
    assert 1 < len(ticks) <= 6
    assert ticks[0] == (y_at(0.0), "0 %")
    assert all(tick.at == pytest.approx(y_at(float(tick.label[:-2]) / 100 / highest)) for tick in ticks)


def test_no_line_of_a_cell_ends_inside_brackets(tmp_path):
    page = degradation_html(curve(tmp_path, budgets=(1,)))
    intervals = re.findall(r"<td>[^<]*(?:<[^<]*)*?</td>", page)
    assert any("[" in cell for cell in intervals)
    assert all(re.search(r'<span class="whole">\[[^\]]*\]</span>', cell) for cell in intervals if "[" in cell)


def test_the_forms_are_written_into_a_folder(tmp_path):
    result = curve(tmp_path, budgets=(1,))
    write_degradation(result, tmp_path / "deep" / "folder")
    names = sorted(path.name for path in (tmp_path / "deep" / "folder").iterdir())
    assert names == ["curve.html", "curve.json", "curve.md"]
    value = json.loads((tmp_path / "deep" / "folder" / "curve.json").read_text())
    assert (value["report"], value["plan"]["budgets"]) == ("adversarial_degradation_curve", [1])


def test_options_take_the_place_of_fields_and_are_told(tmp_path):
    declared = contract.parse(
        CONTRACT.replace("THRESHOLD", CALIBRATED) + "curve: {budgets: [1, 4, all], ranks: [full]}\n"
    )
    given, overrides = overridden(declared, budgets="4, 1", ranks="1,full,1", without=["source_guard"], seed=7)
    assert (given.curve.budgets, given.curve.ranks, given.evaluation.seed) == ((1, 4), (1, "full"), 7)
    assert given.curve.toggles.moved == ("source_guard",)
    assert [(one.field, one.declared, one.given) for one in overrides] == [
        ("curve.budgets", "1, 4, all", "1, 4"),
        ("curve.ranks", "full", "1, full"),
        (
            "curve.toggles",
            "source_guard on, honour_labels on, eligible_budget on, drop_null_directions on",
            "source_guard off, honour_labels on, eligible_budget on, drop_null_directions on",
        ),
        ("evaluation.seed", "0", "7"),
    ]
    data = tmp_path / "claims.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    prepared = prepare(given, overrides, data, None, Lines())
    result = degradation_run.carry_out(tmp_path / "c", prepared, Lines())
    said = [one.message for one in result.warnings]
    assert said[0].startswith("Not the safe way to mine: source_guard is off")
    assert "Not as the contract declares: curve.budgets is 1, 4 (declared: 1, 4, all)." in said


def test_toggles_may_be_named_with_commas_or_one_by_one():
    declared = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED) + "curve: {}\n")
    both = [
        overridden(declared, without=given)
        for given in (["honour_labels, source_guard"], ["honour_labels", "source_guard"])
    ]
    assert both[0] == both[1]
    assert both[0][0].curve.toggles.moved == ("source_guard", "honour_labels")


def test_one_number_beside_all_is_a_sweep():
    declared = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED) + "curve: {}\n")
    assert overridden(declared, budgets="1,all")[0].curve.budgets == (1, "all")


def test_an_option_that_says_what_the_contract_says_is_no_override():
    declared = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED) + "curve: {budgets: [1, 4]}\n")
    assert overridden(declared, budgets="1,4", ablate=False, seed=0) == (declared, ())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"budgets": "1,x"}, "--budgets"),
        ({"budgets": "0"}, "--budgets"),
        ({"budgets": "all"}, "at least one number"),
        ({"select": " "}, "--select: cannot be carried out: must not be blank"),
        ({"seed": 2**63}, "--seed"),
        ({"budgets": ""}, "--budgets"),
        ({"budgets": "9" * 5000}, "--budgets"),
        ({"ranks": "half"}, "--ranks"),
        ({"without": ["guard"]}, "source_guard, honour_labels, eligible_budget, drop_null_directions"),
    ],
)
def test_a_wrong_option_names_itself_and_what_is_allowed(given, said):
    declared = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED) + "curve: {}\n")
    with pytest.raises(ContractError, match=said):
        overridden(declared, **given)


def invoked(*arguments):
    return CliRunner().invoke(cli.app, list(arguments))


@pytest.fixture
def declared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONTRACT.replace("THRESHOLD", CALIBRATED) + "curve: {budgets: [1, 4]}\n")
    Path("claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))


@pytest.mark.usefixtures("declared")
def test_the_command_needs_no_option_prints_its_table_and_writes_its_page():
    done = invoked("curve", "c.yaml", "--data", "claims.jsonl")
    assert done.exit_code == 0, done.output
    assert "lambda_adv" in done.output
    (folder,) = Path("runs").iterdir()
    assert (folder / "curve.html").exists()
    assert tuple(Toggles.model_fields) == cli_curve._TOGGLES


@pytest.mark.usefixtures("declared")
def test_a_pool_of_one_source_is_measured_where_the_threshold_is_given():
    Path("c.yaml").write_text(CONTRACT.replace("THRESHOLD", "{value: 0.5}") + "curve: {budgets: [1]}\n")
    Path("claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(groups=1)))
    done = invoked("curve", "c.yaml", "--data", "claims.jsonl")
    assert done.exit_code == 0, done.output
    assert "Nothing could be mined" in done.output


@pytest.mark.usefixtures("declared")
def test_a_report_renders_a_curve_again_from_its_ledger_alone():
    assert invoked("curve", "c.yaml", "--data", "claims.jsonl").exit_code == 0
    (folder,) = Path("runs").iterdir()
    Path("claims.jsonl").unlink()
    for form in ("json", "md", "html"):
        whole = (folder / f"curve.{form}").read_text()
        (folder / f"curve.{form}").unlink()
        assert invoked("report", str(folder), "--format", form).output == whole
    assert "lambda_adv" in invoked("report", str(folder)).output
    refused = invoked("report", str(folder), "--format", "csv")
    assert refused.exit_code == 2
    assert "a curve is printed as table, json, md, html" in " ".join(refused.output.replace("│", " ").split())


@pytest.mark.usefixtures("declared")
def test_a_curve_that_is_stopped_says_how_to_go_on_and_does(monkeypatch):
    whole = PointLedger.append

    def stopped(self, rows):
        if rows[0].point.name == "1":
            raise KeyboardInterrupt
        whole(self, rows)

    with monkeypatch.context() as patch:
        patch.setattr(PointLedger, "append", stopped)
        done = invoked("curve", "c.yaml", "--data", "claims.jsonl")
    assert done.exit_code == 130
    assert "give the same command again to go on" in done.output
    assert invoked("curve", "c.yaml", "--data", "claims.jsonl").exit_code == 0
    (folder,) = Path("runs").iterdir()
    assert (folder / "curve.html").exists()


@pytest.mark.usefixtures("declared")
def test_a_contract_must_have_what_its_command_needs():
    attacked = invoked("attack", "c.yaml", "--data", "claims.jsonl")
    assert isinstance(attacked.exception, ContractError)
    assert str(attacked.exception).startswith("attacker: the contract declares a curve and no attacker")
    Path("a.yaml").write_text(CONTRACT.replace("THRESHOLD", CALIBRATED))
    swept = invoked("curve", "a.yaml", "--data", "claims.jsonl", "--budgets", "1")
    assert isinstance(swept.exception, ContractError)
    assert str(swept.exception).startswith("curve: the contract declares no curve")
    assert not Path("runs").exists()


def test_the_examples_declare_their_whole_run():
    examples = sorted((Path(__file__).parents[3] / "examples").glob("curve-*.yaml"))
    assert len(examples) >= 4
    for example in examples:
        parsed = contract.load(example)
        assert (parsed.attacks, parsed.curve.ablate, parsed.curve.toggles.moved) == (False, True, ())
        assert set(parsed.curve.ranks) == {1, 2, 4, 8, 16, 32, "full"}
        assert parsed.victim.detector == "hallucination_energy"


def test_strategies_that_the_plan_leaves_out_are_not_measured(tmp_path):
    result = curve(tmp_path, budgets=(1,), strategies=("random", "energy_aware"))
    (found,) = result.curves
    assert (found.same_domain, found.semantic_neighbour) == (None, None)
    # own evidence, random, and K = 1.
    assert (result.planned, result.measured) == (3, 3)


def test_the_semantic_neighbour_is_the_search_at_one_under_every_rank(tmp_path):
    for one in curve(tmp_path, budgets=(1, 4), ranks=(1, "full")).curves:
        assert one.semantic_neighbour.model_dump(exclude={"name", "budget"}) == one.points[0].model_dump(
            exclude={"name", "budget"}
        )


def test_calibration_claims_and_pool_share_no_passage(tmp_path):
    # Sources 2n and 2n + 1 share a passage, so that 30 groups are 15 sources, of which 40 % are set aside.
    made = rows()
    for row in made:
        row["evidence"].append(f"report on sources number {int(row['group'][1:]) // 2}")
    result = curve(tmp_path, made, budgets=(1,))
    assert (result.sources.declared, result.sources.joined, result.sources.largest) == (30, 15, 2)
    assert (result.pool.groups, result.pool.sets, result.curves[0].groups) == (9, 36, 9)
    # A claim's own group and the one beside it are kept from it: 4 of 36 sets; of these two only by the passage.
    assert (result.pool.fewest_eligible, result.pool.most_eligible) == (32, 32)
    assert result.pool.kept_apart == 2 * result.curves[0].claims


def test_a_contract_names_what_tells_a_source_in_a_passage(tmp_path):
    made = rows()
    for row in made:
        row["evidence"].append(f"page{int(row['group'][1:]) // 3}: fact number {row['id']}")
    assert curve(tmp_path, made, budgets=(1,)).sources.joined == 30
    assert curve(tmp_path, made, budgets=(1,), passage_source="^([^ ]+?): ").sources.joined == 10


@pytest.mark.parametrize(("pattern", "said"), [("[", "must be a regular expression"), ("^a: ", "must have a group")])
def test_a_pattern_that_cannot_name_a_source_is_refused(pattern, said):
    with pytest.raises(ContractError, match=said):
        contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED) + f"curve: {{passage_source: '{pattern}'}}\n")


def test_sources_that_rows_name_are_joined(tmp_path):
    made = [row | {"sources": [f"book {int(row['group'][1:]) // 3}"]} for row in rows()]
    assert curve(tmp_path, made, budgets=(1,)).sources.joined == 10


def test_claims_with_too_few_sets_leave_the_slope_but_not_their_own_points(tmp_path):
    # Six groups of one topic share a passage: with 36 sets in the pool, their claims have fewer eligible ones.
    made = rows()
    for row in made:
        if row["domain"] == "river":
            row["evidence"].append("everything about the river")
    result = curve(tmp_path, made, budgets=(1, 4, 30))
    (found,) = result.curves
    fewer = found.points[2].too_few_eligible
    assert 0 < fewer < found.claims
    assert [point.mined for point in found.points] == [found.claims, found.claims, found.claims - fewer]
    assert found.common_claims == found.claims - fewer
    assert found.monotony.compared == 2 * found.common_claims
    assert "some_claims_at_every_k" in {one.code for one in result.warnings}
    page = written(result, "md")
    assert f"of the {found.common_claims} claims measured at every K" in page
    assert f"{found.common_claims}/{found.claims}" in page


def test_draws_that_stand_for_a_search_are_counted_and_their_rises_told(tmp_path):
    result = curve(tmp_path, budgets=(1, 4, "all"), ablate=True)
    without = next(one.curve for one in result.ablations if one.toggle == "eligible_budget")
    assert without.points[0].fallen_back > 0
    assert [point.fallen_back for point in result.curves[0].points] == [0, 0, 0]
    told = {one.code: one.message for one in result.warnings}
    assert f"K = 1: {without.points[0].fallen_back}" in told["fallen_back"]
    # A set that was drawn from the claim's own source has a low energy, which the search of foreign sets cannot reach.
    assert without.monotony.rises > 0
    assert f"without eligible_budget, rank full) in {without.monotony.rises} of" in told["best_of_k_rises"]
    assert any(line.startswith("| drawn at random | 0 |") for line in written(result, "md").splitlines())
