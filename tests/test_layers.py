from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import confute

ROOT = Path(confute.__file__).parent
LEAVES = frozenset(
    {
        "errors",
        "records",
        "edits",
        "counterexample",
        "text",
        "prompts",
        "contract",
        "part",
        "victim_plan",
        "attacker_plan",
        "curve_plan",
        "persona_plan",
        "yaml_mistakes",
        "yaml_records",
        "verdicts",
        "named",
    }
)
ROLES = frozenset({"models", "judges", "victims", "oracles", "agents"})

# A part may import itself, `text`, and these.
MAY_IMPORT = {
    "errors": frozenset[str](),
    "text": frozenset[str](),
    "records": frozenset[str](),
    "edits": frozenset({"records"}),
    "counterexample": frozenset({"records"}),
    "verdicts": frozenset({"records"}),
    "named": frozenset({"errors"}),
    "prompts": frozenset({"errors"}),
    "yaml_mistakes": frozenset({"errors"}),
    "yaml_records": frozenset({"errors", "records", "yaml_mistakes"}),
    "part": frozenset[str](),
    "victim_plan": frozenset({"part", "records"}),
    "attacker_plan": frozenset({"part", "records", "models"}),
    "curve_plan": frozenset({"part", "records"}),
    "contract": frozenset(
        {"part", "victim_plan", "attacker_plan", "curve_plan", "records", "errors", "yaml_mistakes", "models"}
    ),
    "persona_plan": frozenset({"part", "attacker_plan", "contract", "records", "errors", "yaml_records", "models"}),
    "models": frozenset({"records", "errors", "named"}),
    "judges": frozenset({"records", "errors", "models", "prompts", "verdicts", "yaml_records"}),
    "victims": frozenset({"records", "errors", "named", "contract", "models", "prompts", "judges", "verdicts"}),
    "oracles": frozenset({"yaml_records", "records", "edits", "errors", "contract", "judges", "verdicts"}),
    "agents": frozenset({"records", "edits", "errors", "contract", "models", "prompts"}),
    "harness": LEAVES | ROLES,
    "cli": LEAVES
    | ROLES
    | {
        "harness",
        "cli_attack",
        "cli_contract",
        "cli_control",
        "cli_curve",
        "cli_judge",
        "cli_model",
        "cli_persona",
        "cli_persona_attack",
        "cli_policy",
        "cli_regress",
        "cli_relations",
        "cli_suite",
    },
    "cli_attack": LEAVES | ROLES | {"harness"},
    "cli_contract": LEAVES,
    "cli_control": LEAVES | ROLES | {"harness"},
    "cli_curve": LEAVES | ROLES | {"harness"},
    "cli_judge": LEAVES | ROLES | {"harness", "cli_judging"},
    "cli_judging": LEAVES | ROLES | {"harness"},
    "cli_model": LEAVES | ROLES,
    "cli_suite": LEAVES | ROLES | {"harness"},
    "cli_regress": LEAVES | ROLES | {"harness"},
    "cli_persona_attack": LEAVES | ROLES | {"harness", "cli_judging"},
    "cli_persona": LEAVES | ROLES | {"harness", "cli_judging"},
    "cli_policy": LEAVES | ROLES | {"harness"},
    "cli_relations": LEAVES | ROLES | {"harness"},
    "testing": LEAVES | ROLES | {"harness"},
    "__main__": frozenset({"cli"}),
    "__init__": LEAVES | ROLES,
}


def _part(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def _imported_parts(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides its layer"
            modules = [f"confute.{one.name}" for one in node.names] if node.module == "confute" else [node.module or ""]
        elif isinstance(node, ast.Import):
            modules = [one.name for one in node.names]
        else:
            continue
        for module in modules:
            if module.split(".")[0] == "confute":
                yield node.lineno, module.split(".")[1] if "." in module else "__init__"


def _breaches(part: str, source: str) -> list[str]:
    allowed = MAY_IMPORT[part] | {part, "text"}
    return [f"line {line}: {part} imports {other}" for line, other in _imported_parts(source) if other not in allowed]


@pytest.mark.parametrize("file", sorted(ROOT.rglob("*.py")), ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_imports_only_what_its_part_may(file: Path) -> None:
    assert _breaches(_part(file), file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("agents", "def f():\n    from confute.oracles.oracle import Oracle"),
        ("agents", "import confute.victims.detector"),
        ("oracles", "from confute import victims"),
        ("records", "from confute.contract import load"),
        ("victims", "from confute.harness import run"),
        ("models", "from confute import AttackContract"),
    ],
)
def test_an_import_across_layers_is_found_wherever_it_stands(part: str, source: str) -> None:
    assert len(_breaches(part, source)) == 1
