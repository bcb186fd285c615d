"""Writing: an object comes back as what it went in."""

from typing import assert_type

import kubewright as kw
from kubewright.client.verbs import Subresource
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.authentication.v1 import TokenRequest
from kubewright.kinds.autoscaling.v1 import Scale
from kubewright.kinds.core.v1 import Pod, ServiceAccount


async def verbs(client: kw.Client, pod: Pod, loose: kw.Unstructured) -> None:
    assert_type(await client.create(pod), Pod)
    assert_type(await client.create(loose, dry_run=True), kw.Unstructured)
    assert_type(await client.update(pod, field_owner="me"), Pod)
    assert_type(await client.update(loose), kw.Unstructured)
    assert_type(await client.patch(pod, optimistic=True), Pod)
    assert_type(await client.patch(Pod, "web", {"metadata": {}}, patch_type="strategic"), Pod)
    assert_type(await client.patch("po", "web", []), kw.Unstructured)
    assert_type(await client.apply(pod, force=True), Pod)
    assert_type(await client.apply(loose), kw.Unstructured)
    await client.delete(pod, propagation="Foreground", grace_period=0)
    await client.delete(Pod, "web", missing_ok=True)
    await client.delete_all("po", labels="app=web")


async def verbs_wrongly(client: kw.Client, pod: Pod) -> None:
    await client.create({"kind": "Pod"})  # E: Value of type variable "O"
    await client.create(Pod)  # E: Value of type variable "O"
    await client.update(pod, "me")  # E: Too many positional arguments for "update"
    await client.patch(Pod, "web")  # E: No overload variant of "patch" of "Verbs"
    await client.patch(Pod, "web", {}, patch_type="yaml")  # E: No overload variant of "patch"
    await client.patch(Pod, "web", {}, patch_type="apply")  # E: No overload variant of "patch"
    await client.patch(pod, {"metadata": {}})  # E: No overload variant of "patch" of "Verbs"
    await client.apply(Pod, "web")  # E: Too many  # E: Value of type variable "O"
    await client.delete(pod, propagation="Later")  # E: Argument "propagation" to "delete"
    client.delete_all(Pod)  # E: Value of type "Coroutine[Any, Any, None]" must be used


async def subresources(client: kw.Client, pod: Pod, deployment: Deployment) -> None:
    assert_type(client.status, Subresource)
    assert_type(await client.status.get(Pod, "web"), Pod)
    assert_type(await client.status.update(pod), Pod)
    assert_type(await client.status.patch(pod), Pod)
    assert_type(await client.status.apply(deployment), Deployment)
    assert_type(await client.scale.get(Deployment, "web"), Scale)
    assert_type(await client.scale.set("deploy", "web", 3), Scale)
    token = await client.subresource("token").post(ServiceAccount, "robot", TokenRequest())
    assert_type(token, TokenRequest)
    await client.scale.set(Deployment, "web", "three")  # E: Argument 3 to "set"
    await client.status.update(pod.status)  # E: Value of type variable "O"


async def conflicts(client: kw.Client) -> None:
    async def grow() -> Deployment:
        deployment = await client.get(Deployment, "web")
        deployment.spec.replicas = (deployment.spec.replicas or 0) + 1
        return await client.update(deployment)

    def grow_at_once() -> Deployment:
        raise NotImplementedError

    assert_type(await kw.retry_on_conflict(grow), Deployment)
    assert_type(await kw.retry_on_conflict(grow, tries=3), Deployment)
    await kw.retry_on_conflict(grow())  # E: Argument 1 to "retry_on_conflict"
    await kw.retry_on_conflict(grow_at_once)  # E: Argument 1 to "retry_on_conflict"
