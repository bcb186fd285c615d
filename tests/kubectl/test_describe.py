"""kubectl describe: what a person reads when something is wrong."""

from tests.kubectl import differences
from tests.kubectl.conftest import Compare
from tests.kubectl.session import Step

EVENT = """
apiVersion: v1
kind: Event
metadata: {name: first.1}
involvedObject: {kind: Pod, name: first, namespace: describing-objects, apiVersion: v1}
reason: Pulled
message: the image is here
type: Normal
count: 3
source: {component: kubelet, host: node-1}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:05:00Z"
"""

OBJECTS = (
    Step("create -f settings.yaml"),
    Step("create -f pods.yaml"),
    Step("create -f -", stdin=EVENT),
    Step("describe configmap settings"),
    Step("describe pod first"),
    Step("describe pod second"),
    Step("describe pods -l tier=front"),
    Step("describe pod fir"),
    Step("describe pod missing", code=1),
    Step("create -f web.yaml"),
    Step("describe deployment web"),
    Step("describe service web", differs=differences.SERVICE),
    Step("describe -f web.yaml", differs=differences.SERVICE),
    Step("describe namespace describing-objects", differs=differences.NAMESPACE_LABEL),
    Step(
        "create -f cluster.yaml --dry-run=server",
        sort=True,
        differs=differences.ENDPOINTS_WARNING,
    ),
)

CLUSTER = (
    Step("create -f cluster-2.yaml"),
    Step("describe node node-7"),
    Step("describe persistentvolume disk-7"),
    Step("describe pvc claim"),
    Step("describe storageclass fast"),
    Step("describe secret password"),
    Step("describe serviceaccount robot"),
    Step("describe ingress entry"),
    Step("describe ingressclass inside"),
    Step("describe networkpolicy closed"),
    Step("describe job once"),
    Step("describe cronjob nightly"),
    Step("describe statefulset store"),
    Step("describe daemonset agent"),
    Step("describe replicaset alone"),
    Step("describe role see"),
    Step("describe rolebinding seers"),
    Step("describe clusterrole cluster-admin"),
    Step("describe lease leader"),
    Step("describe quota enough"),
    Step("describe limits limits"),
)


def test_describing_objects(compare: Compare) -> None:
    """A description joins an object with its events and relatives."""
    compare(OBJECTS)
