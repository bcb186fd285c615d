"""Tests of a scorecard that are images, as pods; here, these are local processes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.crd.manifest import to_yaml
from kubewright.testing import EmbeddedCluster, EmbeddedServer, probe
from tests.unit.cli.deploy.place import Done, run
from tests.unit.cli.olm.place import write_bundle

pytestmark = pytest.mark.timeout(120)
PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
BUILT_IN = {
    "image": "quay.io/operator-framework/scorecard-test:v1.42.3",
    "entrypoint": ["scorecard-test", "basic-check-spec"],
    "labels": {"suite": "basic"},
}
# What a test of somebody's own does: it reads the bundle, and prints what it has found.
PROGRAM = """
import json, os, sys
names = sorted(os.listdir(sys.argv[1]))
where = os.environ["SCORECARD_NAMESPACE"]
print(json.dumps({"results": [{"name": "names", "state": "pass", "log": f"{names} {where}"}]}))
"""
FAILS = '{"results": [{"name": "sad", "state": "fail", "errors": ["too blue"]}]}'


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedServer]:
    """A cluster that runs containers as processes, with a bundle in the current folder."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "no-kubeconfig"))
    monkeypatch.chdir(tmp_path)
    write_bundle("bundle")
    with EmbeddedCluster(simulate=False) as started:
        yield started


def mine(*command: str, suite: str = "mine") -> dict[str, object]:
    """Return a test of somebody's own."""
    return {"image": "a.b/mine:v1", "entrypoint": list(command), "labels": {"suite": suite}}


def scorecard(server: EmbeddedServer, stages: list[object], *words: str) -> Done:
    """Run these stages."""
    content = {
        "apiVersion": "scorecard.operatorframework.io/v1alpha3", "kind": "Configuration",
        "metadata": {"name": "config"}, "stages": stages,
    }  # fmt: skip
    Path("config.yaml").write_text(to_yaml(content))
    return run("scorecard", "bundle", "--config", "config.yaml", *words, server=server)


def names(server: EmbeddedServer, path: str) -> list[str]:
    """Return what there is, but for what every namespace has."""
    found = [one["metadata"]["name"] for one in probe.ask(server, "GET", path).json()["items"]]
    return [one for one in found if one != "kube-root-ca.crt"]


def test_images_run_beside_our_own_tests(cluster: EmbeddedServer) -> None:
    """Each finds the bundle, and says what it has found; nothing is left of them."""
    reading = mine("python3", "-c", PROGRAM, "/bundle")
    stages: list[object] = [
        {"tests": [BUILT_IN]},
        {"parallel": True, "tests": [reading, mine("echo", FAILS)]},
    ]

    done = scorecard(cluster, stages, "--output", "json")
    passing = scorecard(cluster, [{"tests": [reading]}])
    items = json.loads(done.out)["items"]

    assert done.status == 1
    assert [one["status"]["results"][0]["state"] for one in items] == ["pass", "pass", "fail"]
    log = items[1]["status"]["results"][0]["log"]
    assert "'manifests', 'metadata'" in log
    assert log.endswith(" default")
    assert items[2]["status"]["results"][0]["errors"] == ["too blue"]
    assert passing.status == 0
    assert passing.out == "pass   names\n"
    assert names(cluster, PODS) == names(cluster, MAPS) == []


def test_what_cannot_run_says_why(cluster: EmbeddedServer) -> None:
    """A program that crashes, one that hangs, one that prints something else."""
    stages: list[object] = [
        {
            "parallel": True,
            "tests": [
                mine("python3", "-c", "raise SystemExit('no way')"),
                mine("sleep", "600"),
                mine("echo", "hello"),
            ],
        }
    ]

    done = scorecard(cluster, stages, "--wait-time", "3s")

    assert done.status == 1
    assert "no way" in done.out
    assert "it has not ended within 3 seconds: pod scorecard-test-" in done.out
    assert "and is: hello" in done.out
    assert names(cluster, PODS) == names(cluster, MAPS) == []


def test_pods_can_be_left(cluster: EmbeddedServer) -> None:
    """To look at them."""
    done = scorecard(cluster, [{"tests": [mine("echo", FAILS)]}], "--skip-cleanup")

    assert done.status == 1
    assert "left in default: kubectl get pods -l testrun=scorecard-test-" in done.err
    assert len(names(cluster, PODS)) == 1
    assert len(names(cluster, MAPS)) == 1
