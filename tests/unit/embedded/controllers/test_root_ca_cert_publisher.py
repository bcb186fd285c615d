from functools import partial

import kubewright as kw
from kubewright.embedded.controllers.root_ca_cert_publisher import (
    authority_of,
    root_ca_cert_publisher,
)
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from tests.unit.embedded.controllers.stage import Stage, staged

CA = b"-----BEGIN CERTIFICATE-----\n"
publisher = partial(root_ca_cert_publisher, ca=CA)


async def published(stage: Stage, namespace: str = "default") -> str | None:
    await stage.clock.advance(1)
    found = await stage.client.find(ConfigMap, "kube-root-ca.crt", namespace=namespace)
    return None if found is None else found.data.get("ca.crt")


async def test_every_namespace_has_the_certificate() -> None:
    """Those that are there, and those that come."""
    async with staged(publisher) as stage:
        await stage.create(Namespace(metadata=kw.ObjectMeta(name="new")))

        assert await published(stage) == CA.decode()
        assert await published(stage, "new") == CA.decode()


async def test_what_somebody_changes_or_deletes_is_put_right() -> None:
    """Pods trust it."""
    async with staged(publisher) as stage:
        one = await stage.client.get(ConfigMap, "kube-root-ca.crt")
        await stage.change(one, lambda each: each.data.update({"ca.crt": "wrong"}))
        mended = await published(stage)

        await stage.client.delete(one)

        assert mended == await published(stage) == CA.decode()


async def test_a_namespace_that_ends_is_left_alone() -> None:
    """It would never be empty."""
    async with staged(publisher) as stage:
        made = await stage.create(Namespace(metadata=kw.ObjectMeta(name="old")))

        await stage.client.delete(made)
        await stage.clock.advance(60)

        assert await stage.client.find(Namespace, "old") is None


async def test_the_authority_is_that_of_the_client_unless_given() -> None:
    """As kube-controller-manager takes it from its kubeconfig."""
    async with staged() as stage:
        assert authority_of(stage.cluster) == stage.server.ca_data


async def test_nothing_is_written_twice() -> None:
    """At rest it only watches."""
    async with staged(publisher) as stage:
        before = stage.audit("configmaps")

        await stage.clock.advance(3600)

        assert stage.audit("configmaps") == before
