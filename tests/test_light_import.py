from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

HEAVY = {"torch", "onnxruntime", "onnx", "litellm", "openai", "sentence_transformers", "transformers", "spacy"}

PROBE = textwrap.dedent(
    """
    import json, runpy, sys

    reached = []

    def note(event, arguments):
        if event.startswith("socket.") and event not in ("socket.gethostname", "socket.__new__"):
            reached.append(event)

    sys.addaudithook(note)
    try:
        {action}
    except SystemExit:
        pass
    print(json.dumps({{"modules": sorted({{name.split(".")[0] for name in sys.modules}}), "reached": reached}}))
    """
)

ACTIONS = {
    "import": "import confute",
    "every public name": "import confute; [getattr(confute, name) for name in confute.__all__]",
    "help": 'sys.argv = ["confute", "--help"]; import confute.cli; confute.cli.main()',
    "contract schema": 'sys.argv = ["confute", "contract", "schema"]; import confute.cli; confute.cli.main()',
}


def _probe(action: str) -> tuple[set[str], list[str]]:
    probe = PROBE.format(action=action)
    done = subprocess.run([sys.executable, "-W", "error", "-c", probe], capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    return set(seen["modules"]), seen["reached"]


@pytest.mark.parametrize("name", ACTIONS)
def test_nothing_heavy_is_loaded_and_no_network_is_reached(name: str) -> None:
    modules, reached = _probe(ACTIONS[name])
    assert "confute" in modules
    assert modules & HEAVY == set()
    assert reached == []


def test_importing_the_package_loads_no_third_party_module() -> None:
    assert _probe(ACTIONS["import"])[0].isdisjoint({"pydantic", "numpy", "yaml", "typer", "rich", "rapidfuzz"})


def test_the_probe_sees_heavy_modules_and_network_use() -> None:
    modules, reached = _probe("import onnxruntime, socket; socket.getaddrinfo('127.0.0.1', 9)")
    assert "onnxruntime" in modules
    assert reached == ["socket.getaddrinfo"]
