"""kubectl delete and wait, and kubectl get --watch."""

from tests.kubectl.conftest import Compare
from tests.kubectl.session import Step

HELD = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: held
  finalizers: [example.org/hold]
"""
RELEASE = 'patch configmap held --type=merge -p \'{"metadata":{"finalizers":null}}\''

DELETE = (
    Step("create -f settings.yaml -f pods.yaml -f web.yaml"),
    Step("delete configmap settings"),
    Step("delete configmap settings", code=1),
    Step("delete configmap settings --ignore-not-found"),
    Step("delete pod second --wait=false"),
    Step("delete pod first --grace-period=0 --force"),
    Step("get pods"),
    Step("delete deployment web --cascade=orphan --wait=false"),
    Step("get deployment web -o jsonpath='{.metadata.finalizers}'"),
    Step("delete -f web.yaml --ignore-not-found --wait=false"),
    Step("create -f settings.yaml"),
    Step("delete configmaps -l app=web"),
    Step("create -f settings.yaml"),
    Step("delete configmaps -l app=web --dry-run=server"),
    Step("delete configmaps --field-selector=metadata.name=settings"),
    Step("delete configmaps", code=1),
    Step("create -f -", stdin=HELD),
    Step("delete configmap held --wait=false"),
    Step("get configmap held -o yaml"),
    Step("delete configmap held --timeout=1s", code=1),
    Step("delete configmap held", during=(RELEASE,)),
    Step("get configmap held", code=1),
    Step("create -f settings.yaml"),
    Step("delete --all configmaps --cascade=background"),
    Step("create -f settings.yaml"),
    Step("delete configmap settings --cascade=foreground --wait=false"),
    Step("get configmap settings -o jsonpath='{.metadata.finalizers}'"),
    Step("delete namespace missing", code=1),
    Step("delete namespace deleting --wait=false"),
    Step("get namespace deleting"),
    Step("create -f web.yaml", code=1),
    Step("delete nonsense a", code=1),
    Step("delete --raw /api/v1/namespaces/default/configmaps/no", code=1),
)

READY = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
SET_READY = f"patch pod first --subresource=status --type=merge -p '{READY}'"

WAIT = (
    Step("create -f settings.yaml -f pods.yaml"),
    Step("wait pod first --for=condition=Ready --timeout=1s", code=1),
    Step("wait pod first --for=condition=Ready --timeout=20s", during=(SET_READY,)),
    Step("wait pod first --for=condition=Ready=true --timeout=20s"),
    Step("wait pod first --for=jsonpath='{.status.phase}'=Running --timeout=20s"),
    Step("wait pod second --for=jsonpath='{.status.phase}'=Running --timeout=1s", code=1),
    Step("wait configmap settings --for=create --timeout=20s"),
    Step(
        "wait configmap settings --for=delete --timeout=20s", during=("delete configmap settings",)
    ),
    Step("wait configmap missing --for=delete"),
    Step("wait configmap missing --for=condition=Ready --timeout=1s", code=1),
    Step("wait pods --all --for=condition=Nothing --timeout=1s", code=1),
)

WATCH = (
    Step("create -f settings.yaml"),
    Step(
        "get configmaps --watch --field-selector=metadata.name=settings",
        during=(
            "label configmap settings a=b",
            "delete configmap settings",
            "create -f settings.yaml",
        ),
        lines=5,
    ),
    Step(
        "get configmaps -w -o name -l app=web",
        during=(
            "label configmap settings app=other --overwrite",
            "label configmap settings app=web --overwrite",
        ),
        lines=3,
    ),
    Step(
        "get configmap settings -w --output-watch-events -o jsonpath='{.type}{\"\\n\"}'",
        during=("annotate configmap settings a=b", "delete configmap settings"),
        lines=3,
    ),
)


def test_deleting(compare: Compare) -> None:
    """Deletion ends at once, later, or not until somebody lets go."""
    compare(DELETE)


def test_waiting(compare: Compare) -> None:
    """Scripts wait for conditions, values and ends."""
    compare(WAIT)


def test_watching(compare: Compare) -> None:
    """Each change is one line."""
    compare(WATCH)
