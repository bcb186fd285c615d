from kubewright.embedded.node.pod.writer import StatusWriter, difference
from kubewright.kinds.core.v1 import Pod, PodCondition, PodStatus
from tests.unit.embedded.node.world import a_server, pod


def test_only_what_changed_is_sent() -> None:
    """A patch leaves alone what others write."""
    found = {
        "phase": "Pending",
        "qosClass": "BestEffort",
        "podIP": "1",
        "conditions": [{"type": "mine", "status": "True"}, {"type": "Ready", "status": "True"}],
    }
    wanted = {"phase": "Running", "podIP": "1", "conditions": [{"type": "Ready", "status": "True"}]}

    assert difference(wanted, found) == {"phase": "Running"}


def test_what_is_no_longer_so_is_removed() -> None:
    """A reason that stays behind would mislead."""
    found = {
        "reason": "Evicted",
        "conditions": [{"type": "Ready", "status": "False", "reason": "X", "message": "y"}],
    }
    wanted = {"conditions": [{"type": "Ready", "status": "True"}]}

    assert difference(wanted, found) == {
        "reason": None,
        "conditions": [{"type": "Ready", "status": "True", "reason": None, "message": None}],
    }


async def test_a_status_is_written_once() -> None:
    """Zero writes at rest; conditions of others stay."""
    async with a_server() as world:
        writer = StatusWriter(world.client)
        made = await world.client.create(pod())
        made.status.conditions = [PodCondition(type="mine", status="True")]
        made = await world.client.status.update(made)
        wanted = PodStatus(phase="Running", conditions=[PodCondition(type="Ready", status="True")])

        first = await writer.write(made, wanted)
        again = await world.client.get(Pod, "web")
        second = await writer.write(again, wanted)

        assert (first, second) == (True, False)
        assert {one.type for one in again.status.conditions} == {"mine", "Ready"}
        assert again.status.qos_class == "BestEffort"


async def test_a_pod_that_is_gone_or_replaced_is_left_alone() -> None:
    """The name may belong to another one by now."""
    async with a_server() as world:
        writer = StatusWriter(world.client)
        made = await world.client.create(pod(node=""))
        await world.client.delete(made, grace_period=0)
        wanted = PodStatus(phase="Running")

        gone = await writer.write(made, wanted)
        await world.client.create(pod(node=""))
        replaced = await writer.write(made, wanted)

        assert (gone, replaced) == (False, False)
        assert (await world.client.get(Pod, "web")).status.phase == "Pending"
        writer.forget(made.metadata.uid or "")
