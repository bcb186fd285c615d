"""`kubewright doctor` on a cluster with an operator: each planted fault is found, and mended."""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kubewright._pki.authority import Authority, Period
from kubewright.cli import app as command
from kubewright.cli.load import load_operator
from kubewright.testing import EmbeddedCluster
from tests.cluster.cronjob_operator import (
    CRD,
    FILE,
    MANAGER,
    NAME,
    NAMESPACE,
    SECRET,
    SERVICE,
    Deployed,
)

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the PATH"),
]

HERE = f"in namespace {NAMESPACE}"
DEPLOYMENT = f"deployment/{MANAGER} {HERE}"
VALIDATING = "validatingwebhookconfiguration/cronjob-validating-webhook-configuration"
OBJECT = """\
apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: nightly, namespace: default, finalizers: [example.com/backup]}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: []}}}}
"""


class Ward:
    """Has an operator with webhooks in a cluster whose pods are processes.

    Args:
        home: A folder for the cache of kubectl.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._stack = ExitStack()
        self._deployed: Deployed | None = None

    def admit(self) -> Deployed:
        """Return a healthy operator; a new one if there is none."""
        if self._deployed is None:
            cluster = self._stack.enter_context(EmbeddedCluster(simulate=False))
            self._deployed = Deployed(cluster, load_operator(str(FILE)), self._home)
            self._deployed.deploy()
        return self._deployed

    def dismiss(self) -> None:
        """Give the operator up: what a test has left behind must not fail the next one."""
        self._deployed = None
        self._stack.close()


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ward]:
    """Where the operator is."""
    made = Ward(tmp_path_factory.mktemp("home"))
    yield made
    made.dismiss()


@pytest.fixture
def deployed(ward: Ward) -> Iterator[Deployed]:
    """A healthy operator, to be damaged."""
    made = ward.admit()
    yield made
    if examine(made).findings:
        ward.dismiss()


class Report:
    """What the doctor says, without hints about the machine that the tests run on."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        self.status = status
        self.findings: list[dict[str, Any]] = [
            one for one in document["findings"] if one["severity"] != "info"
        ]

    @property
    def subjects(self) -> list[tuple[str, str]]:
        """How bad each finding is, and what it is about."""
        return [(one["severity"], one["subject"]) for one in self.findings]

    @property
    def only(self) -> dict[str, Any]:
        """The finding, if there is only one."""
        (found,) = self.findings
        return found


def examine(deployed: Deployed, *words: str) -> Report:
    """Run the command as a program does."""
    config = ["--kubeconfig", str(deployed.kubeconfig), "--output", "json"]
    done = CliRunner().invoke(command.app, ["doctor", str(FILE), *config, *words])
    assert done.exit_code in {0, 1}, done.output
    assert isinstance(done.exception, SystemExit | None), done.exception
    return Report(done.exit_code, json.loads(done.stdout))


def mend(deployed: Deployed, finding: dict[str, Any]) -> None:
    """Run all commands of a finding, one after the other."""
    for text in finding["mend"]:
        deployed.shell(text)
    deployed.settle()


def assert_healthy(deployed: Deployed) -> None:
    """Assert that nothing is wrong any more."""
    report = examine(deployed)
    assert report.status == 0, json.dumps(report.findings, indent=2)
    assert report.findings == []


def test_nothing_is_wrong_with_a_healthy_operator(deployed: Deployed) -> None:
    """A doctor who always finds something is not asked again."""
    assert_healthy(deployed)


def test_what_is_fine_is_told_on_demand(deployed: Deployed) -> None:
    """Nothing wrong and nothing looked at are two things."""
    words = ["doctor", str(FILE), "--kubeconfig", str(deployed.kubeconfig), "--verbose"]

    done = CliRunner().invoke(command.app, words)

    assert done.exit_code == 0
    for text in (
        f"{DEPLOYMENT} has 1 ready pods",
        f"crd/{CRD} is installed, as declared",
        "has all rights that the operator declares",
        "3 webhooks can be reached",
        "the webhooks of cronjobs answer",
        f"lease/{NAME} {HERE} is held by {MANAGER}-",
    ):
        assert text in done.stdout
    assert "Nothing is wrong" in done.stdout


def test_a_deployment_without_pods_explains_all_that_follows(deployed: Deployed) -> None:
    """It is one fault, and one command: what follows from it is not a second thing to mend."""
    deployed.kubectl("scale", f"deployment/{MANAGER}", "-n", NAMESPACE, "--replicas=0")
    deployed.kubectl("wait", "pods", "--all", "-n", NAMESPACE, "--for=delete", "--timeout=20s")

    report = examine(deployed)

    assert report.status == 1
    assert report.subjects == [("error", DEPLOYMENT)], report.findings
    assert report.only["what"] == "It is scaled to 0: the operator does not run."
    assert any(one.startswith(f"service/{SERVICE}") for one in report.only["consequences"])
    mend(deployed, report.only)
    assert_healthy(deployed)


def test_a_field_that_the_crd_lacks_is_named(deployed: Deployed) -> None:
    """Its values would be dropped without a word."""
    path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/suspend"
    patch = json.dumps([{"op": "remove", "path": path}])
    deployed.kubectl("patch", "crd", CRD, "--type=json", "--patch", patch)

    report = examine(deployed)

    assert report.subjects == [("error", f"crd/{CRD}")]
    assert "v1 .spec.suspend: the cluster does not have it" in report.only["what"]
    assert report.only["mend"][0].startswith(f"kubewright manifests {FILE} | kubectl")
    deployed.apply(*deployed.crds())
    assert_healthy(deployed)


def test_a_version_on_its_way_out_is_migrated(deployed: Deployed) -> None:
    """Its last objects have to be stored anew before it can go."""
    crd = deployed.get("crd", CRD)
    old = {**crd["spec"]["versions"][0], "name": "v1alpha1", "storage": False}
    patch = json.dumps([{"op": "add", "path": "/spec/versions/-", "value": old}])
    deployed.kubectl("patch", "crd", CRD, "--type=json", "--patch", patch)
    stored = json.dumps({"status": {"storedVersions": ["v1alpha1", "v1"]}})
    deployed.kubectl("patch", "crd", CRD, "--subresource=status", "--type=merge", "--patch", stored)

    report = examine(deployed)

    assert report.subjects == [("warning", f"crd/{CRD}")]
    assert "may still be stored as v1alpha1" in report.only["what"]
    mend(deployed, report.only)
    left = examine(deployed)
    assert "v1alpha1: if you install that, the version is gone" in left.only["what"]
    deployed.apply(*deployed.crds())
    assert_healthy(deployed)


def test_a_right_that_is_missing_can_be_granted(deployed: Deployed) -> None:
    """The manifest in the report is whole, and for the right account."""
    role = deployed.get("clusterrole", MANAGER)
    index = next(i for i, one in enumerate(role["rules"]) if one["resources"] == ["jobs"])
    patch = json.dumps([{"op": "remove", "path": f"/rules/{index}"}])
    deployed.kubectl("patch", "clusterrole", MANAGER, "--type=json", "--patch", patch)

    report = examine(deployed)

    assert report.subjects == [("error", f"serviceaccount/{MANAGER} {HERE}")]
    assert "list, watch jobs.batch" in report.only["what"]
    deployed.shell(report.only["mend"][-1])
    assert_healthy(deployed)


def test_a_binding_to_a_role_that_is_gone_is_found(deployed: Deployed) -> None:
    """It looks as if it granted something."""
    account = f"--serviceaccount={NAMESPACE}:{MANAGER}"
    deployed.kubectl("create", "rolebinding", "extra", "-n", NAMESPACE, "--role=gone", account)

    report = examine(deployed)

    assert report.subjects == [("warning", f"rolebinding/extra {HERE}")]
    mend(deployed, report.only)
    assert_healthy(deployed)


def test_a_webhook_that_nobody_calls_is_found(deployed: Deployed) -> None:
    """Everything seems to work, and nothing is checked."""
    deployed.kubectl("delete", *VALIDATING.split("/"))

    report = examine(deployed)

    assert report.subjects == [("error", VALIDATING)]
    assert "API servers do not call it" in report.only["what"]
    deployed.deploy()
    assert_healthy(deployed)


def test_a_missing_service_blocks_writes(deployed: Deployed) -> None:
    """It says which writes, since that is what people complain about."""
    deployed.kubectl("delete", "service", SERVICE, "-n", NAMESPACE)

    report = examine(deployed)

    assert report.subjects == [("error", f"service/{SERVICE} {HERE}")]
    assert "There is no such Service" in report.only["what"]
    assert f"Every create and update of {CRD} is refused" in report.only["why"]
    deployed.deploy()
    assert_healthy(deployed)


def test_a_wrong_port_is_mended(deployed: Deployed) -> None:
    """The Service is there, and its pods are ready."""
    patch = json.dumps(
        [{"op": "add", "path": "/webhooks/0/clientConfig/service/port", "value": 8443}]
    )
    deployed.kubectl("patch", *VALIDATING.split("/"), "--type=json", "--patch", patch)

    report = examine(deployed)

    assert report.subjects == [("error", VALIDATING)]
    assert "called at port 8443" in report.only["what"]
    mend(deployed, report.only)
    assert_healthy(deployed)


@pytest.mark.parametrize(
    ("bundle", "what"),
    [("", "its caBundle is empty"), ("stale", "no authority in it has signed the certificate")],
)
def test_a_ca_bundle_that_is_wrong_is_replaced(deployed: Deployed, bundle: str, what: str) -> None:
    """After the authority has changed, nobody is trusted any more."""
    path = "/webhooks/0/clientConfig/caBundle"
    change: dict[str, Any] = {"op": "remove", "path": path}
    if bundle:
        value = base64.b64encode(Authority("another").certificate).decode()
        change = {"op": "replace", "path": path, "value": value}
    patch = json.dumps([change])
    deployed.kubectl("patch", *VALIDATING.split("/"), "--type=json", "--patch", patch)

    report = examine(deployed)

    assert report.subjects == [("error", VALIDATING)]
    assert what in report.only["what"]
    mend(deployed, report.only)
    assert_healthy(deployed)


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("expired", "the certificate expired at"),
        ("names", "and not for cronjob-webhook-service.cronjob-system.svc"),
    ],
)
def test_a_certificate_that_no_server_accepts_is_found(
    deployed: Deployed, fault: str, what: str
) -> None:
    """It says why, in the words of the certificate."""
    begin = datetime.now(UTC) - timedelta(days=9)
    period = Period(begin, begin + timedelta(days=2)) if fault == "expired" else None
    hosts = ["shop.example.com"] if fault == "names" else []
    deployed.show(*hosts, period=period)

    report = examine(deployed)

    assert report.subjects == [("error", f"secret/{SECRET} {HERE}")]
    assert what in report.only["what"]
    deployed.show()
    deployed.settle()
    assert_healthy(deployed)


def test_an_image_that_cannot_be_pulled_is_rolled_back(deployed: Deployed) -> None:
    """The version before still runs: what has to be said is that the new one never will."""
    image = "manager=example.com/Not/Lower:1"
    deployed.kubectl("set", "image", f"deployment/{MANAGER}", image, "-n", NAMESPACE)
    wait_for_pod(deployed, "InvalidImageName")

    report = examine(deployed)

    assert report.subjects == [("error", DEPLOYMENT)]
    assert "cannot be pulled" in report.only["what"]
    mend(deployed, report.only)
    assert_healthy(deployed)


def test_a_crash_is_told_with_its_last_words(deployed: Deployed) -> None:
    """The reason is in the log, and nobody has to look for it."""
    path = "/spec/template/spec/containers/0/args/-"
    patch = json.dumps([{"op": "add", "path": path, "value": "--colour=blue"}])
    deployed.kubectl(
        "patch", "deployment", MANAGER, "-n", NAMESPACE, "--type=json", "--patch", patch
    )
    wait_for_pod(deployed, "CrashLoopBackOff")

    report = examine(deployed)

    assert report.subjects == [("error", DEPLOYMENT)]
    assert "crashes again and again: exit code 2" in report.only["what"]
    assert "No such option: --colour" in report.only["what"]
    mend(deployed, report.only)
    assert_healthy(deployed)


def wait_for_pod(deployed: Deployed, reason: str) -> None:
    """Wait until a container of some pod waits for that reason."""
    where = "{.status.containerStatuses[0].state.waiting.reason}"
    deployed.kubectl(
        "wait", newest_pod(deployed), "-n", NAMESPACE, f"--for=jsonpath={where}={reason}",
        "--timeout=50s",
    )  # fmt: skip


def newest_pod(deployed: Deployed) -> str:
    """Return the pod that was made last; an older one may be about to go."""
    return deployed.kubectl(
        "get", "pods", "-n", NAMESPACE, "--sort-by=.metadata.creationTimestamp", "-o", "name"
    ).split()[-1]


def test_a_lease_in_the_hands_of_another_is_freed(deployed: Deployed) -> None:
    """Somebody runs the operator on a laptop, and wonders why the cluster does nothing."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    spec = {
        "holderIdentity": "laptop_1", "renewTime": now, "acquireTime": now,
        "leaseDurationSeconds": 3600,
    }  # fmt: skip
    patch = json.dumps({"spec": spec})
    deployed.kubectl("patch", "lease", NAME, "-n", NAMESPACE, "--type=merge", "--patch", patch)
    deployed.kubectl(
        "wait", newest_pod(deployed), "-n", NAMESPACE, "--timeout=30s",
        "--for=jsonpath={.status.containerStatuses[0].restartCount}=1",
    )  # fmt: skip
    deployed.settle(leads=False)  # the laptop does

    report = examine(deployed)

    assert report.subjects == [("warning", f"lease/{NAME} {HERE}")]
    assert "It is held by laptop_1" in report.only["what"]
    mend(deployed, report.only)
    assert_healthy(deployed)


def test_a_finalizer_that_nobody_removes_is_found(deployed: Deployed) -> None:
    """The command removes it, and no other."""
    deployed.kubectl("apply", "-f", "-", stdin=OBJECT)
    deployed.kubectl("delete", CRD, "nightly", "-n", "default", "--wait=false")

    report = examine(deployed, "--stuck-after", "0")

    assert report.subjects == [("warning", f"{CRD}/nightly in namespace default")]
    assert "it waits for example.com/backup, which is not the operator's" in report.only["what"]
    assert examine(deployed).findings == []  # so far it may as well be at work
    mend(deployed, report.only)
    assert examine(deployed, "--stuck-after", "0").findings == []


def test_a_namespace_that_does_not_go_says_why(deployed: Deployed) -> None:
    """The reason is in its conditions, where few look."""
    deployed.kubectl("create", "namespace", "old")
    keeper = {"metadata": {"name": "a", "namespace": "old", "finalizers": ["example.com/keep"]}}
    deployed.apply({"apiVersion": "v1", "kind": "ConfigMap", **keeper})
    deployed.kubectl("delete", "namespace", "old", "--wait=false")
    deployed.kubectl(
        "wait", "namespace/old", "--for=condition=NamespaceFinalizersRemaining", "--timeout=20s"
    )

    report = examine(deployed, "--stuck-after", "0")

    assert report.subjects == [("warning", "namespace/old")]
    assert "example.com/keep" in report.only["what"]
    assert "configmap/a" in deployed.shell(report.only["mend"][-1])
    free = '{"metadata":{"finalizers":null}}'
    deployed.kubectl("patch", "configmap", "a", "-n", "old", "--type=merge", "--patch", free)
    deployed.kubectl("wait", "namespace/old", "--for=delete", "--timeout=20s")


def test_an_api_server_that_is_gone_is_found(deployed: Deployed) -> None:
    """It breaks discovery for everybody, and the end of every namespace."""
    name = "v1.metrics.example.com"
    spec = {
        "group": "metrics.example.com", "version": "v1", "groupPriorityMinimum": 100,
        "versionPriority": 100, "insecureSkipTLSVerify": True,
        "service": {"name": "gone", "namespace": "default"},
    }  # fmt: skip
    kind = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService"}
    deployed.apply({**kind, "metadata": {"name": name}, "spec": spec})
    deployed.kubectl(
        "wait", f"apiservice/{name}", "--for=condition=Available=False", "--timeout=20s"
    )

    report = examine(deployed)

    assert report.subjects == [("error", f"apiservice/{name}")]
    assert "Service gone in namespace default" in report.only["what"]
    deployed.shell(report.only["mend"][-1])
    assert_healthy(deployed)


def test_several_replicas_without_leader_election_are_found(deployed: Deployed) -> None:
    """Both would start the same Job."""
    path = "/spec/template/spec/containers/0/args/0"
    patch = json.dumps(
        [
            {"op": "replace", "path": path, "value": "--workers=1"},
            {"op": "replace", "path": "/spec/replicas", "value": 2},
        ]
    )
    deployed.kubectl(
        "patch", "deployment", MANAGER, "-n", NAMESPACE, "--type=json", "--patch", patch
    )
    deployed.settle(leads=False)

    report = examine(deployed)

    assert report.subjects == [("warning", DEPLOYMENT)]
    assert "2 replicas" in report.only["what"]
    deployed.shell(report.only["mend"][0])
    deployed.settle(leads=False)
    assert_healthy(deployed)
    deployed.deploy()


def test_a_missing_crd_is_found(deployed: Deployed) -> None:
    """The first thing to go wrong after an installation by hand."""
    deployed.kubectl("delete", "crd", CRD)

    report = examine(deployed)

    assert report.subjects == [("error", f"crd/{CRD}")]
    assert "There is no CustomResourceDefinition for CronJob" in report.only["what"]
    deployed.deploy()
    deployed.kubectl("rollout", "restart", f"deployment/{MANAGER}", "-n", NAMESPACE)
    deployed.settle()
    assert_healthy(deployed)
