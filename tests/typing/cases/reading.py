"""Reading: the class that goes in decides the type that comes out."""

from collections.abc import AsyncIterator
from typing import Literal, assert_type

import kubewright as kw
from kubewright.client import Listing, Objects
from kubewright.kinds.core.v1 import Pod

DEPLOYMENT = kw.GroupVersionKind("apps", "v1", "Deployment")


async def one(client: kw.Client, key: kw.ObjectKey) -> None:
    assert_type(await client.get(Pod, "web"), Pod)
    assert_type(await client.get(Pod, key), Pod)
    assert_type(await client.get(Pod, "web", namespace="shop", resource_version="0"), Pod)
    assert_type(await client.get("deploy", "web"), kw.Unstructured)
    assert_type(await client.get(DEPLOYMENT, "web"), kw.Unstructured)
    assert_type(await client.find(Pod, "web"), Pod | None)
    assert_type(await client.find("deploy", "web"), kw.Unstructured | None)


async def one_wrongly(client: kw.Client, pod: Pod) -> None:
    await client.get(Pod)  # E: No overload variant of "get" of "Verbs"
    await client.get(kw.ObjectMeta, "web")  # E: Value of type variable "R"
    await client.get(pod, "web")  # E: No overload variant of "get" of "Verbs"
    await client.get(Pod, "web", "shop")  # E: No overload variant of "get" of "Verbs"
    await client.get(Pod, "web", names="shop")  # E: No overload variant of "get" of "Verbs"
    _ = (await client.find(Pod, "web")).spec  # E: Item "None" of "Pod | None"
    _ = (await client.get(Pod, "web")).spec.size  # E: "PodSpec" has no attribute "size"


async def many(client: kw.Client) -> None:
    listing = client.list(Pod, labels={"app": "web"}, fields="spec.nodeName=a", page_size=10)
    pods = await listing

    assert_type(listing, Listing[Pod])
    assert_type(pods, Objects[Pod])
    assert_type(pods[0], Pod)
    assert_type(pods[:2], list[Pod])
    assert_type(list(pods.keys()), list[kw.ObjectKey])
    assert_type(pods.resource_version, str)
    assert_type(client.list("po"), Listing[kw.Unstructured])
    assert_type(await client.list(DEPLOYMENT), Objects[kw.Unstructured])
    for pod in pods:
        assert_type(pod, Pod)
    async for pod in client.list(Pod):
        assert_type(pod, Pod)
    async for obj in client.list("po"):
        assert_type(obj, kw.Unstructured)
    assert_type(listing.pages(), AsyncIterator[Objects[Pod]])


async def many_wrongly(client: kw.Client) -> None:
    client.list(Pod, "shop")  # E: No overload variant of "list" of "Client"
    client.list(Pod, labels=["app"])  # E: No overload variant of "list" of "Client"
    client.list(Pod)[0]  # E: Value of type "Listing[Pod]" is not indexable
    for _ in client.list(Pod):  # E: "Listing[Pod]" has no attribute "__iter__"
        pass


async def changes(client: kw.Client) -> None:
    assert_type(client.watch(Pod), kw.Watch[Pod])
    assert_type(client.watch("po"), kw.Watch[kw.Unstructured])
    async with client.watch(Pod, resource_version="1", bookmarks=True) as events:
        async for event in events:
            assert_type(event, kw.WatchEvent[Pod])
            assert_type(event.type, Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"])
            assert_type(event.object, Pod)
            assert_type(event.resource_version, str)
    async for loose in client.watch(DEPLOYMENT):
        assert_type(loose.object, kw.Unstructured)


async def waiting(client: kw.Client) -> None:
    def runs(pod: Pod | None) -> bool:
        return pod is not None and pod.status.phase == "Running"

    def is_open(pod: kw.Unstructured | None) -> bool:
        return pod is not None

    assert_type(await kw.wait_for(client, Pod, "web", runs, timeout=5), Pod | None)
    assert_type(await kw.wait_for(client, Pod, "web", lambda pod: pod is None), Pod | None)
    await kw.wait_for(client, Pod, "web", lambda pod: pod.spec)  # E: Item "None" of "Pod | None"
    await kw.wait_for(client, Pod, "web", is_open)  # E: has incompatible type
