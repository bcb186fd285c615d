"""Documents that sets are made of, and a server to apply them to in virtual time."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from kubewright._aio import VirtualClock
from kubewright.applyset import ApplySet, Listener, Parent, Report
from kubewright.client import Client
from kubewright.testing import EmbeddedServer

Document = dict[str, Any]
SHOPS = "shops.example.com"


def named(version: str, kind: str, name: str, *, namespace: str = "", **rest: Any) -> Document:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}


def namespace(name: str = "shop-system") -> Document:
    return named("v1", "Namespace", name)


def config(name: str = "settings", *, where: str = "shop-system", **data: str) -> Document:
    return named("v1", "ConfigMap", name, namespace=where, data=data)


def deployment(name: str = "shop", *, where: str = "shop-system", **spec: Any) -> Document:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
    wanted = {"selector": {"matchLabels": labels}, "template": pod, **spec}
    return named("apps/v1", "Deployment", name, namespace=where, spec=wanted)


def crd(plural: str = "shops", kind: str = "Shop", **names: Any) -> Document:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": plural, "kind": kind, **names},
        "versions": [version],
    }
    return named(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.example.com", spec=spec
    )


def shop(name: str = "corner", *, where: str = "default", **metadata: Any) -> Document:
    made = named("example.com/v1", "Shop", name, namespace=where)
    made["metadata"] |= metadata
    return made


def webhooks() -> Document:
    return named(
        "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "shop", webhooks=[]
    )


PARENT = Parent("shop", "shop-system")


class Bench:
    """A server in virtual time, and a set on it."""

    def __init__(self, clock: VirtualClock, client: Client) -> None:
        self.clock = clock
        self.client = client

    def set(self, parent: Parent | None = PARENT, **options: Any) -> ApplySet:
        return ApplySet(self.client, parent, **options)

    async def apply(
        self, *documents: Mapping[str, Any], parent: Parent | None = PARENT, **options: Any
    ) -> Report:
        return await self.clock.run(self.set(parent).apply(documents, **options))

    async def delete(
        self, *documents: Mapping[str, Any], parent: Parent | None = PARENT, **options: Any
    ) -> Report:
        return await self.clock.run(self.set(parent).delete(documents, **options))


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        yield Bench(clock, client)


def said(report: Report) -> list[str]:
    """Return what was done, as a person reads it."""
    return [f"{one.action} {one.name}" for one in report.changes]


class Heard(Listener):
    """Notes what it hears of waiting."""

    def __init__(self) -> None:
        self.waits: list[str] = []

    def waiting(self, names: Any, what: str) -> None:
        self.waits.append(f"{', '.join(map(str, names))}: {what}")
