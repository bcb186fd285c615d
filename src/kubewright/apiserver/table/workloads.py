"""Rows of what makes pods."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, CONTAINERS, IMAGES, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, part

_SELECTOR = column("Selector", "Which pods belong to it.", wide=True)
_JOB_STATES = (
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _pod_spec(spec: Obj) -> Obj:
    return part(part(spec, "template"), "spec")


def _head(obj: Obj) -> tuple[Obj, Obj, Obj]:
    return obj["metadata"], part(obj, "spec"), part(obj, "status")


def _deployment(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    return [
        meta.get("name", ""),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        age(meta.get("creationTimestamp")),
        *text.containers(_pod_spec(spec)),
        text.selector(spec.get("selector"), nothing="", broken="<invalid>"),
    ]


DEPLOYMENTS = Printer(
    (
        NAME,
        column("Ready", "Number of the pod with ready state"),
        column("Up-to-date", "How many pods have the wanted template."),
        column("Available", "How many pods are available."),
        AGE,
        CONTAINERS,
        IMAGES,
        _SELECTOR,
    ),
    _deployment,
)


def _replicas(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    return [
        meta.get("name", ""),
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age(meta.get("creationTimestamp")),
        *text.containers(_pod_spec(spec)),
    ]


def _replica_set(obj: Obj, age: Ages) -> list[Any]:
    return [*_replicas(obj, age), text.selector(part(obj, "spec").get("selector"))]


def _replication_controller(obj: Obj, age: Ages) -> list[Any]:
    return [*_replicas(obj, age), text.labels(part(obj, "spec").get("selector"))]


_REPLICA_COLUMNS = (
    NAME,
    column("Desired", "How many pods are wanted.", "integer"),
    column("Current", "How many pods there are.", "integer"),
    column("Ready", "How many pods are ready.", "integer"),
    AGE,
    CONTAINERS,
    IMAGES,
    _SELECTOR,
)
REPLICA_SETS = Printer(_REPLICA_COLUMNS, _replica_set)
REPLICATION_CONTROLLERS = Printer(_REPLICA_COLUMNS, _replication_controller)


def _stateful_set(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    return [
        meta.get("name", ""),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        age(meta.get("creationTimestamp")),
        *text.containers(_pod_spec(spec)),
    ]


STATEFUL_SETS = Printer(
    (NAME, column("Ready", "Number of the pod with ready state"), AGE, CONTAINERS, IMAGES),
    _stateful_set,
)


def _daemon_set(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    pod = _pod_spec(spec)
    return [
        meta.get("name", ""),
        status.get("desiredNumberScheduled", 0),
        status.get("currentNumberScheduled", 0),
        status.get("numberReady", 0),
        status.get("updatedNumberScheduled", 0),
        status.get("numberAvailable", 0),
        text.labels(pod.get("nodeSelector")),
        age(meta.get("creationTimestamp")),
        *text.containers(pod),
        text.selector(spec.get("selector")),
    ]


DAEMON_SETS = Printer(
    (
        NAME,
        column("Desired", "How many nodes should run the pod.", "integer"),
        column("Current", "How many nodes run the pod.", "integer"),
        column("Ready", "On how many nodes it is ready.", "integer"),
        column("Up-to-date", "How many nodes run the wanted template.", "integer"),
        column("Available", "On how many nodes it is available.", "integer"),
        column("Node Selector", "Which nodes it is for."),
        AGE,
        CONTAINERS,
        IMAGES,
        _SELECTOR,
    ),
    _daemon_set,
)


def _job(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    return [
        meta.get("name", ""),
        _job_state(meta, status.get("conditions") or ()),
        _completions(spec, status),
        age.between(status.get("startTime"), status.get("completionTime")),
        age(meta.get("creationTimestamp")),
        *text.containers(_pod_spec(spec)),
        text.selector(spec.get("selector")),
    ]


def _job_state(meta: Obj, conditions: Any) -> str:
    for kind, shown in _JOB_STATES:
        if text.is_true(conditions, kind) if kind else meta.get("deletionTimestamp"):
            return shown
    return "Running"


def _completions(spec: Obj, status: Obj) -> str:
    done, wanted = status.get("succeeded", 0), spec.get("completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    together = spec.get("parallelism") or 0
    return f"{done}/1 of {together}" if together > 1 else f"{done}/1"


JOBS = Printer(
    (
        NAME,
        column("Status", "Status of the job."),
        column("Completions", "How many pods have succeeded."),
        column("Duration", "Time required to complete the job."),
        AGE,
        CONTAINERS,
        IMAGES,
        _SELECTOR,
    ),
    _job,
)


def _cron_job(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    job = part(part(spec, "jobTemplate"), "spec")
    last = status.get("lastScheduleTime")
    return [
        meta.get("name", ""),
        spec.get("schedule", ""),
        spec.get("timeZone", NONE),
        text.go_bool(spec.get("suspend")),
        len(status.get("active") or ()),
        age(last) if last else NONE,
        age(meta.get("creationTimestamp")),
        *text.containers(_pod_spec(job)),
        text.selector(job.get("selector")),
    ]


CRON_JOBS = Printer(
    (
        NAME,
        column("Schedule", "When jobs are made."),
        column("Timezone", "The time zone of the schedule."),
        column("Suspend", "Whether no jobs are made.", "boolean"),
        column("Active", "How many jobs are running.", "integer"),
        column("Last Schedule", "When a job was last made."),
        AGE,
        CONTAINERS,
        IMAGES,
        _SELECTOR,
    ),
    _cron_job,
)


def _disruption_budget(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = _head(obj)
    return [
        meta.get("name", ""),
        str(spec.get("minAvailable", "N/A")),
        str(spec.get("maxUnavailable", "N/A")),
        status.get("disruptionsAllowed", 0),
        age(meta.get("creationTimestamp")),
    ]


DISRUPTION_BUDGETS = Printer(
    (
        NAME,
        column("Min Available", "The minimum number of pods that must be available."),
        column("Max Unavailable", "The maximum number of pods that may be unavailable."),
        column(
            "Allowed Disruptions",
            "Calculated number of pods that may be disrupted at this time.",
            "integer",
        ),
        AGE,
    ),
    _disruption_budget,
)


def _pod_template(obj: Obj, age: Ages) -> list[Any]:
    template = part(obj, "template")
    return [
        obj["metadata"].get("name", ""),
        *text.containers(part(template, "spec")),
        text.labels(part(template, "metadata").get("labels")),
    ]


POD_TEMPLATES = Printer(
    (
        NAME,
        column("Containers", "Names of each container in the template."),
        column("Images", "Images referenced by each container in the template."),
        column("Pod Labels", "The labels for the pod template."),
    ),
    _pod_template,
)


def _revision(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    owners = (item for item in meta.get("ownerReferences") or () if item.get("controller"))
    owner, shown = next(owners, None), NONE
    if owner is not None:
        group = owner.get("apiVersion", "").rpartition("/")[0]
        kind = f"{owner.get('kind', '')}.{group}" if group else owner.get("kind", "")
        shown = f"{kind.lower()}/{owner.get('name', '')}"
    revision = obj.get("revision", 0)
    return [meta.get("name", ""), shown, revision, age(meta.get("creationTimestamp"))]


REVISIONS = Printer(
    (
        NAME,
        column("Controller", "Controller of the object"),
        column("Revision", "The number of the revision."),
        AGE,
    ),
    _revision,
)
