"""Measure what the core costs to install: packages and megabytes in a fresh virtual environment.

    python benchmarks/install_size.py [extra ...]

Exits 1 where the core alone takes more than 45 packages or 200 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_PACKAGES = 45
MAX_MEGABYTES = 200
_NOT_COUNTED = {"pip", "setuptools", "confute"}


def main(extras: list[str]) -> int:
    """Install the core, or the core with extras, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        packages, megabytes, seconds = _measured(Path(folder), f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT))
    print(f"{', '.join(['core', *extras])}: {packages} packages, {megabytes:.0f} MB, {seconds:.0f} s to install")
    return int(not extras and (packages > MAX_PACKAGES or megabytes > MAX_MEGABYTES))


def _measured(folder: Path, requirement: str) -> tuple[int, float, float]:
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    started = time.monotonic()
    subprocess.run([*pip, "install", "--quiet", "--constraint", str(ROOT / "constraints.txt"), requirement], check=True)
    seconds = time.monotonic() - started
    listed = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True, text=True).stdout
    packages = {package["name"] for package in json.loads(listed)} - _NOT_COUNTED
    site_packages = next((folder / "lib").glob("python*/site-packages"))
    own = [path for path in site_packages.iterdir() if path.name.split("-")[0] not in _NOT_COUNTED]
    size = sum(file.stat().st_blocks * 512 for path in own for file in (path, *path.rglob("*")) if file.is_file())
    return len(packages), size / 1e6, seconds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
