"""A day with kubectl: the commands that people type, on a cluster that they have just started.

Commands of containers run as local processes here, so logs and exec are real.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.command import Commands, Running

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed"),
]

TICKS = "i=0; while true; do echo tick $i; i=$((i+1)); sleep 0.2; done"


class Kubectl:
    """Runs kubectl against one cluster."""

    def __init__(self, kubeconfig: Path) -> None:
        self.environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}

    def __call__(self, *words: str, stdin: str = "") -> str:
        """Run a command that must succeed, and return what it prints."""
        done = self.try_(*words, stdin=stdin)
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.stderr}{done.stdout}"
        return done.stdout

    def try_(self, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a command, however it ends."""
        return subprocess.run(
            ["kubectl", *words],
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def json(self, *words: str) -> Any:
        """Return what a command prints with ``-o json``."""
        return json.loads(self(*words, "-o", "json"))

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        """Run a command that goes on."""
        return subprocess.Popen(
            ["kubectl", *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Start a cluster in the background, as people do, and stop it in the end."""
    commands = Commands(tmp_path_factory.mktemp("session") / "state")
    started = commands.run("cluster", "start")
    assert started.status == 0, started.err
    try:
        yield Kubectl(commands.state / "clusters" / "kubewright" / "kubeconfig")
    finally:
        assert commands.run("cluster", "stop").status == 0


@pytest.fixture
def namespace(kubectl: Kubectl, request: pytest.FixtureRequest) -> str:
    """Make a namespace of its own for a test, and make it kubectl's own."""
    name = re.sub(r"[^a-z]+", "-", request.node.name)[:50].strip("-")
    kubectl("create", "namespace", name)
    kubectl("config", "set-context", "--current", f"--namespace={name}")
    return name


def ready_pods(kubectl: Kubectl, labels: str) -> set[str]:
    """Return the names of the pods that are ready and not about to go."""
    return {
        pod["metadata"]["name"]
        for pod in kubectl.json("get", "pods", "-l", labels)["items"]
        if "deletionTimestamp" not in pod["metadata"]
        and any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"]["conditions"])
    }


def test_a_deployment_is_scaled_rolled_out_undone_and_mended(
    kubectl: Kubectl, namespace: str
) -> None:
    """The first thing that everybody tries."""
    kubectl("create", "deployment", "web", "--image=nginx:1", "--replicas=2", "--port=80")
    assert "successfully rolled out" in kubectl("rollout", "status", "deploy/web", "--timeout=30s")
    assert len(ready_pods(kubectl, "app=web")) == 2

    kubectl("scale", "deploy/web", "--replicas=4")
    kubectl("rollout", "status", "deploy/web", "--timeout=30s")
    assert len(ready_pods(kubectl, "app=web")) == 4

    kubectl("set", "image", "deploy/web", "nginx=nginx:2")
    kubectl("rollout", "status", "deploy/web", "--timeout=30s")
    images = kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={..spec.containers[*].image}")
    assert "nginx:2" in images
    assert kubectl("rollout", "history", "deploy/web").splitlines()[2:4] == [
        "1         <none>",
        "2         <none>",
    ]

    kubectl("rollout", "undo", "deploy/web")
    kubectl("rollout", "status", "deploy/web", "--timeout=30s")
    template = kubectl.json("get", "deploy", "web")["spec"]["template"]
    assert template["spec"]["containers"][0]["image"] == "nginx:1"

    before = ready_pods(kubectl, "app=web")
    victim = min(before)
    with kubectl.start("get", "pods", "-l", "app=web", "--watch") as process:
        kubectl("delete", "pod", victim)
        new = Running(process).wait_for(rf"\n(?!{'|'.join(before)})(web-\S+) +1/1 +Running ")[1]
        process.send_signal(signal.SIGINT)
    assert ready_pods(kubectl, "app=web") == before - {victim} | {new}


def test_everything_is_listed_and_described(kubectl: Kubectl, namespace: str) -> None:
    """`get all` and `describe` are where people look first when something is wrong."""
    kubectl("create", "deployment", "web", "--image=nginx", "--port=80")
    kubectl("expose", "deployment", "web", "--port=8080", "--target-port=80")
    kubectl("wait", "--for=condition=Available", "deploy/web", "--timeout=30s")

    everything = kubectl("get", "all")
    deployment = kubectl("describe", "deploy/web")
    pod = kubectl("describe", "pod", "-l", "app=web")
    service = kubectl("describe", "service", "web")

    assert re.search(r"pod/web-\S+ +1/1 +Running +0 ", everything)
    assert re.search(r"deployment.apps/web +1/1 +1 +1 ", everything)
    assert re.search(r"replicaset.apps/web-\S+ +1 +1 +1 ", everything)
    assert re.search(r"service/web +ClusterIP +127\.\S+ +<none> +8080/TCP", everything)
    assert "1 desired | 1 updated | 1 total | 1 available | 0 unavailable" in deployment
    assert "ScalingReplicaSet" in deployment
    assert re.search(r"Successfully assigned \S+ to node-1", pod)
    assert "Container started" in pod
    assert re.search(r"Endpoints: +127\.\S+:80", service)


def test_a_job_runs_to_its_end_and_its_log_is_kept(kubectl: Kubectl, namespace: str) -> None:
    """What it wrote is there after it has ended."""
    kubectl("create", "job", "count", "--image=busybox", "--", "sh", "-c", "seq 3; echo oh >&2")

    kubectl("wait", "--for=condition=complete", "job/count", "--timeout=30s")

    assert sorted(kubectl("logs", "job/count").split()) == ["1", "2", "3", "oh"]
    assert re.search(r"count +Complete +1/1 ", kubectl("get", "job", "count"))


def test_a_job_that_fails_says_so(kubectl: Kubectl, namespace: str) -> None:
    """A Job is tried again as often as it says, and no more."""
    kubectl("create", "job", "fail", "--image=busybox", "--", "sh", "-c", "exit 3")
    kubectl("patch", "job", "fail", "--type=merge", "-p", '{"spec":{"backoffLimit":0}}')

    kubectl("wait", "--for=condition=failed", "job/fail", "--timeout=30s")

    conditions = kubectl.json("get", "job", "fail")["status"]["conditions"]
    assert {one["reason"] for one in conditions} == {"BackoffLimitExceeded"}


def test_a_cron_job_makes_jobs(kubectl: Kubectl, namespace: str) -> None:
    """On its schedule by itself, and at once by hand."""
    kubectl("create", "cronjob", "tick", "--image=busybox", "--schedule=0 0 1 1 *", "--", "date")
    assert re.search(r"tick +0 0 1 1 \* +<none> +False +0 ", kubectl("get", "cronjob", "tick"))

    kubectl("create", "job", "now", "--from=cronjob/tick")
    kubectl("wait", "--for=condition=complete", "job/now", "--timeout=30s")

    owner = kubectl.json("get", "job", "now")["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"]) == ("CronJob", "tick")


def test_logs_are_followed_and_commands_run_inside(kubectl: Kubectl, namespace: str) -> None:
    """A look into a container that runs."""
    kubectl("run", "clock", "--image=busybox", "--restart=Never", "--", "sh", "-c", TICKS)
    kubectl("wait", "--for=condition=Ready", "pod/clock", "--timeout=30s")

    with kubectl.start("logs", "-f", "clock") as process:
        following = Running(process)
        following.wait_for("tick 0\ntick 1\n")
        following.wait_for("tick 4\n")
        process.send_signal(signal.SIGINT)
    failed = kubectl.try_("exec", "clock", "--", "sh", "-c", "echo $HOSTNAME; exit 3")
    piped = kubectl("exec", "-i", "clock", "--", "cat", stdin="from here\n")

    assert (failed.returncode, failed.stdout) == (3, "clock\n")
    assert piped == "from here\n"


def test_a_port_is_forwarded_to_a_pod(kubectl: Kubectl, namespace: str) -> None:
    """A browser on this machine reaches what listens in a pod."""
    kubectl("create", "deployment", "web", "--image=nginx", "--port=80")
    kubectl("wait", "--for=condition=Available", "deploy/web", "--timeout=30s")

    with kubectl.start("port-forward", "deploy/web", ":80") as process:
        port = Running(process).wait_for(r"Forwarding from 127.0.0.1:(\d+) -> 80\n")[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            page = answer.read().decode()
        process.send_signal(signal.SIGINT)

    assert page.startswith("This is web-")


def test_a_service_leads_to_its_pods(kubectl: Kubectl, namespace: str) -> None:
    """Its address is one of this machine's, so everything here reaches it."""
    kubectl("create", "deployment", "web", "--image=nginx", "--port=80")
    kubectl("expose", "deployment", "web", "--port=8080", "--target-port=80")
    kubectl("wait", "--for=condition=Available", "deploy/web", "--timeout=30s")
    slices = "endpointslice", "-l", "kubernetes.io/service-name=web"
    kubectl("wait", "--for=jsonpath={.endpoints[0].conditions.ready}=true", *slices)

    address = kubectl("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}")
    with urllib.request.urlopen(f"http://{address}:8080/", timeout=10) as answer:
        page = answer.read().decode()

    assert page.startswith("This is web-")


def test_a_namespace_goes_with_all_that_is_in_it(kubectl: Kubectl, namespace: str) -> None:
    """`kubectl delete namespace` returns when nothing is left."""
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2")
    kubectl("wait", "--for=condition=Available", "deploy/web", "--timeout=30s")

    kubectl("delete", "namespace", namespace, "--timeout=50s")

    assert kubectl.try_("get", "namespace", namespace).returncode == 1
    assert kubectl("get", "pods,deployments,replicasets", "-n", namespace, "-o", "name") == ""


def test_claims_volumes_and_their_namespace_can_be_deleted(
    kubectl: Kubectl, namespace: str
) -> None:
    """A claim goes once no pod uses it, and nothing hangs on a finalizer that nobody takes off."""
    manifest = {"apiVersion": "v1", "kind": "List", "items": [database(), disk(namespace)]}
    kubectl("apply", "-f", "-", stdin=json.dumps(manifest))
    kubectl("rollout", "status", "statefulset/db", "--timeout=30s")

    used = kubectl.try_("delete", "pvc", "data-db-0", "--timeout=1s")
    kubectl("delete", "statefulset", "db", "--timeout=30s")
    kubectl("wait", "--for=delete", "pvc/data-db-0", "--timeout=30s")
    kubectl("delete", "pv", namespace, "--timeout=30s")
    kubectl("delete", "pvc", "data-db-1", "--timeout=30s")
    kubectl("apply", "-f", "-", stdin=json.dumps(database()))
    kubectl("rollout", "status", "statefulset/db", "--timeout=30s")
    kubectl("delete", "namespace", namespace, "--timeout=50s")

    assert "timed out" in used.stderr
    assert kubectl("get", "pvc,pods", "-n", namespace, "-o", "name") == ""


def database() -> dict[str, Any]:
    """Return a StatefulSet of two pods, each with a claim of its own."""
    container = {
        "name": "db",
        "image": "busybox",
        "command": ["sh", "-c", "echo here > /data/file; exec sleep 1000"],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    storage = {"requests": {"storage": "1Gi"}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": storage}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db"},
        "spec": {
            "serviceName": "db",
            "replicas": 2,
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
            },
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}],
        },
    }


def disk(name: str) -> dict[str, Any]:
    """Return a volume."""
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/srv"},
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": spec,
    }


def test_a_wrong_manifest_is_refused_with_the_field(kubectl: Kubectl, namespace: str) -> None:
    """What is wrong is said where it is wrong."""
    done = kubectl.try_("create", "deployment", "web", "--image=")

    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "Web"},
        "spec": {"containers": [{"name": "web", "image": "nginx", "cmd": ["x"]}]},
    }
    refused = kubectl.try_("apply", "-f", "-", stdin=json.dumps(manifest))

    assert done.returncode == 1
    assert refused.returncode == 1
    assert 'unknown field "spec.containers[0].cmd"' in refused.stderr
