"""kubectl create: from files and from flags."""

from tests.kubectl import differences
from tests.kubectl.conftest import Compare
from tests.kubectl.session import Step

GENERATORS = (
    Step("create configmap made --from-literal=a=1 --from-literal=b=two"),
    Step("create configmap made --from-literal=a=1", code=1),
    Step("create configmap filed --from-file=settings.yaml"),
    Step("get configmap filed -o yaml"),
    Step("create secret generic hidden --from-literal=password=secret"),
    Step("get secret hidden -o yaml"),
    Step("create secret tls pair --cert=missing --key=missing", code=1),
    Step("create serviceaccount robot"),
    Step("create deployment web --image=nginx --replicas=2 --port=80"),
    Step("get deployment web -o yaml", differs=differences.NO_NULL_TIME),
    Step("expose deployment web --port=80 --target-port=8080 --name=front"),
    Step("create service clusterip plain --tcp=80:8080"),
    Step("create service nodeport outside --tcp=80:8080 --node-port=30123"),
    Step("create service externalname elsewhere --external-name=example.org"),
    Step("create job once --image=busybox -- echo hello"),
    Step("get job once -o jsonpath='{.spec.template.spec.containers[0].command}'"),
    Step("create role see --verb=get,list --resource=pods,deployments.apps"),
    Step("create rolebinding seers --role=see --user=ada --serviceaccount=default:robot"),
    Step("get role/see rolebinding/seers -o yaml"),
    Step("create quota enough --hard=pods=10"),
    Step("create priorityclass high-1 --value=1000"),
    Step("run loose --image=nginx --labels=app=loose --env=A=1 --port=80"),
    Step("get pod loose -o yaml", differs=differences.POD_GENERATION),
    Step("create ingress entry --rule=example.org/=web:80"),
    Step("create namespace made-by-flag"),
    Step("create configmap dry --from-literal=a=1 --dry-run=client -o yaml"),
    Step("create configmap dry --from-literal=a=1 --dry-run=server -o yaml"),
    Step("get configmap dry", code=1),
    Step("create token robot --duration=10m --audience=tests --bound-object-kind=Pod", code=1),
)

WRONG_POD = """
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  restartPolicy: Now
  containers: [{name: A_b, image: ''}]
"""

FILES = (
    Step("create -f settings.yaml"),
    Step("create -f settings.yaml", code=1),
    Step("create -f web.yaml -o name"),
    Step("create -f web.yaml --dry-run=client -o name"),
    Step("create -f missing.yaml", code=1),
    Step("create -f -", stdin="kind: [", code=1),
    Step("create -f -", stdin="apiVersion: v1\nmetadata: {name: a}", code=1),
    Step("create -f -", stdin="apiVersion: v1\nkind: Nothing\nmetadata: {name: a}", code=1),
    Step("create -f -", stdin="apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}", code=1),
    Step("create -f -", stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Upper}", code=1),
    Step(
        "create -f -",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: elsewhere}",
        code=1,
    ),
    Step(
        "create -f - --validate=strict",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ncolour: blue",
        code=1,
        differs=differences.STRICT,
    ),
    Step(
        "create -f - --validate=false",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ignored}\ncolour: blue",
    ),
    Step(
        "create -f - --validate=strict",
        stdin="apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}",
        code=1,
    ),
    Step(
        "create -f - --validate=false",
        stdin=WRONG_POD,
        code=1,
    ),
    Step(
        "create -f - --validate=false",
        stdin="apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: two}",
        code=1,
        differs=differences.GO_JSON,
    ),
)


def test_creating_with_flags(compare: Compare) -> None:
    """The generators of kubectl send protobuf where the server reads it."""
    compare(GENERATORS)


def test_creating_from_files(compare: Compare) -> None:
    """What a file gets wrong is said in the same words."""
    compare(FILES)
