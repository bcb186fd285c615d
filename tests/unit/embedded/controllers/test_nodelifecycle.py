import kubewright as kw
from kubewright.embedded.controllers.nodelifecycle import nodelifecycle_controller, taints_for
from kubewright.kinds.core.v1 import Node, NodeCondition, NodeSpec, NodeStatus, Taint
from tests.unit.embedded.controllers.stage import Stage, staged


def keys(node: Node) -> list[str]:
    return [one.key.rpartition("/")[2] for one in node.spec.taints]


async def report(stage: Stage, node: Node, kind: str, status: str) -> Node:
    now = await stage.now(node)
    others = [one for one in now.status.conditions if one.type != kind]
    now.status.conditions = [*others, NodeCondition(type=kind, status=status)]
    await stage.client.status.update(now)
    await stage.clock.settle()
    return await stage.now(node)


async def test_a_node_is_open_to_pods_once_it_is_ready() -> None:
    """And closed when it is not any more."""
    async with staged(nodelifecycle_controller) as stage:
        made = await stage.create(Node(metadata=kw.ObjectMeta(name="n")))
        born = await stage.now(made)

        ready = await report(stage, made, "Ready", "True")
        broken = await report(stage, made, "Ready", "False")
        lost = await report(stage, made, "Ready", "Unknown")

        assert keys(born) == ["not-ready"]
        assert keys(ready) == []
        assert keys(broken) == ["not-ready"]
        assert keys(lost) == ["unreachable"]


async def test_a_cordoned_node_has_a_taint() -> None:
    """Which ``kubectl describe node`` shows, and DaemonSets tolerate."""
    async with staged(nodelifecycle_controller) as stage:
        made = await stage.create(Node(metadata=kw.ObjectMeta(name="n")))
        await report(stage, made, "Ready", "True")

        await stage.change(made, lambda one: setattr(one.spec, "unschedulable", True))

        assert keys(await stage.now(made)) == ["unschedulable"]


async def test_nodes_that_come_and_go_are_told_once() -> None:
    """``kubectl describe node`` shows it, and people look there for when a node came."""
    async with staged(nodelifecycle_controller) as stage:
        made = await stage.create(Node(metadata=kw.ObjectMeta(name="n")))
        await report(stage, made, "Ready", "True")

        await stage.client.delete(made)
        await stage.clock.settle()

        told = [await stage.events(reason) for reason in ("RegisteredNode", "RemovingNode")]
        assert told == [
            ["Node n event: Registered Node n in Controller"],
            ["Node n event: Removing Node n from Controller"],
        ]


def test_taints_of_others_stay() -> None:
    """Nor is a taint added twice."""
    mine = Taint(key="mine", value="x", effect="NoSchedule")
    pressure = Taint(key="node.kubernetes.io/disk-pressure", effect="NoSchedule")
    execute = Taint(key="node.kubernetes.io/not-ready", effect="NoExecute")
    node = Node(
        metadata=kw.ObjectMeta(name="n"),
        spec=NodeSpec(taints=[mine, pressure, execute]),
        status=NodeStatus(
            conditions=[
                NodeCondition(type="Ready", status="True"),
                NodeCondition(type="DiskPressure", status="True"),
            ]
        ),
    )

    assert taints_for(node) == [mine, pressure, execute]
