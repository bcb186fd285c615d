"""What the demo prints: a live table in a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TextIO

from kubewright._aio import Clock

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["PlainScreen", "RichScreen", "Row", "Screen", "screen"]

WIDTH: int = 10
LAST: str = "DONE"
PHASES: dict[str, str] = {"PENDING": "yellow", "RUNNING": "cyan", "DONE": "green"}


@dataclass(slots=True)
class Row:
    """What is shown of the object; it changes as the object does."""

    name: str
    schedule: datetime
    began: datetime
    phase: str = ""
    pod: str = ""
    pod_phase: str = ""

    def wait(self, now: datetime) -> str:
        """Return how long it is until the schedule; empty if it is not waiting for that."""
        left = (self.schedule - now).total_seconds()
        return f"in {left:.0f} s" if self.phase in {"", "PENDING"} and left > 0 else ""


class Screen(Protocol):
    """Where the demo is shown."""

    def title(self, text: str) -> None:
        """Show a line of prose."""
        ...

    def show_step(self, what: str, detail: str) -> None:
        """Show a step that is done."""
        ...

    def showing(self, row: Row) -> AbstractContextManager[Callable[[], None]]:
        """Show *row* during a block; call the yielded function after each change."""
        ...

    def log(self, pod: str, text: str) -> None:
        """Show what a pod has written."""
        ...

    def fail(self, text: str) -> None:
        """Show why the demo has failed."""
        ...


def screen(stream: TextIO | None = None) -> Screen:
    """Return the screen for *stream*; standard output unless given."""
    stream = sys.stdout if stream is None else stream
    if not stream.isatty():
        return PlainScreen(stream)
    from rich.console import Console

    return RichScreen(Console(file=stream, highlight=False))


class PlainScreen:
    """Lines, one for each thing that happens."""

    def __init__(self, stream: TextIO, clock: Clock | None = None) -> None:
        self._stream = stream
        self._clock = clock or Clock()

    def title(self, text: str) -> None:
        """Show a line of prose."""
        self._say(text)

    def show_step(self, what: str, detail: str) -> None:
        """Show a step that is done."""
        self._say(f"{what:<{WIDTH}}  {detail}")

    @contextmanager
    def showing(self, row: Row) -> Iterator[Callable[[], None]]:
        """Show *row* during a block."""
        self._say(f"{'AFTER':>8}  {'NAME':<{len(row.name)}}  {'PHASE':<7}  POD")
        yield lambda: self._show(row)

    def log(self, pod: str, text: str) -> None:
        """Show what a pod has written."""
        self._say(f"$ kubectl logs {pod}")
        self._say(text.rstrip("\n"))

    def fail(self, text: str) -> None:
        """Show why the demo has failed."""
        self._stream.flush()
        print(text, file=sys.stderr, flush=True)  # noqa: T201  # this is where users look

    def _show(self, row: Row) -> None:
        now = self._clock.now()
        after = f"{(now - row.began).total_seconds():.1f} s"
        pod = f"{row.pod} {row.pod_phase}" if row.pod else row.wait(now)
        self._say(f"{after:>8}  {row.name}  {row.phase:<7}  {pod}".rstrip())

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class RichScreen:
    """A table that changes in place."""

    def __init__(self, console: "Console", clock: Clock | None = None) -> None:
        self._console = console
        self._clock = clock or Clock()

    def title(self, text: str) -> None:
        """Show a line of prose."""
        self._console.print(text, style="bold" if not text.startswith(" ") else "", markup=False)

    def show_step(self, what: str, detail: str) -> None:
        """Show a step that is done."""
        self._console.print(f"[green]✓[/green] [bold]{what:<{WIDTH}}[/bold]", end="  ")
        self._console.print(detail, markup=False)

    @contextmanager
    def showing(self, row: Row) -> Iterator[Callable[[], None]]:
        """Show *row* during a block: one line for each phase that it has reached."""
        from rich.live import Live
        from rich.spinner import Spinner

        lines: dict[str, list[str]] = {}
        spinner = Spinner("dots")

        def changed() -> None:
            after = f"{(self._clock.now() - row.began).total_seconds():.1f} s"
            first = lines.setdefault(row.phase, [after])[0]
            lines[row.phase] = [first, row.phase, row.pod, row.pod_phase]
            live.refresh()

        def drawn() -> "RenderableType":
            return self._table(row, list(lines.values()), spinner)

        live = Live(get_renderable=drawn, console=self._console, refresh_per_second=8)
        with live:
            yield changed

    def log(self, pod: str, text: str) -> None:
        """Show what a pod has written."""
        self._console.print(f"[dim]$[/dim] kubectl logs {pod}")
        self._console.print(text.rstrip("\n"), style="bold green", markup=False)

    def fail(self, text: str) -> None:
        """Show why the demo has failed."""
        self._console.print(f"✗ {text}", style="red", markup=False)

    def _table(
        self, row: Row, lines: list[list[str]], spinner: "RenderableType"
    ) -> "RenderableType":
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
        for name in ("", "AFTER", "NAME", "PHASE", "POD", "STATUS"):
            table.add_column(name, justify="right" if name == "AFTER" else "left")
        wait = row.wait(self._clock.now())
        for after, phase, pod, pod_phase in lines:
            is_now = phase == row.phase and phase != LAST
            table.add_row(
                spinner if is_now else Text("✓", "green"),
                after,
                row.name,
                Text(phase, f"bold {PHASES.get(phase, '')}"),
                pod or (wait if is_now else ""),
                pod_phase,
            )
        return table
