"""Defaults that clients rely on: what is not sent is there when it is read."""

from typing import Any

import pytest

from tests.conformance.bodies import CONTAINER, deployment, pod, service, template
from tests.conformance.wire import Wire


def part(document: Any, path: str) -> Any:
    """Return the field at *path*, or None."""
    for step in path.split("."):
        if document is None:
            return None
        if isinstance(document, list):
            document = document[int(step)] if int(step) < len(document) else None
        else:
            document = document.get(step)
    return document


SELECTED = {"selector": {"matchLabels": {"app": "a"}}, "template": template()}
JOB_TEMPLATE = {"spec": {"template": {"spec": {**pod("x")["spec"], "restartPolicy": "Never"}}}}
POD_DEFAULTS = {
    "spec.restartPolicy": "Always",
    "spec.dnsPolicy": "ClusterFirst",
    "spec.schedulerName": "default-scheduler",
    "spec.terminationGracePeriodSeconds": 30,
    "spec.securityContext": {},
    "spec.enableServiceLinks": True,
    "spec.containers.0.imagePullPolicy": "Always",
    "spec.containers.0.terminationMessagePath": "/dev/termination-log",
    "spec.containers.0.terminationMessagePolicy": "File",
    "spec.containers.0.resources": {},
}

NAME = {"fieldPath": "metadata.name"}

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "Pod": (
        "v1/pods",
        pod("a")["spec"],
        {**POD_DEFAULTS, "status.phase": "Pending", "status.qosClass": "BestEffort"},
    ),
    "Pod priority": (
        "v1/pods",
        pod("a")["spec"],
        {"spec.priority": 0, "spec.preemptionPolicy": "PreemptLowerPriority"},
    ),
    "Pod probes and ports": (
        "v1/pods",
        {
            "containers": [
                {
                    **CONTAINER,
                    "image": "busybox:1.36",
                    "ports": [{"containerPort": 80}],
                    "livenessProbe": {"httpGet": {"port": 80}},
                    "env": [
                        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
                    ],
                    "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
                }
            ]
        },
        {
            "spec.containers.0.imagePullPolicy": "IfNotPresent",
            "spec.containers.0.ports.0.protocol": "TCP",
            "spec.containers.0.livenessProbe.httpGet.path": "/",
            "spec.containers.0.livenessProbe.httpGet.scheme": "HTTP",
            "spec.containers.0.livenessProbe.timeoutSeconds": 1,
            "spec.containers.0.livenessProbe.periodSeconds": 10,
            "spec.containers.0.livenessProbe.successThreshold": 1,
            "spec.containers.0.livenessProbe.failureThreshold": 3,
            "spec.containers.0.env.0.valueFrom.fieldRef.apiVersion": "v1",
            "spec.containers.0.resources.requests": {"cpu": "1", "memory": "1Gi"},
            "status.qosClass": "Guaranteed",
        },
    ),
    "Pod volumes": (
        "v1/pods",
        {
            "containers": [CONTAINER],
            "serviceAccountName": "default",
            "volumes": [
                {"name": "a", "configMap": {"name": "a"}},
                {"name": "b", "secret": {"secretName": "a"}},
                {"name": "c"},
                {"name": "d", "hostPath": {"path": "/a"}},
                {"name": "e", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
            ],
        },
        {
            "spec.volumes.0.configMap.defaultMode": 420,
            "spec.volumes.1.secret.defaultMode": 420,
            "spec.volumes.2.emptyDir": {},
            "spec.volumes.3.hostPath.type": "",
            "spec.volumes.4.projected.defaultMode": 420,
            "spec.volumes.4.projected.sources.0.serviceAccountToken.expirationSeconds": 3600,
        },
    ),
    "Pod tolerations": (
        "v1/pods",
        pod("a")["spec"],
        {
            "spec.tolerations.0.key": "node.kubernetes.io/not-ready",
            "spec.tolerations.0.tolerationSeconds": 300,
            "spec.tolerations.1.key": "node.kubernetes.io/unreachable",
        },
    ),
    "Deployment": (
        "apps/v1/deployments",
        SELECTED,
        {
            "spec.replicas": 1,
            "spec.strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
            },
            "spec.revisionHistoryLimit": 10,
            "spec.progressDeadlineSeconds": 600,
            "spec.template.spec.restartPolicy": "Always",
            "spec.template.spec.containers.0.terminationMessagePath": "/dev/termination-log",
            "spec.template.metadata.creationTimestamp": None,
            "status": {},
        },
    ),
    "Deployment recreate": (
        "apps/v1/deployments",
        {**SELECTED, "strategy": {"type": "Recreate"}},
        {"spec.strategy": {"type": "Recreate"}},
    ),
    "ReplicaSet": (
        "apps/v1/replicasets",
        SELECTED,
        {"spec.replicas": 1, "status": {"replicas": 0}},
    ),
    "StatefulSet": (
        "apps/v1/statefulsets",
        {
            **SELECTED,
            "serviceName": "a",
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "d"},
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "1Gi"}},
                    },
                }
            ],
        },
        {
            "spec.replicas": 1,
            "spec.podManagementPolicy": "OrderedReady",
            "spec.updateStrategy.type": "RollingUpdate",
            "spec.updateStrategy.rollingUpdate.partition": 0,
            "spec.revisionHistoryLimit": 10,
            "spec.volumeClaimTemplates.0.spec.volumeMode": "Filesystem",
            "spec.volumeClaimTemplates.0.status.phase": "Pending",
        },
    ),
    "DaemonSet": (
        "apps/v1/daemonsets",
        SELECTED,
        {
            "spec.updateStrategy.type": "RollingUpdate",
            "spec.updateStrategy.rollingUpdate.maxUnavailable": 1,
            "spec.revisionHistoryLimit": 10,
        },
    ),
    "Job": (
        "batch/v1/jobs",
        JOB_TEMPLATE["spec"],
        {"spec.completions": 1, "spec.parallelism": 1, "spec.backoffLimit": 6},
    ),
    "Service": (
        "v1/services",
        {"ports": [{"port": 80}]},
        {
            "spec.type": "ClusterIP",
            "spec.sessionAffinity": "None",
            "spec.ports.0.protocol": "TCP",
            "spec.ports.0.targetPort": 80,
            "status": {"loadBalancer": {}},
        },
    ),
    "Service with a node port": (
        "v1/services",
        {"type": "NodePort", "ports": [{"port": 80, "targetPort": "web"}]},
        {"spec.externalTrafficPolicy": "Cluster", "spec.ports.0.targetPort": "web"},
    ),
    "Service without an address": (
        "v1/services",
        {"clusterIP": "None", "ports": [{"port": 80}]},
        {"spec.clusterIP": "None", "spec.clusterIPs": ["None"]},
    ),
    "Service session affinity": (
        "v1/services",
        {"sessionAffinity": "ClientIP", "ports": [{"port": 80}]},
        {"spec.sessionAffinityConfig.clientIP.timeoutSeconds": 10800},
    ),
    "PersistentVolumeClaim": (
        "v1/persistentvolumeclaims",
        {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        {"spec.volumeMode": "Filesystem", "status.phase": "Pending"},
    ),
    "NetworkPolicy": (
        "networking.k8s.io/v1/networkpolicies",
        {"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]},
        {"spec.policyTypes": ["Ingress"], "spec.ingress.0.ports.0.protocol": "TCP"},
    ),
    "Ingress": (
        "networking.k8s.io/v1/ingresses",
        {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}},
        {"status": {"loadBalancer": {}}},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_kind_fills_in_its_defaults(api: Wire, namespace: str, case: str) -> None:
    """Each of these is read by somebody who never checks whether it is there."""
    resource, spec, expected = CASES[case]
    group, plural = resource.rsplit("/", 1)
    base = f"/api/{group}" if group == "v1" else f"/apis/{group}"

    made = api.post(
        f"{base}/namespaces/{namespace}/{plural}", {"metadata": {"name": "a"}, "spec": spec}
    ).ok(201)

    assert {path: part(made, path) for path in expected} == expected


@pytest.mark.since("1.21", reason="CronJobs of batch/v1")
def test_a_cron_job_fills_in_its_defaults(api: Wire, namespace: str) -> None:
    """The history that it keeps, and that jobs may overlap."""
    spec = {"schedule": "0 * * * *", "jobTemplate": JOB_TEMPLATE}
    path = f"/apis/batch/v1/namespaces/{namespace}/cronjobs"

    made = api.post(path, {"metadata": {"name": "a"}, "spec": spec}).ok(201)["spec"]

    assert made["concurrencyPolicy"] == "Allow"
    assert (made["suspend"], made["successfulJobsHistoryLimit"]) == (False, 3)
    assert made["failedJobsHistoryLimit"] == 1


@pytest.mark.since("1.21", reason="suspended and indexed Jobs")
def test_a_job_fills_in_newer_defaults(api: Wire, namespace: str) -> None:
    """Not suspended, and every pod counts the same."""
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"

    made = api.post(path, {"metadata": {"name": "a"}, "spec": JOB_TEMPLATE["spec"]}).ok(201)

    assert (made["spec"]["completionMode"], made["spec"]["suspend"]) == ("NonIndexed", False)


def test_a_job_selects_its_pods_by_its_uid(api: Wire, namespace: str) -> None:
    """Nobody else's pods are counted."""
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"

    made = api.post(path, {"metadata": {"name": "a"}, "spec": JOB_TEMPLATE["spec"]}).ok(201)

    uid = made["metadata"]["uid"]
    labels = made["spec"]["template"]["metadata"]["labels"]
    selector = made["spec"]["selector"]["matchLabels"]
    assert uid in selector.values()
    assert selector.items() <= labels.items()
    assert (labels["controller-uid"], labels["job-name"]) == (uid, "a")


def test_services_get_addresses_and_ports_of_their_own(api: Wire, namespace: str) -> None:
    """From the ranges of the server, no two alike."""
    path = f"/api/v1/namespaces/{namespace}/services"

    made = [api.post(path, service(name, type="NodePort")).ok(201)["spec"] for name in ("a", "b")]

    assert made[0]["clusterIP"] != made[1]["clusterIP"]
    assert made[0]["clusterIPs"] == [made[0]["clusterIP"]]
    ports = {one["ports"][0]["nodePort"] for one in made}
    assert len(ports) == 2
    assert all(30000 <= port <= 32767 for port in ports)


def test_a_secret_decodes_string_data(api: Wire, namespace: str) -> None:
    """StringData is a way in only: it is merged into data and not kept."""
    body = {"metadata": {"name": "a"}, "data": {"a": "MQ==", "b": "MQ=="}, "stringData": {"b": "2"}}

    made = api.post(f"/api/v1/namespaces/{namespace}/secrets", body).ok(201)

    assert made["data"] == {"a": "MQ==", "b": "Mg=="}
    assert "stringData" not in made
    assert made["type"] == "Opaque"


def test_labels_of_the_template_are_those_of_an_object_without(api: Wire, namespace: str) -> None:
    """A ReplicationController takes selector and labels from its template."""
    path = f"/api/v1/namespaces/{namespace}/replicationcontrollers"

    made = api.post(path, {"metadata": {"name": "a"}, "spec": {"template": template()}}).ok(201)

    assert made["spec"]["selector"] == {"app": "a"}
    assert made["metadata"]["labels"] == {"app": "a"}
    assert made["spec"]["replicas"] == 1


def test_an_update_fills_in_defaults_again(api: Wire, deployments: str) -> None:
    """A replace that leaves a field out gets the default, not the old value."""
    made = api.post(deployments, deployment("a", replicas=3)).ok(201)
    del made["spec"]["replicas"]

    assert api.put(f"{deployments}/a", made).ok()["spec"]["replicas"] == 1


def test_null_means_the_default(api: Wire, deployments: str) -> None:
    """As if it had been left out."""
    made = api.post(deployments, deployment("a", replicas=None, strategy=None)).ok(201)

    assert made["spec"]["replicas"] == 1
    assert made["spec"]["strategy"]["type"] == "RollingUpdate"


@pytest.mark.parametrize(
    ("given", "kept"),
    [("1000m", "1"), ("0.5", "500m"), ("1024Mi", "1Gi"), ("1.5Gi", "1536Mi"), ("1e3", "1e3")],
)
def test_quantities_are_kept_in_canonical_form(api: Wire, pods: str, given: str, kept: str) -> None:
    """So that equal amounts compare equal."""
    container = {**CONTAINER, "resources": {"requests": {"memory": given}}}

    made = api.post(pods, pod("a", containers=[container])).ok(201)

    assert made["spec"]["containers"][0]["resources"]["requests"]["memory"] == kept
