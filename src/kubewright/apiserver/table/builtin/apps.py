"""Rows of the group ``apps``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Printer,
    column,
)
from kubewright.apiserver.table.text import NONE, main_parts, part, template_spec


def _deployment(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = main_parts(obj)
    return [
        meta.get("name", ""),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        age(meta.get("creationTimestamp")),
        *text.containers(template_spec(spec)),
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
        SELECTOR,
    ),
    _deployment,
)


def replica_cells(obj: Obj, age: Ages) -> list[Any]:
    """Return the cells for all columns but the selector."""
    meta, spec, status = main_parts(obj)
    return [
        meta.get("name", ""),
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age(meta.get("creationTimestamp")),
        *text.containers(template_spec(spec)),
    ]


def _replica_set(obj: Obj, age: Ages) -> list[Any]:
    return [*replica_cells(obj, age), text.selector(part(obj, "spec").get("selector"))]


REPLICA_COLUMNS = (
    NAME,
    column("Desired", "How many pods are wanted.", "integer"),
    column("Current", "How many pods there are.", "integer"),
    column("Ready", "How many pods are ready.", "integer"),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
)
REPLICA_SETS = Printer(REPLICA_COLUMNS, _replica_set)


def _stateful_set(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = main_parts(obj)
    return [
        meta.get("name", ""),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        age(meta.get("creationTimestamp")),
        *text.containers(template_spec(spec)),
    ]


STATEFUL_SETS = Printer(
    (NAME, column("Ready", "Number of the pod with ready state"), AGE, CONTAINERS, IMAGES),
    _stateful_set,
)


def _daemon_set(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = main_parts(obj)
    pod = template_spec(spec)
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
        SELECTOR,
    ),
    _daemon_set,
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
