"""Helm, unmodified: the life of a release."""

import json

from kubewright.testing import EmbeddedServer, probe
from tests.clients.conftest import Run


def data(server: EmbeddedServer, name: str) -> dict[str, str]:
    """Return what a ConfigMap holds."""
    answer = probe.ask(server, "GET", f"/api/v1/namespaces/market/configmaps/{name}")
    assert answer.status == 200, answer.body
    found: dict[str, str] = answer.json()["data"]
    return found


def test_release_is_installed_upgraded_rolled_back_and_removed(
    run: Run, server: EmbeddedServer
) -> None:
    """A chart that installs on a cluster installs here, hooks and history included."""
    place = ("--namespace", "market")
    installed = run("helm", "install", "corner", "chart", *place, "--create-namespace")
    assert "STATUS: deployed" in installed
    assert data(server, "corner-settings")["colour"] == "blue"
    assert data(server, "corner-hook") == {"revision": "1"}

    run(
        "helm", "upgrade", "corner", "chart", *place, "--set", "colour=green", "--set", "replicas=3"
    )
    assert data(server, "corner-settings")["colour"] == "green"
    assert data(server, "corner-hook") == {"revision": "2"}

    run("helm", "rollback", "corner", "1", *place)
    assert data(server, "corner-settings")["colour"] == "blue"

    releases = json.loads(run("helm", "list", *place, "-o", "json"))
    history = json.loads(run("helm", "history", "corner", *place, "-o", "json"))
    assert [(found["name"], found["revision"]) for found in releases] == [("corner", "3")]
    assert [found["status"] for found in history] == ["superseded", "superseded", "deployed"]

    run("helm", "uninstall", "corner", *place)
    path = "/apis/apps/v1/namespaces/market/deployments"
    assert not probe.ask(server, "GET", path).json()["items"]


def test_a_chart_is_checked_against_the_server(run: Run, server: EmbeddedServer) -> None:
    """Helm checks what it sends against the server's OpenAPI document."""
    made = run("helm", "template", "corner", "chart", "--validate")

    assert "kind: PodDisruptionBudget" in made
    assert 'version: "v1.37' in made
