"""Measure what the core costs to install: packages and megabytes in a fresh virtual environment.

    python benchmarks/install_size.py [extra ...]

Counted are the packages with all that they need, without pip and setuptools, as the Makefile installs them: byte code
is compiled on first use, and what compiling all of it would add stands beside. Exits 1 where the core alone takes more
than 45 packages or 200 MB.
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
        requirement = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
        packages, megabytes, byte_code, seconds = _measured(Path(folder), requirement)
    print(f"{', '.join(['core', *extras])}: {packages} packages, {megabytes:.0f} MB, {seconds:.0f} s to install")
    print(f"byte code of every module: {byte_code:.0f} MB more")
    return int(not extras and (packages > MAX_PACKAGES or megabytes > MAX_MEGABYTES))


def _measured(folder: Path, requirement: str) -> tuple[int, float, float, float]:
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", "--no-compile", "--constraint", str(ROOT / "constraints.txt"), requirement]
    started = time.monotonic()
    subprocess.run(install, check=True)
    seconds = time.monotonic() - started
    listed = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True, text=True).stdout
    packages = {package["name"] for package in json.loads(listed)} - _NOT_COUNTED
    site_packages = next((folder / "lib").glob("python*/site-packages"))
    megabytes = _megabytes(site_packages)
    subprocess.run([python, "-m", "compileall", "-qq", str(site_packages)], check=False)
    return len(packages), megabytes, _megabytes(site_packages) - megabytes, seconds


def _megabytes(site_packages: Path) -> float:
    counted = [path for path in site_packages.iterdir() if path.name.split("-")[0] not in _NOT_COUNTED]
    return sum(file.stat().st_size for path in counted for file in (path, *path.rglob("*")) if file.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
