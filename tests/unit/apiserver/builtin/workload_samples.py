"""Pods and workloads for tests, and what the server makes of them."""

import copy
from typing import Any

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Write
from tests.unit.apiserver.memory_reader import MemoryReader

Obj = dict[str, Any]

UID = "0f1e2d3c-0000-4000-8000-000000000001"
NOW = "2026-01-01T12:00:00Z"
CONTAINER: Obj = {"name": "c", "image": "nginx"}
LABELS = {"app": "shop"}
SELECTOR: Obj = {"matchLabels": LABELS}


class Written(Write):
    """A write whose warnings a test can read."""

    def __init__(self, reader: MemoryReader | None = None) -> None:
        self.warnings: list[str] = []
        super().__init__(
            reader or MemoryReader(), None, NOW, False, self.warnings.append
        )  # a dataclass


def template(**spec: Any) -> Obj:
    return {
        "metadata": {"labels": dict(LABELS)},
        "spec": {"containers": [dict(CONTAINER)], **spec},
    }


def an_object(content: Obj | None = None, **metadata: Any) -> Obj:
    meta = {"name": "x", "namespace": "default", "uid": UID, **metadata}
    return {"metadata": meta, **copy.deepcopy(content or {})}


def a_pod(**spec: Any) -> Obj:
    return an_object({"spec": {"containers": [dict(CONTAINER)], **spec}})


def pod_with(**container: Any) -> Obj:
    return a_pod(containers=[{**CONTAINER, **container}])


def a_workload(**spec: Any) -> Obj:
    return an_object({"spec": {"selector": SELECTOR, "template": template(), **spec}})


def created(group: str, resource: str, obj: Obj, write: Write | None = None) -> Obj:
    """Return *obj* as it is stored; it must be valid."""
    obj, errors = judged(group, resource, obj, write)
    assert not errors
    return obj


def judged(group: str, resource: str, obj: Obj, write: Write | None = None) -> tuple[Obj, Errors]:
    """Return *obj* with defaults and preparation, and what is wrong with it."""
    write = write or Written()
    strategy = strategy_for(group, resource)
    obj = copy.deepcopy(obj)
    strategy.default(obj)
    again = copy.deepcopy(obj)
    strategy.default(again)
    assert again == obj, "defaults must not change when they are set again"
    strategy.prepare_create(obj, write)
    return obj, strategy.validate(obj, write)


def refusals(group: str, resource: str, obj: Obj) -> list[str]:
    """Return the messages with which a new object is refused."""
    return [str(error) for error in judged(group, resource, obj)[1]]


def update_refusals(group: str, resource: str, old: Obj, **spec: Any) -> list[str]:
    """Return the messages with which a change of the spec is refused; None removes a field."""
    strategy, write = strategy_for(group, resource), Written()
    old = created(group, resource, old)
    new = copy.deepcopy(old)
    new["spec"] |= spec
    new["spec"] = {key: value for key, value in new["spec"].items() if value is not None}
    strategy.default(new)
    strategy.prepare_update(new, old, write)
    return [str(error) for error in strategy.validate_update(new, old, write)]


def status_refusals(group: str, resource: str, obj: Obj, old: Obj, new: Obj) -> list[str]:
    """Return the messages with which a change from one status to another is refused."""
    strategy, write = strategy_for(group, resource), Written()
    before = {**created(group, resource, obj), "status": old}
    after = {**copy.deepcopy(before), "status": copy.deepcopy(new)}
    strategy.default(after)
    strategy.prepare_status_update(after, before, write)
    return [str(error) for error in strategy.validate_status_update(after, before, write)]
