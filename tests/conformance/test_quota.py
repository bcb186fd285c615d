"""ResourceQuota: what a namespace may take, counted and held to."""

from typing import Any

import pytest

from tests.conformance.crds import wait_until
from tests.conformance.wire import Reply, Wire

pytestmark = pytest.mark.controllers


LEASES = "count/leases.coordination.k8s.io"


@pytest.fixture
def quotas(configmaps: str) -> str:
    """The path of quotas of the test's namespace."""
    return configmaps.replace("configmaps", "resourcequotas")


@pytest.fixture
def leases(configmaps: str) -> str:
    """The path of Leases there: nobody but the test makes any, as they do with ConfigMaps."""
    start = configmaps.replace("/api/v1/", "/apis/coordination.k8s.io/v1/")
    return start.replace("configmaps", "leases")


def used(reply: Reply) -> Any:
    """Return what a quota counts."""
    return reply.ok().get("status", {}).get("used")


def named(name: str) -> dict[str, Any]:
    """Return a Lease."""
    head = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    return {**head, "metadata": {"name": name}, "spec": {}}


def test_a_quota_is_counted_held_to_and_given_back(api: Wire, leases: str, quotas: str) -> None:
    """By create and delete; the refusal has the numbers."""
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {LEASES: "1"}}}
    api.post(quotas, {"apiVersion": "v1", "kind": "ResourceQuota", **quota}).ok(201)
    path = f"{quotas}/q"
    wait_until(api, path, lambda reply: used(reply) == {LEASES: "0"})

    api.post(leases, named("a")).ok(201)
    refused = api.post(leases, named("b")).refused(403, "Forbidden")
    charged = used(api.get(path))
    api.delete(f"{leases}/a").ok()
    wait_until(api, path, lambda reply: used(reply) == {LEASES: "0"})

    assert charged == {LEASES: "1"}
    assert refused["message"] == (
        f'leases.coordination.k8s.io "b" is forbidden: exceeded quota: q, requested: {LEASES}=1,'
        f" used: {LEASES}=1, limited: {LEASES}=1"
    )
    api.post(leases, named("b")).ok(201)
