"""Kopf, unmodified: an operator with handlers, finalizers, a status and events."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubewright.testing import EmbeddedServer, probe
from tests.clients.conftest import HERE, VENV, environment

pytestmark = pytest.mark.timeout(120)
SHOPS = "/apis/example.org/v1/namespaces/default/shops"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
EVENTS = "/api/v1/namespaces/default/events"


@pytest.fixture
def operator(server: EmbeddedServer, tmp_path: Path) -> Iterator[list[str]]:
    """Run the operator until the test ends; gives the lines of its log."""
    definition = yaml.safe_load((HERE / "programs" / "crd.yaml").read_text())
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert probe.ask(server, "POST", path, body=definition).status == 201
    command = [
        str(VENV / "bin" / "kopf"),
        "run",
        "--standalone",
        "-n",
        "default",
        "programs/shop_operator.py",
    ]
    with subprocess.Popen(
        command,
        env=environment(server, tmp_path),
        cwd=HERE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        log: list[str] = []
        assert process.stdout is not None
        reader = threading.Thread(target=log.extend, args=(process.stdout,), daemon=True)
        reader.start()
        yield log
        process.terminate()
        reader.join(20)


def eventually(server: EmbeddedServer, path: str, right: Callable[[Any], bool]) -> Any:
    """Return what is at *path* once it is right; the operator is another process."""
    deadline = time.monotonic() + 60
    while True:
        answer = probe.ask(server, "GET", path)
        found = answer.json()
        if right(found):
            return found
        assert time.monotonic() < deadline, json.dumps(found, indent=1)
        time.sleep(0.05)


def test_operator_creates_follows_and_cleans_up(
    server: EmbeddedServer, operator: list[str]
) -> None:
    """Handlers run, the finalizer holds the object until they have, and the garbage goes."""
    shop = {"metadata": {"name": "corner"}, "spec": {"owner": "Ada"}}
    kind = {"apiVersion": "example.org/v1", "kind": "Shop"}
    assert probe.ask(server, "POST", SHOPS, body={**kind, **shop}).status == 201

    made = eventually(server, f"{SHOPS}/corner", lambda found: "create" in found.get("status", {}))
    assert made["status"]["create"] == {"opened": True}
    assert made["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"]
    child = eventually(server, f"{CONFIG_MAPS}/corner", lambda found: "data" in found)
    assert child["data"] == {"owner": "Ada"}
    assert child["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]

    made = probe.ask(server, "GET", f"{SHOPS}/corner").json()
    made["spec"]["owner"] = "Bob"
    assert probe.ask(server, "PUT", f"{SHOPS}/corner", body=made).status == 200
    eventually(server, f"{SHOPS}/corner", lambda found: found["status"].get("owner") == "Bob")
    assert probe.ask(server, "GET", f"{CONFIG_MAPS}/corner").json()["data"] == {"owner": "Bob"}

    probe.ask(server, "DELETE", f"{SHOPS}/corner")
    eventually(server, f"{CONFIG_MAPS}/corner-closed", lambda found: found["kind"] == "ConfigMap")
    eventually(server, f"{SHOPS}/corner", lambda found: found.get("code") == 404)
    eventually(server, f"{CONFIG_MAPS}/corner", lambda found: found.get("code") == 404)

    events = probe.ask(server, "GET", EVENTS).json()["items"]
    assert "Opened" in {event["reason"] for event in events}
