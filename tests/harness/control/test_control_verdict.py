from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence

import httpx
import pytest

from confute.errors import VictimError
from confute.harness.control import asking
from confute.harness.control.arms import material
from confute.harness.control.asking import asked, detector_of
from confute.harness.control.page import page, svg
from confute.harness.control.probe import ControlArm, Material, Probe
from confute.harness.control.verdict import Control, control, difference_low
from confute.harness.judging.page import markdown
from confute.harness.rates import Mark, rate
from confute.records import Case, Label, Outcome, Pair, Score, ScoreState

CORRUPTED = (ControlArm.CORRUPTED, 0.1)
CLEAN = [(ControlArm.FAITHFUL, None), (ControlArm.UNRELATED, None), (ControlArm.FILLER, None)]


def probes(records: int, arms: Sequence[tuple[ControlArm, float | None]] = (*CLEAN, CORRUPTED)) -> Material:
    found = tuple(
        Probe(record=f"r{place}", arm=arm, drift=drift, pair=Pair(claim=f"{arm} {place}", evidence=("e",)))
        for place in range(records)
        for arm, drift in arms
    )
    return Material(source="made", probes=found, left_out={})


_GONE = Score(state=ScoreState.ERROR, error_code="raised", error_message="OSError: no such file")


def verdict(made: Material, risk: dict[ControlArm, float | None]) -> Control:
    scores = [
        _GONE if risk.get(one.arm, 0.0) is None
        else Score(state=ScoreState.MEASURED, value=risk.get(one.arm, 0.0))
        for one in made.probes
    ]  # fmt: skip
    return control("d", made, scores, 0.5)


# 0 of 58 has the upper bound 1 - 0.05 ** (1 / 58) = 0.0503, 0 of 59 has 0.0495
@pytest.mark.parametrize(("records", "passed"), [(58, False), (59, True)])
def test_a_clean_record_passes_from_the_59th_record_on(records: int, passed: bool) -> None:
    assert verdict(probes(records), {ControlArm.CORRUPTED: 1.0}).passed is passed


def test_a_risk_at_the_threshold_flags_nothing() -> None:
    found = verdict(probes(60), {ControlArm.CORRUPTED: 0.5})
    assert found.passed is False
    assert "blind to numbers" in " ".join(found.sentences)


def test_errors_are_no_verdict() -> None:
    found = verdict(probes(60), {ControlArm.CORRUPTED: None})
    assert found.passed is None
    assert found.errors == {"raised": 60}
    assert "has not earned the power to block" in found.earned
    assert any("an outage or an error is no verdict" in one for one in found.sentences)
    assert "first told: OSError: no such file" in found.sentences


@pytest.mark.parametrize(
    ("risk", "said"),
    [
        (dict.fromkeys(ControlArm, 0.7), "constant"),
        ({ControlArm.FAITHFUL: 1.0, ControlArm.UNRELATED: 1.0, ControlArm.FILLER: 1.0}, "inverted"),
        ({ControlArm.CORRUPTED: 1.0, ControlArm.UNRELATED: 1.0}, "takes what is new for what is wrong"),
        ({ControlArm.CORRUPTED: 1.0, ControlArm.FAITHFUL: 1.0, ControlArm.UNRELATED: 0.1}, "cries wolf"),
        ({ControlArm.CORRUPTED: 1.0, ControlArm.FILLER: 1.0}, "goes by form"),
        ({ControlArm.CORRUPTED: 1.0, ControlArm.NEGATED: 0.1}, "blind to negation"),
    ],
)
def test_the_sentence_says_what_kind_of_blindness_it_is(risk: dict[ControlArm, float], said: str) -> None:
    made = probes(60, (*CLEAN, CORRUPTED, (ControlArm.NEGATED, None)))
    assert said in " ".join(verdict(made, dict(risk)).sentences)


def test_the_difference_of_two_bounds_is_that_of_zou_and_donner() -> None:
    first = rate(Mark(str(place), Outcome.SUCCEEDED) for place in range(20))
    second = rate(Mark(str(place), Outcome.RESISTED) for place in range(20))
    # one-sided Clopper-Pearson: 20 of 20 from 0.05 ** (1/20) = 0.8609, 0 of 20 up to 0.1391; 1 - hypot(.1391, .1391)
    assert difference_low(first, second) == pytest.approx(1 - math.hypot(1 - 0.05**0.05, 1 - 0.05**0.05))


def test_many_texts_of_one_record_are_worth_one_record() -> None:
    made = probes(1)
    many = Material(source="made", probes=made.probes * 100, left_out={})
    assert verdict(many, {ControlArm.CORRUPTED: 1.0}).passed is False


def test_a_control_is_printed_with_its_counts_and_drawn() -> None:
    found = verdict(probes(60), {ControlArm.CORRUPTED: 1.0})
    text = markdown(page(found))
    assert "60 of 60" in text
    assert "has earned the power to block, on: corrupted" in text
    assert svg(found).startswith("<svg")
    assert "10%" in svg(found)


class Hostile:
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def score(self, pairs: Sequence[Pair]) -> object:
        match self.kind:
            case "nan":
                return [math.nan] * len(pairs)
            case "short":
                return [0.1]
            case "raise":
                raise SystemExit(3)
            case "hang":
                time.sleep(60)
        return None


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("nan", "not_finite"),
        ("short", "wrong_length"),
        ("raise", "raised"),
        ("hang", "timeout"),
        ("none", "wrong_length"),
    ],
)
def test_whatever_a_hostile_detector_does_is_an_error_with_its_code(kind: str, code: str) -> None:
    made = probes(1)
    scores = asked(Hostile(kind), made.probes, seed=0, timeout_s=0.05)  # type: ignore[arg-type]
    codes = {score.error_code for score in scores}
    assert code in codes or (kind == "short" and ScoreState.MEASURED in {score.state for score in scores})
    assert control("d", made, scores, 0.5).passed is not True


def test_a_pair_over_the_token_budget_is_an_overflow_and_is_never_sent_as_handed_in_c66() -> None:
    sent: list[Pair] = []

    class Seen:
        def score(self, pairs: Sequence[Pair]) -> list[float]:
            sent.extend(pairs)
            return [0.0] * len(pairs)

    long = Probe(record="r", arm=ControlArm.FAITHFUL, pair=Pair(claim="c", evidence=("word " * 33_000,)))
    short = Probe(record="r", arm=ControlArm.FAITHFUL, pair=Pair(claim="c", evidence=("word " * 3,)))
    scores = asked(Seen(), [long, short], seed=0, max_tokens=16_000)
    assert [score.error_code for score in scores] == ["context_overflow", None]
    assert len(sent) == 1


SCRIPT = "import sys, json\nfor line in sys.stdin: print(json.dumps({'score': len(json.loads(line)['claim'])}))"


def test_a_command_reads_a_pair_a_line_and_writes_a_score_a_line(tmp_path) -> None:
    script = tmp_path / "detect.py"
    script.write_text(SCRIPT)
    made = probes(1)
    scores = asked(detector_of(f"{sys.executable} {script}", 30), made.probes, seed=0)
    assert [score.value for score in scores] == [len(one.pair.claim) for one in made.probes]


def test_a_command_that_fails_is_an_error_and_no_score() -> None:
    scores = asked(detector_of(f"{sys.executable} -c raise", 30), probes(1).probes[:1], seed=0)
    assert [score.error_code for score in scores] == ["raised"]


def test_an_endpoint_is_posted_the_pairs_and_an_outage_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def post(url: str, *, json: dict[str, list[object]], timeout: float) -> httpx.Response:
        status = 503 if url.endswith("down") else 200
        return httpx.Response(status, json={"scores": [0.9] * len(json["pairs"])}, request=httpx.Request("POST", url))

    monkeypatch.setattr(httpx, "post", post)
    made = probes(1)
    up, down = (asked(detector_of(f"http://127.0.0.1/{name}", 5), made.probes, seed=0) for name in ("up", "down"))
    assert {score.value for score in up} == {0.9}
    assert {score.error_code for score in down} == {"raised"}
    assert control("d", made, down, 0.5).passed is None


def test_an_unknown_detector_says_what_is_allowed() -> None:
    with pytest.raises(VictimError, match="grounding"):
        detector_of("no_such", 5)
    assert asking.detector_of("word_overlap", 5).score([Pair(claim="a", evidence=("a",))]) == [0.0]


def case(name: str, claim: str, domain: str) -> Case:
    return Case(
        case_id=name, claim=claim, evidence=(claim,), label=Label.SUPPORTED, domain=domain, source="s", group=name
    )


def test_arms_of_records_keep_the_density_of_numbers_and_leave_out_what_cannot_be_built() -> None:
    cases = [
        case("a", "Profit fell by 34 percent.", "x"),
        case("b", "The bridge is 120 km long.", "y"),
        case("c", "It was not 12 km long.", "y"),
        case("d", "It has no number.", "y"),
    ]
    made = material(cases, None, 0, "records")
    by_arm = {(one.record, one.arm, one.drift): one.pair.claim for one in made.probes}
    assert {record for record, _, _ in by_arm} == {"a", "b"}  # denied, or without a number: of no use
    assert by_arm["a", ControlArm.UNRELATED, None] == "The bridge is 120 km long."
    assert by_arm["a", ControlArm.SIGN_FLIPPED, None] == "Profit rose by 34 percent."
    assert by_arm["b", ControlArm.CORRUPTED, 0.5] in {"The bridge is 180 km long.", "The bridge is 60 km long."}
    assert made.left_out["negated"] == 2
