"""The command line: what a user types, what comes back, and with which exit code."""

import json
import os
import signal
import subprocess
import sys

import pytest

from confute.harness.report import Report

# A process of a background job is born deaf to SIGINT, and so are its children.
HEARS_SIGINT = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "

SMALL = """
victim: {detector: word_overlap, threshold: {calibrate: {target_rate: 0.2}}}
objective: {oracle: facts}
attacker: {budgets: {victim_queries: 8}}
evaluation: {max_cases: 8}
"""


def confute(*arguments, cwd, **options):
    return subprocess.run(
        [sys.executable, "-c", "from confute.cli import main; main()", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
        **options,
    )


def test_the_help_names_attacks_judges_and_personas(tmp_path):
    told = " ".join(confute("--help", cwd=tmp_path).stdout.split())
    assert "Measure judges by a language model before they are believed, and put personas to their probes" in told


def test_a_reader_that_goes_away_leaves_the_verdicts_exit_code(tmp_path):
    reads, writes = os.pipe()
    os.close(reads)
    order = ("judge", "prevalence", "20", "100", "--sensitivity", "0.9", "--specificity")
    command = [sys.executable, "-c", "from confute.cli import main; main()", *order]
    codes = [
        subprocess.run([*command, specificity], stdout=writes, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
        for specificity in ("0.95", "0.15")  # corrected, and refused since 0.9 + 0.15 - 1 is below 0.2
    ]
    os.close(writes)
    assert [(done.returncode, done.stderr) for done in codes] == [(0, b""), (1, b"")]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    root = tmp_path_factory.mktemp("attacked")
    (root / "small.yaml").write_text(SMALL)
    done = confute("attack", "small.yaml", "--seed", 5, cwd=root)
    assert done.returncode == 0, done.stderr
    (folder,) = (root / "runs").iterdir()
    return folder, done


def test_an_attack_prints_its_figures_and_writes_its_reports(attacked):
    folder, done = attacked
    assert "induced (ASR_induced)" in done.stdout
    assert "ledger: " in done.stdout
    assert {"report.html", "report.json", "report.md", "rates.csv", "ledger.sqlite", "counterexamples.jsonl"} <= {
        path.name for path in folder.iterdir()
    }
    assert json.loads((folder / "order.json").read_text())["contract"]["evaluation"]["seed"] == 5


@pytest.mark.parametrize("form", ["json", "md", "csv", "html"])
def test_a_report_is_printed_in_every_form_as_it_was_written(attacked, form):
    folder, _ = attacked
    written = {"csv": "rates.csv"}.get(form, f"report.{form}")
    printed = confute("report", folder, "--format", form, cwd=folder)
    assert printed.stdout == (folder / written).read_text(encoding="utf-8")


def test_the_json_report_is_a_red_team_report(attacked):
    folder, _ = attacked
    printed = json.loads(confute("report", folder, "--format", "json", cwd=folder).stdout)
    assert set(printed) == set(Report.model_fields)


def test_every_counterexample_stays_within_the_declared_edit_budget(attacked):
    folder, _ = attacked
    lines = (folder / "counterexamples.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert found
    assert all(one["failure_mechanism"] == "paraphrase" or one["edit_distance_tokens"] <= 2 for one in found)
    assert all(one["confirmed_wrong"] == one["confirmed_runs"] == 20 for one in found)


def test_a_users_own_detector_that_raises_is_counted_and_does_not_lose_the_run(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def check(pairs):\n"
        "    if any('1' in pair.claim for pair in pairs):\n"
        "        raise RuntimeError('no ones')\n"
        "    return [len(pair.claim) / 200 for pair in pairs]\n"
    )
    (tmp_path / "own.yaml").write_text(
        "victim: {detector: 'mine:check', threshold: {value: 0.3}}\n"
        "objective: {oracle: facts}\nattacker: {budgets: {victim_queries: 4}}\nevaluation: {max_cases: 8}\n"
    )
    done = confute("attack", "own.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    report = json.loads((folder / "report.json").read_text())
    assert any("raised" in code for code in report["errors"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["attack", "none.yaml"], "confute: none.yaml: cannot be read: No such file or directory\n"),
        (["attack", "--data", "empty.jsonl"], "or give a contract with the oracle guarded_text"),
        (["attack", "guarded.yaml"], "needs a claims file"),
        (["attack", "guarded.yaml", "--data", "none.jsonl"], "none.jsonl: cannot be read"),
        (["attack", "guarded.yaml", "--data", "empty.jsonl"], "empty.jsonl: holds no row"),
        (["attack", "guarded.yaml", "--data", "bad.jsonl"], "bad.jsonl:1: none of its 1 rows is valid"),
        (["attack", "small.yaml", "--data", "bad.jsonl"], "knows its own cases alone"),
        (["attack", "unknown.yaml"], "unknown detector"),
        (["attack", "level.yaml"], "attacker.knowledge"),
        (["attack", "own.yaml", "--knowledge", "all"], "attacker.knowledge"),
        (["attack", "thawed.yaml"], "evaluation.frozen_threshold"),
        (["attack", "known.yaml"], "does not replay known failures"),
        (["attack", "--resume", "nowhere"], "not the folder of a run"),
        (["report", "nowhere"], "no run to report on: there is no such folder"),
        (["report", "bad.yaml"], "no run to report on: not a folder"),
        (["report", "."], "neither a run nor a curve"),
        (["contract", "check", "bad.yaml"], "bad.yaml:1: victim.detectr"),
    ],
)
def test_a_users_mistake_is_one_message_and_no_traceback(tmp_path, arguments, said):
    files = {
        "small.yaml": SMALL,
        "guarded.yaml": "victim: {detector: word_overlap}\nobjective: {oracle: guarded_text}\n",
        "unknown.yaml": "victim: {detector: nothing}\nobjective: {oracle: facts}\n",
        "level.yaml": SMALL.replace("word_overlap", "closed:score").replace("r: {b", "r: {knowledge: white_box, b"),
        "own.yaml": SMALL.replace("word_overlap", "measuring:score"),
        "measuring.py": "def score(pairs):\n    return [len(pair.claim) / 1e3 for pair in pairs]\n",
        "closed.py": "def score(pairs):\n    return [0.5 for _ in pairs]\n",
        "thawed.yaml": SMALL.replace("evaluation: {", "evaluation: {frozen_threshold: false, "),
        "known.yaml": SMALL.replace("evaluation: {", "evaluation: {suite: regression, "),
        "bad.yaml": "victim: {detectr: word_overlap}\nobjective: {oracle: facts}\n",
        "bad.jsonl": "{\n",
        "empty.jsonl": "",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    done = confute(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("form", ["table", "md"])
def test_a_terminal_that_knows_ascii_alone_gets_the_whole_report(attacked, form):
    folder, _ = attacked
    done = confute("report", folder, "--format", form, cwd=folder, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2013" in done.stdout


def test_the_contract_commands_print_schema_and_digest(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    assert json.loads(confute("contract", "schema", cwd=tmp_path).stdout)["title"] == "AttackContract"
    checked = confute("contract", "check", "small.yaml", cwd=tmp_path)
    assert (checked.returncode, "valid, digest" in checked.stdout) == (0, True)


def test_an_interrupted_attack_exits_130_says_how_to_resume_and_resumes(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    running = subprocess.Popen(
        [sys.executable, "-c", f"{HEARS_SIGINT}from confute.cli import main; main()", "attack", "small.yaml"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    for line in running.stderr:
        if line.startswith("run: "):
            running.send_signal(signal.SIGINT)
            break
    said = running.stderr.read()
    running.stderr.close()
    assert running.wait() == 130
    (folder,) = (tmp_path / "runs").iterdir()
    assert f"confute attack --resume {folder.relative_to(tmp_path)}" in said
    assert confute("attack", "--resume", folder, cwd=tmp_path).returncode == 0
    assert (folder / "report.html").exists()


def test_a_noisy_victim_keeps_the_threshold_of_its_first_start_when_it_is_resumed(tmp_path):
    (tmp_path / "noisy.py").write_text(
        "import random\n"
        "def check(pairs):\n"
        "    return [min(1.0, len(pair.claim) / 200 + random.random() / 50) for pair in pairs]\n"
    )
    (tmp_path / "noisy.yaml").write_text(
        "victim: {detector: 'noisy:check', deterministic: false, threshold: {calibrate: {target_rate: 0.3}}}\n"
        "objective: {oracle: facts}\nattacker: {budgets: {victim_queries: 2}}\nevaluation: {max_cases: 4}\n"
    )
    assert confute("attack", "noisy.yaml", cwd=tmp_path).returncode == 0
    (folder,) = (tmp_path / "runs").iterdir()
    before = (folder / "report.json").read_bytes()
    resumed = confute("attack", "--resume", folder, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert (folder / "report.json").read_bytes() == before


def test_a_line_separator_inside_a_claim_does_not_cost_the_report(tmp_path):
    rows = [
        {"id": str(index), "claim": f"The mill\u2028sold {40 + index} tons of flour.", "label": "SUPPORTED"}
        | {"evidence": [f"In that year the mill sold {40 + index} tons of flour."], "group": str(index)}
        for index in range(3)
    ]
    (tmp_path / "claims.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    (tmp_path / "c.yaml").write_text(
        "victim: {detector: word_overlap, threshold: {value: 0.5}}\nobjective: {oracle: guarded_text}\n"
    )
    done = confute("attack", "c.yaml", "--data", "claims.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    found = (folder / "counterexamples.jsonl").read_text(encoding="utf-8").split("\n")
    assert any("\u2028" in json.loads(line)["adversarial_claim"] for line in found if line)


def test_the_version_is_printed_by_the_module_too(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "confute", "--version"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.startswith("confute ")


@pytest.mark.parametrize(("command", "flag"), [("curve", "--ablate / --no-ablate"), ("attack", "--help")])
def test_help_shows_flags_without_a_value_and_where_each_default_comes_from(tmp_path, command, flag):
    said = " ".join(confute(command, "--help", cwd=tmp_path).stdout.split())
    assert flag in said
    assert "bool" not in said
    options = [part.split()[0] for part in said.split(" --")[1:] if "default:" in part]
    assert {"seed", "max-cases", "runs", "cache"} <= set(options)
    if command == "curve":
        assert {"budgets", "ranks", "select", "without", "format"} <= set(options)


def test_a_report_on_a_folder_of_runs_or_of_another_thing_says_what_it_may_be(attacked, tmp_path):
    folder, _ = attacked
    assert f"this holds 1 of them: give one, such as {folder}" in confute("report", folder.parent, cwd=tmp_path).stderr
    (tmp_path / "order.json").write_text("{}")
    assert "stopped before its first step" in confute("report", tmp_path, cwd=tmp_path).stderr
    (tmp_path / "order.json").unlink()
    (tmp_path / "report.md").write_text("# A judge")
    assert "a measurement of a judge" in confute("report", tmp_path, cwd=tmp_path).stderr


LLM = """
victim: {detector: word_overlap, threshold: {calibrate: {target_rate: 0.2}}}
objective: {oracle: facts}
attacker:
  strategy: llm
  model: {model: gpt-x, api_key_env: CONFUTE_TEST_NO_SUCH_KEY, prompt_price: 1.0, completion_price: 2.0}
  budgets: {victim_queries: 4, attacker_calls: 3}
evaluation: {max_cases: 4}
"""


def test_an_estimate_asks_nothing_and_names_calls_tokens_and_money(tmp_path):
    (tmp_path / "llm.yaml").write_text(LLM)
    done = confute("attack", "llm.yaml", "--estimate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "attacker: at most" in done.stdout
    assert "tokens ($" in done.stdout
    assert not (tmp_path / "runs").exists()


def test_a_model_without_its_key_is_one_message(tmp_path):
    (tmp_path / "llm.yaml").write_text(LLM)
    done = confute("attack", "llm.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "attacker.model" in done.stderr
    assert "CONFUTE_TEST_NO_SUCH_KEY" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_knowledge_level_is_attacked_side_by_side(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    done = confute("attack", "small.yaml", "--knowledge", "all", "--max-cases", 4, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "| q | decision | score | algorithm | white_box |" in done.stdout
    written = [path.name for path in (tmp_path / "runs").iterdir()]
    assert sum(name.startswith("levels-") for name in written) == 2
    assert len(written) == 6


def test_one_level_takes_the_place_of_the_contracts(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    done = confute("attack", "small.yaml", "--knowledge", "decision", cwd=tmp_path)
    assert "knows the decision" in done.stdout
