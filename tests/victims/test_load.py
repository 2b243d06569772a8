import sys

import pytest
from hashing_embedder import HashingEmbedder

from confute.contract import Victim
from confute.errors import VictimError
from confute.records import Pair
from confute.victims.cosine import NearestPassage
from confute.victims.energy import HallucinationEnergy
from confute.victims.load import embedder_name, load, rank_of
from confute.victims.overlap import WordOverlap

PAIR = Pair(claim="a b", evidence=("a c",))
OWN = """
class Counting:
    def score(self, pairs):
        return [float(len(pair.claim)) for pair in pairs]

class Greedy:
    def __init__(self, needed):
        pass

def function(pairs):
    return [0.25 for _ in pairs]

instance = Counting()
number = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_detector.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "broken_detector.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "own_detector"
    sys.modules.pop("own_detector", None)


def no_embedder(name):
    raise AssertionError(f"loaded {name}")


@pytest.mark.parametrize(
    ("detector", "kind"), [("hallucination_energy", HallucinationEnergy), ("nearest_passage", NearestPassage)]
)
def test_an_embedding_detector_gets_its_embedder_by_name(detector, kind):
    names = []
    victim = Victim(detector=detector, embedder="some/model")
    assert isinstance(load(victim, lambda name: names.append(name) or HashingEmbedder()), kind)
    assert names == ["some/model"]


def test_without_more_words_energy_means_minilm_and_rank_eight():
    victim = Victim(detector="hallucination_energy")
    assert (embedder_name(victim), rank_of(victim)) == ("minilm", 8)
    passages = tuple(f"word {index}" for index in range(12))
    pair = Pair(claim="claim", evidence=passages)
    embedder = HashingEmbedder()
    eight = HallucinationEnergy(embedder, 8).score([pair])
    assert load(victim, lambda _: embedder).score([pair]) == eight
    assert load(victim.model_copy(update={"rank": "full"}), lambda _: embedder).score([pair]) < eight


def test_word_overlap_loads_no_embedder():
    victim = Victim(detector="word_overlap")
    assert isinstance(load(victim, no_embedder), WordOverlap)
    assert (embedder_name(victim), rank_of(victim)) == (None, None)


@pytest.mark.parametrize(("attribute", "score"), [("Counting", 3.0), ("instance", 3.0), ("function", 0.25)])
def test_a_users_own_detector_is_a_class_an_object_or_a_function(own, attribute, score):
    assert list(load(Victim(detector=f"{own}:{attribute}"), no_embedder).score([PAIR])) == [score]


@pytest.mark.parametrize(
    ("detector", "said"),
    [
        ("halucination_energy", r"unknown detector[\s\S]*allowed: hallucination_energy, nearest_passage, word_overlap"),
        (":attribute", "unknown detector"),
        ("no_such_module:thing", "No module named 'no_such_module'"),
        ("broken_detector:thing", "ZeroDivisionError"),
        ("own_detector:missing", r"no attribute 'missing'[\s\S]*allowed: Counting, Greedy, function"),
        ("own_detector:Greedy", "cannot be called without arguments"),
        ("own_detector:number", "is a int that has no method `score`"),
        ("own detector\x00:\ud800", "cannot be imported"),
    ],
)
def test_a_detector_that_cannot_be_had_is_an_error_that_says_what_is_allowed(own, detector, said):
    with pytest.raises(VictimError, match=said):
        load(Victim(detector=detector), no_embedder)


@pytest.mark.parametrize(
    ("detector", "extra", "field"),
    [
        ("word_overlap", {"embedder": "minilm"}, "victim.embedder"),
        ("word_overlap", {"rank": 8}, "victim.rank"),
        ("nearest_passage", {"rank": "full"}, "victim.rank"),
        ("own_detector:function", {"embedder": "minilm"}, "victim.embedder"),
        ("own_detector:function", {"rank": 2}, "victim.rank"),
    ],
)
def test_an_embedder_or_rank_that_is_not_used_is_refused(own, detector, extra, field):
    with pytest.raises(VictimError, match=field):
        load(Victim(detector=detector, **extra), no_embedder)
