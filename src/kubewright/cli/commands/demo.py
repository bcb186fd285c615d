"""The command ``kubewright demo``."""

import typer

__all__ = ["demo"]


def demo() -> None:
    """Show an operator at work in ten seconds.

    It starts a cluster on this machine, an operator, and one object for it, and leaves nothing
    behind. The command of the pod, "echo YAY", runs as a local process under your user.

    Exit status: 0 if it worked, 1 if it failed.
    """
    from kubewright.cli.demo.demo import run

    raise typer.Exit(run())
