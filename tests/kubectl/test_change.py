"""kubectl edit, patch, replace, label, annotate, set, scale, autoscale and rollout."""

from tests.kubectl import differences
from tests.kubectl.conftest import Compare
from tests.kubectl.session import Difference, Step

STRATEGIC = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}'
RENAME = "[{'op':'replace','path':'/data/colour','value':'red'}]".replace("'", '"')
WRONG_TEST = "[{'op':'test','path':'/data/colour','value':'pink'}]".replace("'", '"')

EDIT = (
    Step("create -f settings.yaml -f web.yaml"),
    Step("edit configmap settings", editor="sed -i s/blue/red/"),
    Step("get configmap settings -o jsonpath='{.data}'"),
    Step("edit configmap settings", editor="true"),
    Step("edit configmap settings", editor="false", code=1),
    Step("edit deployment web", editor="sed -i 's/replicas: 2/replicas: 4/'"),
    Step('patch configmap settings -p \'{"data":{"colour":"grey"}}\''),
    Step('patch configmap settings -p \'{"data":{"colour":"grey"}}\''),
    Step('patch configmap settings --type=merge -p \'{"data":{"size":null}}\''),
    Step(f"patch configmap settings --type=json -p '{RENAME}' -o yaml"),
    Step(f"patch configmap settings --type=json -p '{WRONG_TEST}'", code=1),
    Step('patch configmap settings --type=json -p \'[{"op":"remove","path":"/data/no"}]\'', code=1),
    Step("patch configmap settings -p 'not json'", code=1),
    Step(
        'patch configmap settings --type=merge -p \'{"data":{"size":3}}\'',
        code=1,
        differs=differences.GO_JSON,
    ),
    Step("patch configmap missing -p '{}'", code=1),
    Step(f"patch deployment web -p '{STRATEGIC}'"),
    Step("get deployment web -o jsonpath='{.spec.template.spec.containers[*].name}'"),
    Step(
        'patch deployment web -p \'{"spec":{"selector":{"matchLabels":{"app":"x"}}}}\'',
        code=1,
        differs=Difference(
            why="values that are no text are now shown as JSON, not as Go prints them",
            expect=r"(?s)`selector` does not match template `labels`.*"
            r'spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable',
        ),
    ),
    Step('patch -f settings.yaml -p \'{"data":{"a":"b"}}\' --dry-run=server'),
    Step("replace -f settings-changed.yaml"),
    Step("get configmap settings -o yaml"),
    Step(
        "replace -f -", stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: missing}", code=1
    ),
    Step(
        "replace -f -",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, resourceVersion: '1'}",
        code=1,
    ),
    Step(
        "replace -f -",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, uid: no}",
        code=1,
    ),
    Step("replace --force -f settings.yaml"),
    Step("replace --raw=/api/v1/namespaces/default/configmaps/no -f settings.yaml", code=1),
)

MARKS = (
    Step("create -f settings.yaml -f pods.yaml"),
    Step("label configmap settings tier=front"),
    Step("label configmap settings tier=back", code=1),
    Step("label configmap settings tier=back --overwrite"),
    Step("label configmap settings tier-"),
    Step("label configmap settings missing-"),
    Step("label configmap settings 'tier=not valid!'", code=1),
    Step("label pods --all shelf=top", sort=True),
    Step("label pods -l tier=front shelf=low --overwrite"),
    Step("label pods first --list", sort=True),
    Step("label pods first shelf=x --resource-version=1 --overwrite", code=1),
    Step("annotate configmap settings note='hello there'"),
    Step("annotate configmap settings note=again", code=1),
    Step("annotate configmap settings note-"),
    Step("annotate pods --all note=all --overwrite", sort=True),
    Step("label --dry-run=server configmap settings a=b -o yaml"),
    Step("get pods --show-labels"),
    Step("label configmap missing a=b", code=1),
)

READY = (
    '{"status":{"observedGeneration":%d,"replicas":2,"updatedReplicas":2,"readyReplicas":2,'
    '"availableReplicas":2,"conditions":[{"type":"Available","status":"True",'
    '"reason":"MinimumReplicasAvailable","message":"there are enough"},'
    '{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable","message":"done"}]}}'
)
SET_STATUS = "patch deployment web --subresource=status --type=merge -p '{}'"
# What the controller of deployments would make; its tests are elsewhere.
REPLICA_SET = """
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-{revision}
  labels: {{app: web}}
  annotations: {{deployment.kubernetes.io/revision: "{revision}"}}
  ownerReferences:
    - {{apiVersion: apps/v1, kind: Deployment, name: web, uid: $uid, controller: true}}
spec:
  replicas: 0
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web, pod-template-hash: h{revision}}}}}
    spec:
      containers: [{{name: nginx, image: "nginx:1.{revision}"}}]
"""

SCALES = (
    Step("create -f web.yaml"),
    Step("scale deployment web --replicas=3"),
    Step("scale deployment web --replicas=4 --current-replicas=9", code=1),
    Step("scale deployment/web --replicas=2 --current-replicas=3"),
    Step("scale deployment missing --replicas=1", code=1),
    Step("scale configmap settings --replicas=1", code=1),
    Step(
        "get deployment web --subresource=scale",
        differs=differences.columns(
            "NAME  DESIRED  AVAILABLE  AGE",
            "web  2  0  <age>",
            why="a scale now has columns of its own",
        ),
    ),
    Step("get deployment web --subresource=status -o name"),
    Step("autoscale deployment web --min=1 --max=5 --cpu-percent=80 --name=auto"),
    Step(
        "get hpa auto",
        differs=Difference(
            why="a metric is now shown with its name",
            newer=["auto  Deployment/web  cpu: <unknown>/80%  1  5  0  <age>"],
            older=["auto  Deployment/web  <unknown>/80%  1  5  0  <age>"],
        ),
    ),
    Step("set image deployment/web nginx=nginx:1.29"),
    Step("set env deployment/web COLOUR=blue"),
    Step("set env deployment/web --list"),
    Step("set resources deployment web --limits=cpu=200m,memory=512Mi"),
    Step("set serviceaccount deployment web robot"),
    Step("rollout restart deployment web"),
    Step("rollout pause deployment web"),
    Step("rollout pause deployment web", code=1),
    Step("rollout status deployment web --watch=false"),
    Step("rollout resume deployment web"),
    Step("rollout history deployment web"),
    Step("rollout undo deployment web", code=1),
    Step(SET_STATUS.format(READY % 99)),
    Step("get deployment web"),
    Step("rollout status deployment web --timeout=20s"),
    Step("wait deployment web --for=condition=Available --timeout=20s"),
    Step("get deployment web -o jsonpath='{.metadata.uid}'", save="uid"),
    Step("create -f -", stdin=REPLICA_SET.format(revision=1)),
    Step("create -f -", stdin=REPLICA_SET.format(revision=2)),
    Step("rollout history deployment web"),
    Step("rollout history deployment web --revision=1"),
    Step("rollout undo deployment web --to-revision=1"),
    Step("get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}'"),
    Step("rollout undo deployment web --to-revision=7", code=1),
    Step("describe deployment web"),
)


def test_editing_patching_and_replacing(compare: Compare) -> None:
    """Every way to change an object does so, or refuses in the same words."""
    compare(EDIT)


def test_marking_with_labels_and_annotations(compare: Compare) -> None:
    """Labels and annotations come, change and go."""
    compare(MARKS)


def test_scaling_and_rolling_out(compare: Compare) -> None:
    """The scale subresource and the status are what these commands live on."""
    compare(SCALES)
