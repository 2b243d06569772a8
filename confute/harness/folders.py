"""What a folder is that was named to report on."""

from __future__ import annotations

from pathlib import Path

from confute.errors import ReportError

RUN_MANIFEST = "manifest.json"
"""What the folder of a run holds once its first step can be taken."""

CURVE_MANIFEST = "curve-manifest.json"
"""What the folder of a curve holds before its first row."""

RUN_ORDER = "order.json"
"""What the folder of a run holds from the start."""

_MANIFESTS = (RUN_MANIFEST, CURVE_MANIFEST)
_PAGE = "report.md"
_SHOWN = 3


def not_reportable(folder: Path) -> ReportError:
    """Return what is wrong with a folder that has no run's manifest and no curve's, and what it may be instead."""
    if not folder.is_dir():
        return ReportError(
            f"{folder}: no run to report on: {'not a folder' if folder.exists() else 'there is no such folder'}",
            allowed="the folder of a run or of a curve",
            hint="start one with `confute attack` or `confute curve`",
        )
    return ReportError(
        f"{folder}: neither a run nor a curve",
        allowed=f"a folder that holds {RUN_MANIFEST} (a run) or {CURVE_MANIFEST} (a curve)",
        hint=_hint(folder),
    )


def _hint(folder: Path) -> str:
    if (folder / RUN_ORDER).is_file():
        return f"this run was stopped before its first step: go on with `confute attack --resume {folder}`"
    if (folder / _PAGE).is_file():
        return f"this may be a measurement of a judge: its report is {folder / _PAGE}"
    inside = sorted({path.parent for name in _MANIFESTS for path in folder.glob(f"*/{name}")})
    if inside:
        told = ", ".join(map(str, inside[-_SHOWN:]))
        return f"this holds {len(inside)} of them: give one, such as {told}"
    return "start one with `confute attack` or `confute curve`, which name its folder"
