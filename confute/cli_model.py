"""The command `confute model serve`."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Annotated

import typer

model_app = typer.Typer(no_args_is_help=True, help="Serve the embedded chat model.")


@model_app.callback()
def _options() -> None:
    """Serve the embedded chat model."""


@model_app.command()
def serve(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 is any free one.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option(help="Loopback address to listen on.")] = "127.0.0.1",
) -> None:
    """Serve the embedded model to any OpenAI client on this machine, until it is interrupted."""
    from confute.models.local_process import LocalProcess
    from confute.models.local_weights import NAME

    signal.signal(signal.SIGTERM, _interrupt)
    with LocalProcess(host=host, port=port) as process:
        typer.echo(f"serving {NAME} at {process.base_url} (process {process.pid}); Ctrl-C ends it")
        try:
            status = process.wait()
        except KeyboardInterrupt:
            typer.echo("stopped")
            return
    typer.echo(f"the server ended by itself with status {status}", err=True)
    raise typer.Exit(1)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
