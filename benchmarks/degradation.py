"""Degradation curves on three domains and their control, and CaseHOLD under other pools.

python benchmarks/degradation.py DATA              # runs every curve on the claims below the folder DATA
python benchmarks/degradation.py DATA --kept DIR   # and keeps, or takes up again, each curve's JSON in DIR

Writes degradation-tables.md and one plot a curve. What the tables say in words stands in docs/results/degradation.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from degradation_plot import plot
from degradation_tables import Made, Study, at_published_rank, lengths, page, spread

from confute.harness.degradation import Degradation

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
USER_MISTAKE = 2

_FEVEROUS = (0.3714, 0.6950)
_PUBMED = (0.3700, 0.6944)
_PUBMED_OPTIONS = ("examples/curve-pubmedqa.yaml", "regimes/pubmedqa.jsonl")
_MATCHED_OPTIONS = ("examples/curve-matched.yaml", "claims/feverous_s_matched.jsonl")
_CASEHOLD = "regimes/casehold.jsonl"
STUDIES = (
    Study("feverous", "FEVEROUS", ("examples/curve-feverous.yaml", "regimes/feverous.jsonl"), _FEVEROUS),
    Study("matched", "FEVEROUS, overlap matched", _MATCHED_OPTIONS, None),
    Study("pubmedqa_long", "PubMedQA, long answers", _PUBMED_OPTIONS, _PUBMED),
    Study("pubmedqa_question", "PubMedQA, questions", (*_PUBMED_OPTIONS, "--select", "*:q"), _PUBMED),
    Study("casehold", "CaseHOLD", ("examples/curve-casehold.yaml", _CASEHOLD), (0.6680, 0.6075)),
)
# The inverted gap of CaseHOLD under other pools than half of the excerpts.
_SMALL = ("examples/curve-casehold.yaml", _CASEHOLD, "--ranks", "8", "--max-cases", "200")
_ALL = ("examples/curve-casehold-all.yaml", _CASEHOLD, "--ranks", "8")
POOLS = (
    Study("casehold_small", "excerpts of 200 rows", _SMALL, None),
    Study("casehold_all", "all excerpts", _ALL, None),
)


def main() -> None:
    """Run or take up every curve, and write the tables and plots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds regimes/ and claims/")
    parser.add_argument(
        "--kept", type=Path, default=None, help="folder of the curves' JSON and runs (default: a new one)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS,
        help="folder to write to (default: docs/results, whose pages are overwritten)",
    )
    given = parser.parse_args()
    check_data(given.data)
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        kept = (given.kept or Path(scratch)).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        made, pools = ([made_of(one, given.data.resolve(), kept) for one in some] for some in (STUDIES, POOLS))
    for study, result, _ in made:
        (given.out / f"degradation-{study.name}.svg").write_text(plot(study.title, result), encoding="utf-8")
    (given.out / "degradation-tables.md").write_text(page(made, pools), encoding="utf-8")
    print(f"written: {given.out}")


def check_data(data: Path) -> None:
    """End with one line and exit code 2 where a study's claims are not there, before any is run."""
    for claims in dict.fromkeys(study.options[1] for study in (*STUDIES, *POOLS)):
        if not (data / claims).is_file():
            stop(f"{data / claims} is not there: DATA is the folder that holds regimes/ and claims/")


def made_of(study: Study, data: Path, kept: Path) -> Made:
    """Return a study's curve from the folder where curves are kept, made first where it is not there; print a line."""
    path, start = kept / f"{study.name}.json", time.monotonic()
    taken_up = path.exists()
    if not taken_up:
        path.write_text(carried_out(study, data, kept), encoding="utf-8")
    try:
        result = Degradation.model_validate_json(path.read_text(encoding="utf-8"))
    except ValueError:
        stop(f"{path} is no curve of this version: delete it, or keep curves in another folder")
    curve = at_published_rank(result)
    first, last = curve.points[0], curve.points[-1]
    how = "taken up" if taken_up else f"{time.monotonic() - start:.0f} s"
    aucs = f"AUC random {spread(curve.baseline.auc)}, K = 1 {spread(first.auc)}, all {spread(last.auc)}"
    print(f"{study.name} ({how}): {curve.claims} claims, {result.pool.sets} sets; {aucs}", flush=True)
    return Made(study, result, lengths(study, ROOT, data))


def carried_out(study: Study, data: Path, kept: Path) -> str:
    """Return the JSON that the study's command prints; end with its last words and its exit code where it fails."""
    words = [sys.executable, "-m", *study.command(str(data)), "--runs", str(kept / "runs"), "--format", "json"]
    made = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, encoding="utf-8")
    if made.returncode:
        said = made.stderr.strip().splitlines()[-3:]
        stop(f"{' '.join(study.command('DATA'))} failed: {' / '.join(said)}", made.returncode)
    return made.stdout


def stop(message: str, code: int = USER_MISTAKE) -> NoReturn:
    """Print a line and end."""
    print(f"benchmarks/degradation.py: {message}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
