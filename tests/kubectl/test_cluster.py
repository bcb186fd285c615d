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
    Step(
        "auth can-i --list",
        user="nobody",
        sort=True,
        differs=Difference(
            why="who one is can be asked since 1.28",
            newer=[r"selfsubjectreviews.authentication.k8s.io  \[\]  \[\]  \[create\]"],
        ),
    ),
    Step(
        "auth whoami",
        differs=Difference(
            why="who one is can be asked since 1.28",
            code=1,
            expect=r"Username  admin\nGroups  \[system:masters system:authenticated\]",
        ),
    ),
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
    Step(
        "get configmaps --as=ada",
        user="reader",
        code=1,
        differs=Difference(
            why="impersonation can now be limited to some requests, and the text says so",
            expect='User "reader" cannot impersonate',
        ),
    ),
    Step("--token=wrong get pods", code=1),
    Step("auth reconcile -f rights.yaml"),
    Step("auth can-i get configmaps --as=ada"),
    Step("get configmap settings -o name --as=ada"),
)

RESOURCES = (
    Step("api-resources --namespaced=true --api-group= -o name", sort=True),
    Step("api-resources --namespaced=true --api-group=apps", sort=True),
    Step(
        "api-resources --api-group=batch -o wide",
        sort=True,
        differs=Difference(
            why="cron jobs became stable with 1.21",
            newer=["cronjobs  cj  batch/v1  true  CronJob  .*"],
            older=["cronjobs  cj  batch/v1beta1  true  CronJob  .*"],
        ),
    ),
    Step("api-resources --api-group=rbac.authorization.k8s.io --verbs=list,get", sort=True),
    Step("api-resources --categories=all -o name", sort=True),
    Step(
        "api-versions",
        sort=True,
        differs=Difference(
            why="the beta versions of 1.20 are gone, and some kinds became stable",
            newer=[
                "autoscaling/v2",
                "discovery.k8s.io/v1",
                "flowcontrol.apiserver.k8s.io/v1",
                "policy/v1",
                "resource.k8s.io/v1",
                "storagemigration.k8s.io/v1",
            ],
            older=[r".*/v\dbeta\d"],
        ),
    ),
    Step("cluster-info"),
    Step(
        "version -o yaml",
        differs=Difference(
            why="it is another version", expect=r'(?s)serverVersion:.*  major: "1"\n  minor: "\d+"'
        ),
    ),
    Step("config current-context"),
    Step("config view --minify -o jsonpath='{.clusters[0].cluster.server}'"),
    Step("get --raw /healthz"),
    Step("get --raw /readyz"),
    Step(
        "get --raw /livez?verbose",
        differs=Difference(
            why="the checks are those of other parts",
            expect=r"(?s)^\[\+\]ping ok\n.*livez check passed",
        ),
    ),
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
    Step(
        "get componentstatuses -o name",
        differs=Difference(
            why="without a scheduler and a controller manager there is nothing to be unhealthy",
            older=["componentstatus/controller-manager", "componentstatus/scheduler"],
        ),
    ),
)

NO_PROSE = "the embedded server's OpenAPI document of built-in kinds has no descriptions"


def fields(*names: str) -> Difference:
    """Return a difference of `explain`: these fields are named, in this order."""
    return Difference(why=NO_PROSE, expect="(?s)" + ".*".join(rf"\n  {name}\t<" for name in names))


# Old servers publish OpenAPI v2 only, which kubectl prints in another form; so the form is asked.
OLD_FORM = "--output=plaintext-openapiv2"
EXPLAIN = (
    Step("explain pods", differs=fields("apiVersion", "kind", "metadata", "spec", "status")),
    Step("explain configmap", differs=fields("binaryData", "data", "immutable")),
    Step(
        "explain configmap.data",
        differs=Difference(why=NO_PROSE, expect="data <map.string.string>"),
    ),
    Step("explain pod.spec.containers.ports", differs=fields("containerPort", "hostIP", "name")),
    Step(
        "explain deployment.spec.strategy --recursive",
        differs=Difference(
            why=NO_PROSE,
            expect=r"FIELDS:\n  rollingUpdate\t<RollingUpdateDeployment>\n    maxSurge\t<string>\n"
            r"    maxUnavailable\t<string>\n  type\t<string>",
        ),
    ),
    Step(f"explain pod.spec.nothing {OLD_FORM}", code=1),
    Step("explain nothing", code=1),
    Step(
        f"explain deployment.spec.strategy --recursive {OLD_FORM}",
        differs=Difference(
            why=NO_PROSE, expect="rollingUpdate\t<Object>\n      maxSurge\t<string>"
        ),
    ),
    Step("apply -f explained.yaml"),
    Step("wait crd books.library.example --for=condition=Established --timeout=20s"),
    Step(
        f"explain books {OLD_FORM}",
        retry=True,
        differs=Difference(why=NO_PROSE, expect=r"DESCRIPTION:\n     A book is read\.\n"),
    ),
    Step(f"explain books.spec {OLD_FORM}"),
    Step(f"explain books.spec.chapters {OLD_FORM}"),
    Step(f"explain books.spec.title {OLD_FORM}"),
    Step(
        f"explain books --recursive {OLD_FORM}",
        differs=Difference(
            why="the metadata of objects had a field less, and one more",
            newer=["subresource\t<string>"],
            older=["clusterName\t<string>"],
        ),
    ),
    Step(f"explain books.spec.nothing {OLD_FORM}", code=1),
    Step("delete crd books.library.example"),
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
