"""The process that serves the embedded model on loopback: started, awaited, and always stopped."""

from __future__ import annotations

import atexit
import ipaddress
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from confute.errors import ModelError
from confute.models.local_weights import engine_version, weights_file

LOOPBACK = "127.0.0.1"
START_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 5.0
# libgomp reads these at its start: threads that spin while they wait collapse on a machine that others use too.
_ENVIRONMENT = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive", "HF_HUB_OFFLINE": "1"}


class LocalProcess:
    """A running server of the embedded model; a context manager. `base_url` is what an OpenAI client is given.

    The weights are checked before anything starts, and the process ends with this one, however this one ends. Raises
    ModelError where a package is absent, the weights are altered, the address is not loopback or taken, or nothing
    answers in time.
    """

    def __init__(self, *, host: str = LOOPBACK, port: int = 0) -> None:
        """Start the server and wait until it answers; port 0 is any free one."""
        check_loopback(host)
        engine_version()
        weights, free = weights_file(), _free_port(host, port)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  closed in stop()
        self._process = _started(weights, host, free, self._log.fileno())
        atexit.register(self.stop)
        address = _first_line(self._process)
        if not address.startswith("http"):
            words = self._last_words()
            self.stop()
            raise ModelError(f"the embedded model did not start: {words}", field=f"{host}:{port}")
        self.base_url = f"{address}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    def wait(self) -> int:
        """Wait until the process ends, and return its exit status."""
        return self._process.wait()

    def stop(self) -> None:
        """End the process, now if it must be; a second call does nothing."""
        atexit.unregister(self.stop)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _last_words(self) -> str:
        self._log.seek(0)
        return self._log.read()[-500:].decode("utf-8", "replace").strip() or "it said nothing"


def check_loopback(host: str) -> None:
    """Raise ModelError unless an address is a loopback one: the server asks nobody for a key."""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        hint = "put a proxy with keys of its own before it, if others are to reach it"
        raise ModelError("is served on loopback alone", field="host", allowed="127.0.0.1 or ::1", got=host, hint=hint)


def _started(weights: Path, host: str, port: int, log: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "confute.models.local_server", str(weights), host, str(port)]
    return subprocess.Popen(  # noqa: S603  a fixed command
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, **_ENVIRONMENT},
        start_new_session=True,  # a Ctrl-C at the terminal is the parent's to answer
    )


def _first_line(process: subprocess.Popen[bytes]) -> str:
    """Return the first line that the process prints, or nothing where it ends, or prints none in time."""
    lines: queue.Queue[bytes] = queue.Queue()
    stdout = process.stdout
    if stdout is None:
        return ""
    threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
    try:
        return lines.get(timeout=START_TIMEOUT_S).decode("utf-8", "replace").strip()
    except queue.Empty:
        process.kill()
        return ""


def _free_port(host: str, port: int) -> int:
    """Return a port that nothing listens on: the given one, or for 0 any. Raises ModelError where it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise ModelError(
                f"cannot be listened on: {error}", field="port", got=port, hint="choose another one, or 0 for any"
            ) from error
        number: int = probe.getsockname()[1]
        return number
