"""Runs one role or playbook with ansible-runner, and writes what happens as lines of JSON.

Started as a script, by the Python that has Ansible: ``python worker.py JOB``, a file with the
arguments of ``ansible_runner.run`` as JSON. Its standard output is the pipe for the lines; nothing
else is written there. Standard library and ansible-runner only: this file is run, not imported.

Lines:
    {"event": …, "task": …, "action": …, "role": …, "result": …, …} for each event
    {"end": "successful" or another status, "code": …, "output": the end of what Ansible printed}
    {"missing": why ansible-runner cannot be used}
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

LONGEST_TEXT = 16 * 1024
LONGEST_OUTPUT = 4 * 1024
MOST_ITEMS = 20
PARTS = ("msg", "period", "changed", "skipped", "censored", "stderr", "exception", "reason")


def shortened(value: Any) -> Any:
    """Return *value*, or the beginning of its text if nobody would read all of it."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return f"{text[:LONGEST_TEXT]}…" if len(text) > LONGEST_TEXT else value


def result_of(found: Any) -> dict[str, Any]:
    """Return what matters of the result of a task; the rest may be large, or secret."""
    if not isinstance(found, dict):
        return {}
    parts = {name: shortened(found[name]) for name in PARTS if name in found}
    items = [one for one in found.get("results") or () if isinstance(one, dict)]
    failed = [one.get("msg") for one in items if one.get("failed")]
    if failed:
        texts = [str(text)[: LONGEST_TEXT // MOST_ITEMS] for text in failed[:MOST_ITEMS] if text]
        more = len(failed) - MOST_ITEMS
        parts["failed_items"] = [*texts, f"and {more} more"] if more > 0 else texts
    return parts


def line_of(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return the line about *event*; ``None`` for one that nobody asks for."""
    data = event.get("event_data") or {}
    line = {
        "event": event.get("event", ""),
        "created": event.get("created", ""),
        "task": data.get("task") or "",
        "action": data.get("resolved_action") or data.get("task_action") or "",
        "role": data.get("role") or "",
        "play": data.get("play") or "",
        "ignored": bool(data.get("ignore_errors")),
    }
    if event.get("event") == "playbook_on_stats":
        names = ("ok", "changed", "skipped", "failures", "dark", "rescued")
        return {**line, "stats": {one: sum((data.get(one) or {}).values()) for one in names}}
    result = data.get("res")
    if result is not None:
        line["result"] = result_of(result)
    return line


def writer(lines: TextIO) -> Callable[[dict[str, Any]], None]:
    """Return a function that writes one line at a time."""

    def write(line: dict[str, Any]) -> None:
        lines.write(f"{json.dumps(line, default=str)}\n")
        lines.flush()

    return write


def end_of(run: Any) -> str:
    """Return the end of what Ansible has printed."""
    try:
        with run.stdout as file:
            return str(file.read())[-LONGEST_OUTPUT:]
    except Exception:  # noqa: BLE001  # theirs: any error means that there is nothing
        return ""


def main(path: str) -> int:
    """Run the job in the file *path*; return the exit status."""
    os.umask(0o077)
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what prints, prints to the log
    write = writer(lines)
    # ansible-runner looks for ansible-playbook there, which is where pip has put it.
    programs = sys.executable.rpartition("/")[0]
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    try:
        import ansible_runner  # type: ignore[import-not-found]  # it is where Ansible is
    except ImportError as error:
        write({"missing": str(error)})
        return 1
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        job = json.load(file)

    def tell(event: dict[str, Any]) -> bool:
        if line := line_of(event):
            write(line)
        return True

    run = ansible_runner.run(**job, event_handler=tell, quiet=True)
    write({"end": run.status, "code": run.rc, "output": end_of(run)})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
