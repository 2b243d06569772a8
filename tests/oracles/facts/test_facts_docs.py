"""The domain that the guide shows can be added as it stands, by YAML alone."""

import re
from importlib import resources
from pathlib import Path

import yaml

from confute.contract import Suite
from confute.oracles.facts.builtin import documents
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.oracle import FactsOracle
from confute.records import AttackGoal, Label

GUIDE = Path(__file__).parents[3] / "docs" / "facts.md"


def test_the_domain_of_the_guide_gives_documents_cases_and_moves() -> None:
    block = re.search(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    units = resources.files("confute.oracles.facts") / "lexicon" / "units.yaml"
    sources = {"units": yaml.safe_load(units.read_text("utf-8")), "cooking": yaml.safe_load(block[1])}
    lexicon = Lexicon(sources)
    oracle = FactsOracle(documents(0, Suite.DEVELOPMENT, lexicon), lexicon)
    supported = [case for case in oracle.cases if case.label is Label.SUPPORTED]
    assert {case.domain for case in oracle.cases} == {"cooking"}
    assert supported
    assert len(supported) < len(oracle.cases)
    assert all(oracle.moves(case, AttackGoal.FALSE_ACCEPTANCE) for case in supported)
