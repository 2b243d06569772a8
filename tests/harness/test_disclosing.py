"""An agent at a level can read nothing above that level, whatever it does with what it is given."""

import pytest
from attacking import contract_of
from watching import Quiet

from confute import contract
from confute.contract import Segmentation, Victim
from confute.errors import ContractError
from confute.harness import arena, run
from confute.harness.disclosing import Discloser
from confute.records import Case, Knowledge, Label
from confute.victims.overlap import WordOverlap

CASE = Case(
    case_id="c",
    claim="Ana paid 10 euros.",
    evidence=("Ana paid 10 euros. She was glad.",),
    label=Label.SUPPORTED,
    domain="d",
    source="s",
    group="g",
)
LOCAL = """
victim: {{detector: {detector}, threshold: {{value: 0.123456789}}}}
objective: {{oracle: facts}}
attacker: {{strategy: greedy, knowledge: {level}, budgets: {{victim_queries: 4}}}}
evaluation: {{max_cases: 2, seed: 3}}
"""


class Secretive:
    """Counts letters."""

    def score(self, pairs):
        return [float(len(pair.claim)) for pair in pairs]


class Open(Secretive):
    def attributions(self, pair):
        return [(0, 3, 0.5)]


def discloser(level, built=None, **victim):
    declared = Victim(**{"detector": "word_overlap", "threshold": {"value": 0.123456789}, **victim})
    return Discloser(declared, built or WordOverlap(), None, level)


def views(monkeypatch, tmp_path, level, detector="hallucination_energy"):
    """Return the views that the agent of a real run was given."""
    seen = []

    class Watching:
        fingerprint = "f"

        def search(self, view):
            seen.append(view)
            return iter(())
            yield

    monkeypatch.setattr(arena.agents, "load", lambda attacker, **_: Watching())
    order = run.Order(contract=contract.parse(LOCAL.format(level=level, detector=detector)), data=None)
    folder = tmp_path / level
    folder.mkdir()
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    return seen


@pytest.mark.parametrize("level", list(Knowledge))
def test_the_view_of_a_real_run_holds_what_the_level_may_see_and_nothing_above(monkeypatch, tmp_path, level):
    found = views(monkeypatch, tmp_path, level.value)
    assert {view.knowledge for view in found} == {level, Knowledge.DECISION}  # the control without feedback knows least
    for view in found:
        assert (view.disclosure is not None) is view.knowledge.includes(Knowledge.ALGORITHM)
        if view.disclosure is not None:
            inside = view.knowledge.includes(Knowledge.WHITE_BOX)
            assert bool(view.disclosure.basis) is inside
            assert bool(view.disclosure.attributions) is inside
            assert view.disclosure.configuration["detector"] == "hallucination_energy"
        assert "0.12345" not in view.model_dump_json()


@pytest.mark.parametrize("level", [Knowledge.DECISION, Knowledge.SCORE])
def test_nothing_is_disclosed_up_to_the_level_score(level):
    assert discloser(level).of(CASE) is None


def test_the_algorithm_is_described_with_its_configuration_and_the_evidence_as_it_cuts_it():
    shown = discloser(Knowledge.ALGORITHM, segmentation=Segmentation(unit="sentence")).of(CASE)
    assert shown.description.startswith("Scores 1 - the share of the claim's distinct words")
    assert shown.configuration == {"detector": "word_overlap", "segmentation": "sentence"}
    assert shown.passages == ("Ana paid 10 euros.", "She was glad.")
    assert (shown.basis, shown.attributions) == ((), ())


def test_a_white_box_attributes_the_risk_to_each_token_that_is_left_out():
    # The words ana, paid, 10, euros all stand in the evidence: without any of them the risk stays 0. A foreign word
    # carries the whole risk: of 5 words 1 is new, and without it none.
    foreign = CASE.model_copy(update={"claim": "Ana paid Ben 10 euros."})
    shown = discloser(Knowledge.WHITE_BOX).of(foreign)
    rises = {one.token: one.rise for one in shown.attributions}
    assert rises["Ben"] == pytest.approx(-0.2)
    # Without one of the four known words 1 of 4 is new: 0.25 instead of 0.2.
    assert rises["Ana"] == pytest.approx(0.05)
    assert all(foreign.claim[one.start : one.end] == one.token for one in shown.attributions)


def test_the_basis_is_that_of_the_detector_itself(minilm):
    declared = Victim(detector="hallucination_energy", rank=1, threshold={"value": 0.5})
    from confute.victims.energy import HallucinationEnergy

    detector = HallucinationEnergy(minilm, 1)
    shown = Discloser(declared, detector, minilm, Knowledge.WHITE_BOX).of(CASE)
    (direction,) = shown.basis
    claim = minilm.embed([CASE.claim])[0]
    from confute.records import Pair

    (risk,) = detector.score([Pair(claim=CASE.claim, evidence=shown.passages)])
    assert risk == pytest.approx(1 - float(claim @ direction) ** 2, abs=1e-6)


def test_a_users_own_detector_is_a_white_box_only_where_it_explains_itself():
    own = {"detector": "mine:Detector"}
    with pytest.raises(ContractError, match="offers nothing of its inside"):
        discloser(Knowledge.WHITE_BOX, Secretive(), **own)
    assert discloser(Knowledge.ALGORITHM, Secretive(), **own).of(CASE).description == "Counts letters."
    (one,) = discloser(Knowledge.WHITE_BOX, Open(), **own).of(CASE).attributions
    assert (one.token, one.rise) == ("Ana", 0.5)
    (turned,) = discloser(Knowledge.WHITE_BOX, Open(), higher_is_safer=True, **own).of(CASE).attributions
    assert turned.rise == -0.5


def test_a_case_without_evidence_discloses_no_inside():
    shown = discloser(Knowledge.WHITE_BOX).of(CASE.model_copy(update={"evidence": ()}))
    assert (shown.passages, shown.basis, shown.attributions) == ((), (), ())


def test_every_level_can_be_asked_for_in_a_contract():
    for level in Knowledge:
        assert contract_of(level.value).attacker.knowledge is level
