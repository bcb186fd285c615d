"""The command ``kubewright migrate-storage``."""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from kubewright._aio import Clock
from kubewright.application.migration.definition import find_definition
from kubewright.application.migration.migration import StorageMigration, migrate_storage
from kubewright.cli.fatal import tell
from kubewright.cli.loop import loop_factory
from kubewright.cli.progress import Progress
from kubewright.client import Client, Config
from kubewright.errors import ConfigError, KubewrightError, NoMatchError
from kubewright.manager.signals import stopping_on_signals

__all__ = ["Options", "Reporter", "run", "state_folder"]

_SHOWN = 10  # of the objects that failed


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright migrate-storage --help``."""

    kinds: tuple[str, ...]
    dry_run: bool = False
    restart: bool = False
    page_size: int = 500
    workers: int = 8
    timeout: float | None = None
    kubeconfig: Path | None = None
    context: str | None = None


def run(options: Options) -> int:
    """Migrate each kind after the other; return the exit status.

    Raises:
        ConfigError: There is no such cluster.
        NoMatchError: There is no such kind.
    """
    config = Config.load(options.kubeconfig, options.context)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_run(config, options))


def state_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return where progress is kept: in ``$KUBEWRIGHT_STATE``, or in the XDG state folder."""
    environ = os.environ if environ is None else environ
    if named := environ.get("KUBEWRIGHT_STATE"):
        return Path(named).absolute() / "migrations"
    state = environ.get("XDG_STATE_HOME", "")
    # The specification says to ignore a relative path.
    folder = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    return folder / "kubewright" / "migrations"


async def _run(config: Config, options: Options) -> int:
    task, clock = asyncio.current_task(), Clock()
    assert task is not None
    asked: list[bool] = []
    reporter = Reporter(sys.stderr, clock)

    def stop() -> None:
        asked.append(True)
        task.cancel()

    try:
        with stopping_on_signals(stop):
            async with clock.timeout(options.timeout), Client(config) as client:
                return await _migrate_all(client, options, reporter)
    except (ConfigError, NoMatchError):
        raise
    except KubewrightError as error:
        reporter.end()
        tell(f"{error}\n{_how_to_go_on(options)}")
    except TimeoutError:
        reporter.end()
        tell(f"stopped after {options.timeout:g} seconds. {_how_to_go_on(options)}")
    except asyncio.CancelledError:
        if not asked:
            raise
        reporter.end()
        tell(f"interrupted. {_how_to_go_on(options)}")
    return 1


def _how_to_go_on(options: Options) -> str:
    if options.dry_run:
        return "Nothing was changed."
    return "The same command goes on where this one stopped; with --restart it begins anew."


async def _migrate_all(client: Client, options: Options, reporter: "Reporter") -> int:
    # All names first: a typing mistake in the last one is not found after an hour.
    found = [await find_definition(client, kind) for kind in options.kinds]
    status = 0
    for name in dict.fromkeys(one.name for one in found):
        reporter.begin(name)
        done = await migrate_storage(
            client,
            name,
            page_size=options.page_size,
            workers=options.workers,
            state=state_folder(),
            restart=options.restart,
            dry_run=options.dry_run,
            on_progress=reporter.show,
        )
        reporter.end()
        print(_summary(done, dry_run=options.dry_run), flush=True)  # noqa: T201  # the result
        if done.problem:
            _complain(done)
            status = 1
    return status


def _summary(done: StorageMigration, *, dry_run: bool) -> str:
    before = ", ".join(done.stored_versions)
    objects = f"{done.objects:,} object{'' if done.objects == 1 else 's'}"
    if done.stored_versions == (done.version,):
        return f"{done.crd}: nothing to do, storedVersions is {before} already"
    if done.problem:
        return f"{done.crd}: {objects} migrated to {done.version}, storedVersions is still {before}"
    if dry_run:
        return (
            f"{done.crd}: would migrate {objects} to {done.version}, and then trim storedVersions"
            f" from {before} to {done.version}"
        )
    return (
        f"{done.crd}: {objects} migrated to {done.version}, storedVersions trimmed from {before} to"
        f" {done.version}"
    )


def _complain(done: StorageMigration) -> None:
    shown = [f"  {key}: {why}" for key, why in list(done.failed.items())[:_SHOWN]]
    if len(done.failed) > _SHOWN:
        shown.append(f"  and {len(done.failed) - _SHOWN} more")
    tell("\n".join([f"{done.crd} is not migrated: {done.problem}", *shown]))


class Reporter:
    """Says how far a migration is, once it takes longer than a moment.

    Args:
        stream: Where to say it.
        clock: The source of time.
    """

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._progress = Progress(stream, clock)
        self._name = ""

    def begin(self, name: str) -> None:
        """Begin with the kind *name*."""
        self._name = name
        self._progress.begin()

    def show(self, done: int, total: int | None) -> None:
        """Say that *done* of about *total* objects are done, unless that was said just now."""
        of_all = "" if total is None else f" of about {total:,}"
        self._progress.show(f"{self._name}: {done:,}{of_all} objects")

    def end(self) -> None:
        """Leave the line that changes."""
        self._progress.end()
