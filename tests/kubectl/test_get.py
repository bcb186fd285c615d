"""kubectl get: every way to print, and every way to choose."""

from tests.kubectl import differences
from tests.kubectl.conftest import Compare
from tests.kubectl.differences import columns
from tests.kubectl.session import Difference, Step

TEMPLATE = "{{range .items}}{{.metadata.name}}:{{len .spec.containers}} {{end}}"
COLUMNS = "NAME:.metadata.name,IMAGE:.spec.containers[*].image,NODE:.spec.nodeName"

FORMATS = (
    Step("create -f settings.yaml"),
    Step("create -f pods.yaml"),
    Step("get pods"),
    Step("get pods -o wide"),
    Step("get pods first -o yaml", differs=differences.POD_GENERATION),
    Step("get pods first -o json", differs=differences.POD_GENERATION),
    Step("get pods -o name"),
    Step("get pods -o jsonpath='{.items[*].metadata.name}'"),
    Step(
        """get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.spec.nodeName}{"\\n"}'"""
    ),
    Step(f"get pods -o go-template='{TEMPLATE}'"),
    Step(f"get pods -o custom-columns='{COLUMNS}'"),
    Step("get pods --no-headers"),
    Step("get pods --show-labels"),
    Step("get pods --show-kind"),
    Step("get pods -L app,tier"),
    Step("get pods --output-watch-events -o name --watch --request-timeout=0", lines=2),
    Step("get pods third -o yaml --show-managed-fields", differs=differences.POD_GENERATION),
    Step("get pods,configmaps -o name", sort=True),
    Step("get configmap settings -o jsonpath='{.data.colour}'"),
    Step("get configmap settings -o jsonpath='{.data.missing}'"),
    Step(
        "get configmap settings -o jsonpath='{.data.missing}' --allow-missing-template-keys=false",
        code=1,
    ),
)

CHOICE_NAMESPACE = "choosing-prints-what-was-asked-for"
CHOICE = (
    Step("create -f pods.yaml"),
    Step("get pods -l app=shop"),
    Step("get pods -l tier=front"),
    Step("get pods -l 'tier in (front, back),app!=web'"),
    Step("get pods -l '!tier'"),
    Step(
        "get pods -l 'not a selector'",
        code=1,
        differs=Difference(
            why="the list of operators is now written without quotes",
            expect="unable to parse requirement: found 'a', expected: in, notin, =, ==, !=, gt, lt",
        ),
    ),
    Step("get pods --field-selector=spec.nodeName=node-1"),
    Step("get pods --field-selector=metadata.name!=first,status.phase=Pending"),
    Step("get pods --field-selector=spec.colour=blue", code=1),
    Step("get pods --sort-by=.metadata.name"),
    Step("get pods --sort-by='{.spec.containers[0].image}'"),
    Step("get pods --sort-by=.spec.missing"),
    Step("get pods --chunk-size=1"),
    Step("get pods first second"),
    Step("get pods first missing", code=1),
    Step("get pods missing --ignore-not-found"),
    Step("get pod/first"),
    Step("get po first"),
    Step("get -f pods.yaml"),
    Step(f"get pods -A -l app=shop --field-selector=metadata.namespace={CHOICE_NAMESPACE}"),
    Step("get pods --all-namespaces -o name --field-selector=metadata.name=no-such-pod"),
    Step("get all -l app=shop"),
    Step("get --raw /api/v1/namespaces/default/configmaps?limit=0"),
    Step("get --raw /api/v1/namespaces/default/pods/missing", code=1),
    Step("get --raw /no/such/path", code=1),
)

KINDS = (
    Step("get nodes"),
    Step(
        "create -f cluster.yaml --dry-run=server",
        sort=True,
        differs=differences.ENDPOINTS_WARNING,
    ),
    Step("create -f cluster.yaml", differs=differences.ENDPOINTS_WARNING),
    Step("get nodes"),
    Step(
        "get nodes -o wide",
        differs=Difference(
            why="the architecture now stands beside the kernel",
            newer=[r"node-9  Ready .* 6\.1\.0 \(amd64\)  containerd://1\.7"],
            older=[r"node-9  Ready .* 6\.1\.0  containerd://1\.7"],
        ),
    ),
    Step("get namespaces kube-system"),
    Step(
        "get persistentvolumes",
        differs=columns(
            "NAME  CAPACITY  ACCESS MODES  RECLAIM POLICY  STATUS  CLAIM  STORAGECLASS"
            "  VOLUMEATTRIBUTESCLASS  REASON  AGE",
            "disk  5Gi  RWO,ROX  Retain  Pending  slow  <unset>  <age>",
            why="classes of volume attributes came with 1.29",
        ),
    ),
    Step(
        "get pvc",
        differs=columns(
            "NAME  STATUS  VOLUME  CAPACITY  ACCESS MODES  STORAGECLASS"
            "  VOLUMEATTRIBUTESCLASS  AGE",
            "claim  Pending  slow  <unset>  <age>",
            why="classes of volume attributes came with 1.29",
        ),
    ),
    Step("get storageclasses"),
    Step(
        "get serviceaccounts robot",
        differs=columns(
            "NAME  AGE", "robot  <age>", why="accounts have had no secrets of their own since 1.24"
        ),
    ),
    Step("get secrets", sort=True),
    Step("get ingress"),
    Step("get ingressclass"),
    Step("get networkpolicies"),
    Step(
        "get jobs",
        differs=columns(
            "NAME  STATUS  COMPLETIONS  DURATION  AGE",
            "once  Running  0/3  <age>",
            why="jobs now show a status",
        ),
    ),
    Step(
        "get jobs -o wide",
        differs=columns(
            "NAME  STATUS  COMPLETIONS  DURATION  AGE  CONTAINERS  IMAGES  SELECTOR",
            "once  Running  0/3  <age>  main  busybox  batch.kubernetes.io/controller-uid=<uid>",
            why="as above, and the label that joins pods to a job has had a prefix since 1.27",
        ),
    ),
    Step("get cronjobs"),
    Step("get statefulsets"),
    Step("get statefulsets -o wide"),
    Step("get daemonsets"),
    Step("get daemonsets -o wide"),
    Step("get replicasets"),
    Step("get rc"),
    Step("get roles"),
    Step("get rolebindings"),
    Step("get rolebindings -o wide"),
    Step("get clusterroles cluster-admin"),
    Step("get clusterrolebindings cluster-admin -o wide"),
    Step("get endpoints", differs=differences.ENDPOINTS_WARNING),
    Step("get leases"),
    Step(
        "get priorityclasses system-node-critical",
        differs=columns(
            "NAME  VALUE  GLOBAL-DEFAULT  AGE  PREEMPTIONPOLICY",
            "system-node-critical  2000001000  false  <age>  PreemptLowerPriority",
            why="the preemption policy is now shown",
        ),
    ),
    Step(
        "get resourcequota",
        differs=columns("NAME  REQUEST  LIMIT  AGE", "enough  <age>", why="the age now comes last"),
    ),
    Step("get limitranges"),
    Step("get poddisruptionbudgets"),
    Step("get validatingwebhookconfigurations"),
    Step("get services"),
    Step("get services -o wide"),
    Step("get deployments"),
    Step("get deployments -o wide"),
    Step("get hpa"),
    Step("describe node node-9"),
    Step("describe persistentvolume disk"),
    Step("describe pvc claim"),
    Step("describe storageclass slow"),
    Step("describe secret password", sort=True),
    Step("describe serviceaccount robot"),
    Step(
        "describe ingress entry",
        differs=Difference(
            why="kubectl looks for EndpointSlices, which became stable with 1.21",
            newer=[r'/  web:80 \(<error: services "web" not found>\)'],
            older=[r"/  web:80 \(<error: the server could not find the requested resource>\)"],
        ),
    ),
    Step("describe ingressclass outside"),
    Step("describe networkpolicy closed"),
    Step(
        "describe job once",
        differs=Difference(
            why="labels of jobs have a prefix since 1.27; completion mode and suspension are new",
            newer=[
                "Selector:  batch.kubernetes.io/controller-uid=<uid>",
                "(Labels:  )?batch.kubernetes.io/(controller-uid=<uid>|job-name=once)",
                "controller-uid=<uid>",
                "Completion Mode:  NonIndexed",
                "Suspend:  false",
                "job-name=once",
            ],
            older=["(Selector|Labels):  controller-uid=<uid>", "job-name=once"],
        ),
    ),
    Step(
        "describe statefulset store",
        differs=Difference(
            why="how many pods an update may stop is now a field with a default",
            newer=["MaxUnavailable:  1"],
        ),
    ),
    Step("describe daemonset agent"),
    Step("describe replicaset alone"),
    Step("describe rc old"),
    Step("describe role see"),
    Step("describe rolebinding seers"),
    Step("describe clusterrole cluster-admin"),
    Step("describe lease leader"),
    Step("describe quota enough"),
    Step("describe limits limits", sort=True),
    Step("describe endpoints manual", differs=differences.ENDPOINTS_WARNING),
    Step("describe service elsewhere"),
)


def test_every_output_format(compare: Compare) -> None:
    """Scripts parse what kubectl prints."""
    compare(FORMATS)


def test_choosing_prints_what_was_asked_for(compare: Compare) -> None:
    """Selectors, sorting, names and files choose the same objects."""
    compare(CHOICE)


def test_tables_and_descriptions_of_many_kinds(compare: Compare) -> None:
    """The columns of a kind come from the server; a description is made by kubectl."""
    compare(KINDS)
