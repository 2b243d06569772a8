"""Whole curves over claims whose every word is a direction."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from confute import cli, contract
from confute.errors import CalibrationError, ContractError, DatasetError
from confute.harness import degradation_run
from confute.harness.degradation import Settings
from confute.harness.degradation_settings import settings
from confute.harness.mining import energies
from confute.harness.mining.miner import Toggles
from confute.harness.progress import Lines
from confute.harness.render.degradation_html import degradation_html, write_degradation, written
from confute.harness.render.degradation_terminal import print_degradation
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


class Hashing:
    """Adds up a fixed random direction for each word."""

    fingerprint = "hashing"

    def embed(self, texts):
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def truncated(self, texts):
        return 0

    def _vector(self, text):
        words = [np.random.default_rng(list(word.encode())).normal(size=64) for word in text.split()]
        return np.sum(words, axis=0) / np.linalg.norm(np.sum(words, axis=0))


@pytest.fixture(autouse=True)
def _words_are_directions(monkeypatch):
    monkeypatch.setattr(models, "load", lambda name="minilm", *, cache=None: Hashing())


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
    return degradation_run.run(parsed, data, None, Settings(**options), Lines())


def test_the_same_inputs_give_the_same_bytes_in_every_form(tmp_path):
    first, second = (curve(tmp_path, budgets=(1, 4), ranks=(1, "full"), ablate=True) for _ in range(2))
    for form in ("json", "md", "html"):
        assert written(first, form) == written(second, form)


def test_every_point_names_its_counts_and_the_search_never_finds_worse(tmp_path):
    (found,) = curve(tmp_path, budgets=(16, 1, 4, 4)).curves
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
    assert (point.mined, point.too_few_eligible, point.auc.value, point.mean) == (0, point.claims, None, None)
    assert "too_few_eligible" in {one.code for one in result.warnings}


def test_one_source_is_told_and_mines_nothing(tmp_path):
    result = curve(tmp_path, rows(groups=1), threshold="{value: 0.5}", budgets=(1,))
    assert {one.code for one in result.warnings} >= {"one_source", "too_few_eligible", "threshold_given"}
    assert [point.mined for point in result.curves[0].points] == [0, 0]
    assert result.curves[0].baseline.mined == 0
    print_degradation(result)


def test_one_source_cannot_be_calibrated_on(tmp_path):
    with pytest.raises(CalibrationError, match="cannot be split"):
        curve(tmp_path, rows(groups=1))


def test_one_set_for_all_mines_nothing(tmp_path):
    result = curve(tmp_path, rows(evidence=["court"]), threshold="{value: 0.5}", budgets=(1,))
    assert (result.pool.sets, result.pool.most_eligible) == (1, 0)
    assert "one_passage_sets" in {one.code for one in result.warnings}


def test_empty_sets_are_told_and_neither_mined_nor_mined_for(tmp_path):
    made = rows()
    for row in made[::6]:
        row["evidence"] = [" "]
    result = curve(tmp_path, made, budgets=(1,))
    assert result.pool.cases_without_evidence > 0
    assert "cases_without_evidence" in {one.code for one in result.warnings}
    assert result.curves[0].unmeasured == 0


def test_rows_left_out_are_told(tmp_path):
    result = curve(tmp_path, [*rows(), rows()[0]], budgets=(1,))
    assert "duplicate_id 1" in {one.code: one.message for one in result.warnings}["rows_dropped"]


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


def test_a_selection_of_nothing_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="--select"):
        curve(tmp_path, threshold="{value: 0.5}", select="nothing*")


def test_another_detector_is_refused(tmp_path):
    parsed = contract.parse("victim: {detector: word_overlap}\nobjective: {oracle: facts}\n")
    with pytest.raises(ContractError, match=r"victim\.detector"):
        degradation_run.run(parsed, None, None, Settings(), Lines())


def test_the_facts_oracle_checks_every_mined_set(tmp_path):
    parsed = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED).replace("guarded_text", "facts"))
    result = degradation_run.run(parsed, None, None, Settings(budgets=(1,)), Lines())
    assert {point.unchecked for point in result.curves[0].points} == {0}
    assert "support_unchecked" not in {one.code for one in result.warnings}


def test_accidental_support_is_no_negative(tmp_path, monkeypatch):
    from confute.oracles.facts.oracle import FactsOracle
    from confute.records import Ruling, Validity

    supports = Ruling(validity=Validity.INVALID, label=None, reason="label_not_changed", method="m", oracle_version="1")
    monkeypatch.setattr(FactsOracle, "rule", lambda self, case, candidate: supports)
    parsed = contract.parse(CONTRACT.replace("THRESHOLD", CALIBRATED).replace("guarded_text", "facts"))
    (found,) = degradation_run.run(parsed, None, None, Settings(budgets=(1,)), Lines()).curves
    assert found.points[0].ruled_supported == found.claims
    assert (found.points[0].false_acceptance.rate.denominator, found.points[0].mean) == (0, None)


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


def test_the_forms_are_written_into_a_folder(tmp_path):
    result = curve(tmp_path, budgets=(1,))
    write_degradation(result, tmp_path / "deep" / "folder")
    names = sorted(path.name for path in (tmp_path / "deep" / "folder").iterdir())
    assert names == ["curve.html", "curve.json", "curve.md"]
    value = json.loads((tmp_path / "deep" / "folder" / "curve.json").read_text())
    assert (value["report"], value["settings"]["budgets"]) == ("adversarial_degradation_curve", [1])


def test_lists_on_the_command_line_become_settings():
    found = settings(budgets="4, 1", ranks="1,full,1", select=None, ablate=False, without=["source_guard"])
    assert (found.budgets, found.ranks) == ((4, 1), (1, "full"))
    assert found.toggles.moved == ("source_guard",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"budgets": "1,x"}, "--budgets"),
        ({"budgets": "0"}, "--budgets"),
        ({"budgets": ""}, "--budgets"),
        ({"budgets": "9" * 5000}, "--budgets"),
        ({"ranks": "half"}, "--ranks"),
        ({"without": ["guard"]}, "source_guard, honour_labels, eligible_budget, drop_null_directions"),
    ],
)
def test_a_wrong_option_names_itself_and_what_is_allowed(given, said):
    options = {"budgets": None, "ranks": None, "select": None, "ablate": False, "without": []} | given
    with pytest.raises(ContractError, match=said):
        settings(**options)


def test_the_command_prints_its_table_and_writes_its_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONTRACT.replace("THRESHOLD", CALIBRATED))
    Path("claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
    done = CliRunner().invoke(cli.app, ["curve", "c.yaml", "--data", "claims.jsonl", "--budgets", "1,4"])
    assert done.exit_code == 0, done.output
    assert "lambda_adv" in done.output
    (folder,) = (tmp_path / "runs").iterdir()
    assert (folder / "curve.html").exists()
    assert tuple(Toggles.model_fields) == cli._TOGGLES


def test_the_examples_are_valid_contracts_that_a_curve_can_use():
    examples = sorted((Path(__file__).parents[3] / "examples").glob("curve-*.yaml"))
    assert len(examples) >= 3
    for example in examples:
        degradation_run._check(contract.load(example))
