"""What is in a namespace, and whose it is."""

from typing import Any

import pytest

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.applyset import ObjectName
from kubewright.applyset.residents import find_residents
from kubewright.errors import ConfigError, ForbiddenError
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import EmbeddedServer
from tests.unit.applyset.objects import Bench, bench, config, crd, named, namespace, shop

WHERE = ObjectName(GroupVersionKind("", "v1", "Namespace"), ObjectKey("", "shop-system"))


async def residents(b: Bench, *going: str) -> list[str]:
    """Return who is at home."""
    found, _ = await find_residents(b.client, WHERE, set(going))
    return sorted(str(one.name) for one in found)


def secret(name: str, **metadata: Any) -> dict[str, Any]:
    made = named("v1", "Secret", name, namespace="shop-system")
    made["metadata"] |= metadata
    return made


async def test_whatever_people_make_is_found_and_what_is_elsewhere_is_not() -> None:
    """Also objects of kinds that the server has only had for a moment."""
    claim = named(
        "v1", "PersistentVolumeClaim", "data", namespace="shop-system",
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    )  # fmt: skip
    async with bench() as b:
        await b.apply(namespace(), crd(), config(), config("there", where="default"), parent=None)
        await b.apply(shop(where="shop-system"), claim, secret("key"), parent=None)
        mine = await b.client.get(ConfigMap, "settings", namespace="shop-system")

        everything = await residents(b)
        others = await residents(b, mine.metadata.uid or "")

        assert everything == [
            "configmap/settings in shop-system",
            "persistentvolumeclaim/data in shop-system",
            "secret/key in shop-system",
            "shop.example.com/corner in shop-system",
        ]
        assert others == everything[1:]


async def test_what_the_cluster_makes_and_what_goes_with_others_is_nobodys() -> None:
    """Else no namespace would ever be empty."""
    account = named("v1", "ServiceAccount", "default", namespace="shop-system")
    lease = named("coordination.k8s.io/v1", "Lease", "leader", namespace="shop-system")
    certificates = secret("webhook", labels={"app.kubernetes.io/managed-by": "kubewright"})
    token = secret("token", annotations={"kubernetes.io/service-account.name": "default"})
    async with bench() as b:
        await b.apply(namespace(), config("kube-root-ca.crt"), config(), parent=None)
        await b.apply(account, lease, certificates, token, parent=None)
        owner = await b.client.get(ConfigMap, "settings", namespace="shop-system")
        uid = owner.metadata.uid or ""
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "settings", "uid": uid}
        await b.apply(secret("owned", ownerReferences=[reference]), parent=None)

        assert await residents(b, uid) == []
        assert await residents(b) == ["configmap/settings in shop-system"]


async def test_a_secret_whose_certificate_is_gone_is_somebodys() -> None:
    """It may be the only copy of an authority's key."""
    lone = secret("ca", annotations={"cert-manager.io/certificate-name": "ca"})
    names = crd("certificates", "Certificate")
    names["metadata"]["name"] = "certificates.cert-manager.io"
    names["spec"]["group"] = "cert-manager.io"
    issued = named("cert-manager.io/v1", "Certificate", "ca", namespace="shop-system")
    async with bench() as b:
        await b.apply(namespace(), names, lone, parent=None)

        alone = await residents(b)
        await b.apply(issued, parent=None)
        together = await residents(b)

        assert alone == ["secret/ca in shop-system"]
        assert together == ["certificate.cert-manager.io/ca in shop-system"]


async def test_what_we_may_not_list_is_not_nothing() -> None:
    """The error prints the rule that is missing."""
    async with EmbeddedServer() as server, server.client(server.nobody) as client:
        with pytest.raises(ForbiddenError):
            await find_residents(client, WHERE, ())


async def test_a_group_that_cannot_be_read_is_not_nothing() -> None:
    """An aggregated server that is down may have objects in the namespace."""
    service = {"name": "nobody", "namespace": "default"}
    spec = {
        "group": "dead.example.com", "version": "v1", "service": service,
        "groupPriorityMinimum": 1000, "versionPriority": 10, "insecureSkipTLSVerify": True,
    }  # fmt: skip
    dead = named("apiregistration.k8s.io/v1", "APIService", "v1.dead.example.com", spec=spec)
    async with bench() as b:
        await b.apply(namespace(), dead, parent=None)

        with pytest.raises(ConfigError, match=r"nobody can tell what is in it: .*dead.example.com"):
            await residents(b)
