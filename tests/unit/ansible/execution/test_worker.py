"""What the worker says of a run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kubewright.ansible.execution import worker

SCRIPT = Path(worker.__file__)


def test_results_are_cut_to_what_matters() -> None:
    """A result may hold the whole of a Secret."""
    found = worker.result_of(
        {
            "msg": "x" * 100_000,
            "result": {"data": "secret"},
            "results": [{"failed": True, "msg": "no a"}, {"failed": False, "msg": "b"}],
        }
    )

    assert len(found.pop("msg")) < 20_000
    assert found == {"failed_items": ["no a"]}
    assert worker.result_of("text") == {}


def test_no_result_is_too_long_for_a_line() -> None:
    """Whatever a role prints, and however many items of a loop fail."""
    items = [{"failed": True, "msg": f"no {number}" + "x" * 20_000} for number in range(2000)]

    found = worker.result_of({"msg": ["x" * 1000] * 1000, "results": items})

    assert len(json.dumps(found)) < 40_000
    assert found["failed_items"][0].startswith("no 0")
    assert found["failed_items"][-1] == "and 1980 more"


def test_events_become_lines() -> None:
    """With the full name of the module if Ansible knows it."""
    data: dict[str, Any] = {
        "task": "make", "task_action": "k8s", "resolved_action": "kubernetes.core.k8s",
        "ignore_errors": True, "res": {"changed": True},
    }  # fmt: skip
    line = worker.line_of({"event": "runner_on_ok", "created": "now", "event_data": data})
    stats = worker.line_of(
        {"event": "playbook_on_stats", "event_data": {"ok": {"a": 1, "b": 2}, "failures": {}}}
    )

    assert line is not None
    assert stats is not None
    assert (line["action"], line["ignored"]) == ("kubernetes.core.k8s", True)
    assert line["result"] == {"changed": True}
    assert (stats["stats"]["ok"], stats["stats"]["failures"]) == (3, 0)


def test_output_that_cannot_be_read_is_none() -> None:
    """A run that was never begun has none."""
    assert worker.end_of(SimpleNamespace()) == ""


def test_lines_alone_are_on_the_standard_output(tmp_path: Path) -> None:
    """What libraries print would not be JSON."""
    (tmp_path / "ansible_runner.py").write_text(
        "from io import StringIO\nfrom types import SimpleNamespace\n"
        "def run(event_handler, quiet, **job):\n"
        "    print('noise')\n"
        "    event_handler({'event': 'verbose'})\n"
        "    return SimpleNamespace(status='failed', rc=2, stdout=StringIO('the end'))\n"
    )
    (tmp_path / "job.json").write_text("{}")

    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "job.json")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )

    first, last = map(json.loads, done.stdout.splitlines())
    assert first["event"] == "verbose"
    assert last == {"end": "failed", "code": 2, "output": "the end"}
    assert "noise" in done.stderr


def test_missing_library_is_told(tmp_path: Path) -> None:
    """Whoever runs the operator learns what to install."""
    (tmp_path / "ansible_runner.py").write_text("raise ImportError('no such thing')")

    done = subprocess.run(
        [sys.executable, str(SCRIPT), "job.json"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert json.loads(done.stdout) == {"missing": "no such thing"}
