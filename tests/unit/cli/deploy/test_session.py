"""A command against a cluster, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.cli.deploy.session import seconds
from kubewright.errors import ConfigError
from tests.unit.cli.deploy.place import Place


def test_a_duration_is_read_as_kubectl_reads_it() -> None:
    """``2m``, ``90s`` or ``1h30m``; others name the option."""
    assert [seconds("--timeout", text) for text in ("2m", "1m30s", "0")] == [120.0, 90.0, 0.0]
    assert seconds("--timeout", "8") == 8.0
    with pytest.raises(ConfigError, match=r"cannot use --timeout: .*'2 minutes'"):
        seconds("--timeout", "2 minutes")
    with pytest.raises(ConfigError, match="cannot use --timeout: -1s is less than nothing"):
        seconds("--timeout", "-1s")


def test_ctrl_c_says_what_was_done(place: Place, tmp_path: Path) -> None:
    """The server here takes the connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = tmp_path / "kubeconfig"
        config.write_text(
            "{apiVersion: v1, kind: Config, current-context: a,"
            " contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a}],"
            f" clusters: [{{name: a, cluster: {{server: 'http://127.0.0.1:"
            f"{listener.getsockname()[1]}'}}}}]}}"
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "kubewright", "install", f"--kubeconfig={config}"],
            stderr=subprocess.PIPE,
            text=True,
            cwd=place.root,
            env=dict(os.environ),
        )
        connection, _ = listener.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)

    assert process.returncode == 1
    assert said == (
        "kubewright: interrupted: nothing is done. The same command goes on where this one"
        " stopped\n"
    )
