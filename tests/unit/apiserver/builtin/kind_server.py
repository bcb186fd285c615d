"""What the server does with objects of one kind, without the server around it."""

import copy
from dataclasses import dataclass, field
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from kubewright.apiserver.builtin.strategies import STRATEGIES
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Strategy, Write
from tests.unit.apiserver.memory_reader import MemoryReader

Obj = dict[str, Any]

NOW = "2026-01-01T12:00:00Z"
USER = SimpleNamespace(name="alice", uid="1", groups=("devs",), extra={})


class RefusedError(Exception):
    """The object breaks rules; the text is all of them."""


@dataclass
class KindServer:
    """Creates, changes and deletes objects of one kind as the pipeline does."""

    group: str
    plural: str
    reader: MemoryReader = field(default_factory=MemoryReader)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        module, _, name = STRATEGIES[self.group][self.plural].partition(":")
        found = import_module(f"kubewright.apiserver.builtin.{module}")
        self.strategy: Strategy = getattr(found, name)()
        self.resource = GroupResource(self.group, self.plural)

    def write(self, *, dry_run: bool = False) -> Write:
        return Write(self.reader, USER, NOW, dry_run, self.warnings.append)

    def create(self, obj: Obj | None = None, *, dry_run: bool = False, **meta: Any) -> Obj:
        obj = copy.deepcopy(obj or {})
        obj["metadata"] = {"name": "x", "namespace": "default", "creationTimestamp": NOW} | meta
        strategy, write = self.strategy, self.write(dry_run=dry_run)
        if strategy.has_status:
            obj.pop("status", None)
        strategy.default(obj)
        strategy.prepare_create(obj, write)
        _refuse(strategy.validate(obj, write))
        return obj if dry_run else self.reader.put(self.resource, obj)

    def update(self, old: Obj, **changes: Any) -> Obj:
        new = {**copy.deepcopy(old), **copy.deepcopy(changes)}
        strategy, write = self.strategy, self.write()
        if strategy.has_status and "status" in old:
            new["status"] = copy.deepcopy(old["status"])
        strategy.default(new)
        strategy.prepare_update(new, copy.deepcopy(old), write)
        _refuse(strategy.validate_update(new, old, write))
        return self.reader.put(self.resource, new)

    def update_status(self, old: Obj, status: Obj) -> Obj:
        new = {**copy.deepcopy(old), "status": copy.deepcopy(status)}
        self.strategy.default(new)
        self.strategy.prepare_status_update(new, old, self.write())
        _refuse(self.strategy.validate_status_update(new, old, self.write()))
        return self.reader.put(self.resource, new)

    def delete(self, obj: Obj) -> None:
        meta = obj["metadata"]
        self.reader.delete(self.resource, meta["name"], meta.get("namespace", ""))
        self.strategy.after_delete(obj, self.write())

    def refusal(self, obj: Obj | None = None, **meta: Any) -> str:
        """Return why *obj* is not taken; empty if it is."""
        try:
            self.create(obj, **meta)
        except RefusedError as error:
            return str(error)
        return ""

    def refused_change(self, old: Obj, **changes: Any) -> str:
        """Return why a change is not taken; empty if it is."""
        try:
            self.update(old, **changes)
        except RefusedError as error:
            return str(error)
        return ""


def _refuse(errors: list[Any]) -> None:
    if errors:
        raise RefusedError("; ".join(map(str, errors)))
