"""Operators: the function must fit the kind, and what it asks for is typed by what it gives."""

from typing import assert_type

import kubewright as kw
from kubewright.client import Objects
from kubewright.kinds.core.v1 import ConfigMap, Pod
from kubewright.operator import Child

operator = kw.Operator("shops")


@operator.reconciler(
    ConfigMap,
    owns=[Pod, kw.Owns(ConfigMap, labels="a=b")],
    watches=[kw.Watches(Pod, map=lambda pod: [pod.metadata.name])],
    sources=[kw.Channel("bell"), kw.Interval(60.0)],
    predicate=kw.generation_changed | kw.labels_changed,
    retry={TimeoutError: kw.Retry(after=5.0)},
)
async def asynchronous(obj: ConfigMap, ctx: kw.Context) -> kw.Result | None:
    assert_type(await ctx.apply(Pod()), Pod)
    assert_type(await ctx.apply(kw.Unstructured(), owner=False), kw.Unstructured)
    assert_type(await ctx.apply({"apiVersion": "v1", "kind": "Pod"}), kw.Unstructured)
    assert_type(await ctx.create(Pod(), fill=lambda pod: pod.spec.containers.clear()), Pod)
    assert_type(ctx.children(Pod), list[Pod])
    assert_type(await ctx.prune(Pod), list[Child])
    assert_type(await ctx.client.list(Pod), Objects[Pod])
    ctx.set_condition("Ready", True, "Fine")
    ctx.event("Opened", "it is open", type="Warning", object=obj)
    return kw.Result(requeue_after=5)


def maps_of(pod: Pod, ctx: kw.MapContext) -> list[ConfigMap]:
    assert_type(ctx.cache.list(ConfigMap), list[ConfigMap])
    return ctx.cache.list(ConfigMap)


kw.Watches(Pod, map=maps_of)
kw.Watches(ConfigMap, map=maps_of)  # E: Argument "map" to "Watches" has incompatible type


@operator.cleanup(ConfigMap)
def synchronous(obj: ConfigMap, ctx: kw.SyncContext) -> None:
    assert_type(ctx.apply(Pod()), Pod)
    assert_type(ctx.client.get(Pod, "web"), Pod)
    assert_type(ctx.client.find("pods", "web"), kw.Unstructured | None)
    assert_type(ctx.client.list(Pod), list[Pod])
    assert_type(ctx.client.patch(obj), ConfigMap)


@operator.reconciler(Pod)  # E: Argument 1 to "__call__" of "Declaring" has incompatible type
async def another_kind(obj: ConfigMap, ctx: kw.Context) -> None: ...


@operator.reconciler(Pod)  # E: Argument 1 to "__call__" of "Declaring" has incompatible type
async def another_result(obj: Pod, ctx: kw.Context) -> int:
    return 5


@operator.reconciler(Pod)  # E: Argument 1 to "__call__" of "Declaring" has incompatible type
async def the_other_context(obj: Pod, ctx: kw.SyncContext) -> None: ...


async def wrongly(ctx: kw.Context) -> None:
    await ctx.apply("pod.yaml")  # E: No overload variant of "apply" of "Context"
    ctx.event("Opened", "it is open", type="Error")  # E: Argument "type" to "event"
    ctx.set_condition("Ready", "Yes", "Fine")  # E: Argument 2 to "set_condition"
    operator.index(Pod, "ip", lambda pod: pod.status.podIP)  # E: "PodStatus" has no attribute
