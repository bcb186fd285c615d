"""What kubectl asks about the server itself: resources, rights, fields, events."""

from tests.kubectl.conftest import Compare
from tests.kubectl.session import Difference, Step

EVENT = """
apiVersion: v1
kind: Event
metadata: {{name: {name}}}
involvedObject: {{kind: Pod, name: first, namespace: asking-for-events, apiVersion: v1}}
reason: {reason}
message: it is here
type: {type}
count: 2
source: {{component: kubelet}}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:0{minute}:00Z"
"""

RIGHTS = (
    Step("auth can-i create pods"),
    Step("auth can-i create pods", user="reader", code=1),
    Step("auth can-i get pods", user="reader"),
    Step("auth can-i get pods", user="nobody", code=1),
    Step("auth can-i get pods --as=ada --as-group=system:masters"),
    Step("auth can-i get pods --subresource=log", user="reader"),
    Step("auth can-i get /healthz", user="nobody"),
    Step("auth can-i get nothing", user="reader"),
    Step("auth can-i '*' '*'"),
    Step("auth can-i --list", user="nobody", sort=True),
    Step("auth whoami"),
    Step("get pods", user="nobody", code=1),
    Step("get pods -A", user="nobody", code=1),
    Step("get nodes", user="nobody", code=1),
    Step("get pod a", user="nobody", code=1),
    Step("create -f settings.yaml", user="reader", code=1),
    Step("create -f settings.yaml"),
    Step("delete configmap settings", user="reader", code=1),
    Step("delete configmaps --all", user="reader", code=1),
    Step("label configmap settings a=b", user="reader", code=1),
    Step("apply -f settings-changed.yaml", user="reader", code=1),
    Step("get configmaps settings --as=ada", code=1),
    Step("get configmaps --as=ada", user="reader", code=1),
    Step("--token=wrong get pods", code=1),
    Step("auth reconcile -f rights.yaml"),
    Step("auth can-i get configmaps --as=ada"),
    Step("get configmap settings -o name --as=ada"),
)

RESOURCES = (
    Step("api-resources --namespaced=true --api-group= -o name", sort=True),
    Step("api-resources --namespaced=true --api-group=apps", sort=True),
    Step("api-resources --api-group=batch -o wide", sort=True),
    Step("api-resources --api-group=rbac.authorization.k8s.io --verbs=list,get", sort=True),
    Step("api-resources --categories=all -o name", sort=True),
    Step("api-versions", sort=True),
    Step("cluster-info"),
    Step("version -o yaml"),
    Step("config current-context"),
    Step("config view --minify -o jsonpath='{.clusters[0].cluster.server}'"),
    Step("get --raw /healthz"),
    Step("get --raw /readyz"),
    Step("get --raw /livez?verbose"),
    Step("top pods", code=1),
    Step("top nodes", code=1),
    Step("get nothing", code=1),
    Step("get pods.v1.apps", code=1),
    Step("get deployments.v1.apps"),
    Step("get pods/", code=1),
    Step("logs missing", code=1),
    Step("exec missing -- true", code=1),
    Step("drain missing", code=1),
    Step("cordon missing", code=1),
    Step("get componentstatuses -o name"),
)

EXPLAIN = (
    Step("explain pods"),
    Step("explain configmap"),
    Step("explain configmap.data"),
    Step("explain pod.spec.containers.ports"),
    Step("explain deployment.spec.strategy --recursive"),
    Step("explain pod.spec.nothing", code=1),
    Step("explain nothing", code=1),
    Step("explain cronjob --api-version=batch/v1"),
)

EVENTS = (
    Step("create -f -", stdin=EVENT.format(name="a", reason="Pulled", type="Normal", minute=1)),
    Step("create -f -", stdin=EVENT.format(name="b", reason="Failed", type="Warning", minute=3)),
    Step("create -f -", stdin=EVENT.format(name="c", reason="Killed", type="Normal", minute=2)),
    Step("events"),
    Step("events --types=Warning"),
    Step("events --for pod/first"),
    Step("events -o name"),
    Step("get events --sort-by=.lastTimestamp"),
    Step("get events -o wide --sort-by=.metadata.name"),
    Step("get events --field-selector=reason=Failed"),
    Step("get events --field-selector=involvedObject.name=other"),
)


def test_rights(compare: Compare) -> None:
    """What one may do, and how a refusal reads."""
    compare(RIGHTS)


def test_asking_for_resources(compare: Compare) -> None:
    """Discovery tells kubectl what there is."""
    compare(RESOURCES)


def test_explaining(compare: Compare) -> None:
    """The fields of a kind come from the OpenAPI document."""
    compare(EXPLAIN)


def test_asking_for_events(compare: Compare) -> None:
    """Events are sorted and chosen."""
    compare(EVENTS)
