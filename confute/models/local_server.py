"""The embedded model's server as a process of its own: `python -m confute.models.local_server WEIGHTS HOST PORT`.

It prints its address once it answers, and ends when its standard input does, so that it never outlives its parent.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from confute.models.local_weights import NAME

_CONTEXT_TOKENS = 4096


def main(weights: Path, host: str, port: int) -> None:
    """Serve on one slot without a prompt cache, so that the same seed gives the same text, until the parent ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(weights), {NAME}
    params.hostnames, params.port = [host], port
    params.n_ctx, params.n_parallel, params.cache_prompt = _CONTEXT_TOKENS, 1, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = len(os.sched_getaffinity(0))
    params.no_extra_bufts, params.offline, params.ui = True, True, False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # the engine's threads would be waited for


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
