from __future__ import annotations

import ipaddress
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from confute.errors import ConfuteError
from confute.models import weights
from confute.models.onnx import OnnxEmbedder

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_ASKS_THE_NETWORK = {"socket.connect", "socket.sendto", "socket.getaddrinfo"}


class NetworkUseError(ConfuteError):
    """A test reached for a host other than this one."""


def _refuse_other_hosts(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _ASKS_THE_NETWORK:
        host = arguments[0] if event == "socket.getaddrinfo" else arguments[1][0]
        if isinstance(host, str) and not _is_this_machine(host):
            raise NetworkUseError("tests use no network", field=event, allowed="loopback addresses", got=host)


def _is_this_machine(host: str) -> bool:
    if host in {"", "localhost"} or host.startswith("/"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


sys.addaudithook(_refuse_other_hosts)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real claims that CONFUTE_DATA names; the test is skipped where there is none."""
    named = os.environ.get("CONFUTE_DATA")
    if not named:
        pytest.skip("needs real claims: set CONFUTE_DATA to their folder")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"needs real claims: CONFUTE_DATA names {named}, which is no folder")
    return folder


@pytest.fixture(scope="session")
def real_claims(data_dir: Path) -> list[str]:
    """Eighty claims and passages of two sets, as they stand."""
    texts: list[str] = []
    for name in ("scifact", "vitaminc"):
        lines = (data_dir / "claims" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[:20]
        rows = [json.loads(line) for line in lines]
        texts += [text for row in rows for text in (row["claim"], row["evidence"][0])]
    return texts


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The folder of the published files of all-MiniLM-L6-v2."""
    folder = weights.find()
    assert folder is not None, f"the tests need the package {weights.PACKAGE}"
    return folder


@pytest.fixture(scope="session")
def minilm(model_folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(model_folder)
