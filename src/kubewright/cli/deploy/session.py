"""One command against a cluster: the client, Ctrl-C, and what is said when it fails."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from kubewright._aio import Clock
from kubewright.api.times import parse_duration
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.loop import loop_factory
from kubewright.client import Client, Config
from kubewright.errors import ConfigError, ForbiddenError, KubewrightError, TransportError
from kubewright.manager.signals import stopping_on_signals

__all__ = ["Access", "Work", "run", "seconds"]

Work = Callable[[Client, Screen], Awaitable[int]]
"""What a command does on a cluster; returns the exit status."""


@dataclass(frozen=True, slots=True)
class Access:
    """Which cluster, and as whom.

    Attributes:
        kubeconfig: The kubeconfig file; kubectl's by default.
        context: The context in it; the current one by default.
    """

    kubeconfig: Path | None = None
    context: str | None = None


def seconds(option: str, text: str) -> float:
    """Return the duration that an option says, such as ``2m``; a number alone is one of seconds.

    Raises:
        ConfigError: It is none.
    """
    try:
        found = parse_duration(f"{text}s" if _is_number(text) else text).total_seconds()
    except ValueError as error:
        raise ConfigError(f"cannot use {option}: {error}") from None
    if found < 0:
        raise ConfigError(f"cannot use {option}: {text} is less than nothing")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def run(access: Access, work: Work, *, doing: str = "apply", dry_run: bool = False) -> int:
    """Do *work* on a cluster; return the exit status.

    Args:
        access: Which cluster.
        work: What to do.
        doing: What is done to objects, in a word.
        dry_run: Whether nothing is really done.

    Raises:
        ConfigError: There is no such cluster, or the input is wrong.
    """
    config = Config.load(access.kubeconfig, access.context)
    screen = Screen(Clock(), doing, dry_run=dry_run)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_run(config, work, screen))


async def _run(config: Config, work: Work, screen: Screen) -> int:
    task = asyncio.current_task()
    assert task is not None
    asked: list[bool] = []

    def stop() -> None:
        asked.append(True)
        task.cancel()

    def warn(text: str) -> None:
        screen.complain(f"the server warns: {text}")

    client = Client(config, field_validation="Strict", on_warning=warn)
    try:
        with stopping_on_signals(stop):
            async with client, screen.ticking():
                return await work(client, screen)
    except ConfigError:
        raise
    except TransportError as error:
        screen.complain(f"{error}\nIs the cluster of {config.source} running? It is {config.url}")
    except ForbiddenError as error:
        rule = f"\nYour user lacks this rule:\n{error.rule}" if error.rule else ""
        screen.complain(f"cannot {error.attempt}: {error.status.message}{rule}")
    except KubewrightError as error:
        screen.complain(str(error))
    except asyncio.CancelledError:
        if not asked:
            raise
        screen.complain(
            f"interrupted: {screen.how_far}. The same command goes on where this one stopped"
        )
    sys.stdout.flush()
    return 1
