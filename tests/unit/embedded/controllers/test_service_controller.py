from kubewright._aio import VirtualClock
from kubewright.api.kind import ObjectKey
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Run
from kubewright.embedded.controllers.service_controller import (
    Pace,
    labels_for,
    ports_of,
    service_controller,
)
from kubewright.embedded.controllers.service_pods import Backend
from kubewright.kinds.core.v1 import Service, ServicePort
from tests.unit.embedded.controllers.pods import entry
from tests.unit.embedded.controllers.services import pod, service
from tests.unit.embedded.controllers.stage import staged


class Diary:
    """A writer that only notes what it is asked to do."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def controller(self, cluster: Cluster) -> Controller:
        return service_controller("test", cluster, self)

    async def write(self, service: Service, pods: list[Backend], run: Run) -> bool:
        names = ",".join(sorted(one.key.name for one in pods))
        self.lines.append(f"{service.metadata.name}: {names}")
        return True

    async def forget(self, key: ObjectKey, run: Run) -> None:
        self.lines.append(f"{key.name} is gone")


async def test_a_service_is_looked_at_when_it_or_its_pods_change() -> None:
    """And again when it is gone."""
    diary = Diary()
    async with staged(diary.controller) as stage:
        web = await stage.create(service())
        await stage.clock.advance(1)
        await stage.start(await stage.create(pod("a")), ip="10.0.0.1")
        await stage.clock.advance(1)

        await stage.client.delete(web)
        await stage.clock.advance(1)

    assert diary.lines[0] == "web: "
    assert diary.lines[-2:] == ["web: a", "web is gone"]


async def test_changes_that_follow_closely_are_written_together() -> None:
    """Hundreds of pods become ready within a second."""
    diary = Diary()
    async with staged(diary.controller) as stage:
        await stage.create(service())
        await stage.clock.advance(1)
        diary.lines.clear()

        for number in range(1, 6):
            await stage.start(await stage.create(pod(f"p{number}")), ip=f"10.0.0.{number}")
        await stage.clock.advance(1)

    assert len(diary.lines) == 2
    assert diary.lines[-1] == "web: p1,p2,p3,p4,p5"


async def test_a_service_that_has_no_pods_of_its_own_is_left_alone() -> None:
    """Its addresses are somebody else's business."""
    diary = Diary()
    async with staged(diary.controller) as stage:
        await stage.create(service("hand", selector={}))
        away = service("away", type="ExternalName", external_name="example.com", ports=[])
        await stage.create(away)
        await stage.clock.advance(1)

    assert diary.lines == []


def test_labels_of_the_service_are_kept_and_ours_come_before_them() -> None:
    """A label of the user cannot make a service headless."""
    web = service(cluster_ip="None")
    web.metadata.labels = {"app": "web", "by": "hand"}

    assert labels_for(web, {"by": "us"}) == {
        "app": "web",
        "by": "us",
        "service.kubernetes.io/headless": "",
    }


def test_ports_are_those_that_the_pod_has() -> None:
    """A port by name has the number that the pod gives it."""
    named = ServicePort(name="http", port=80, target_port="http")
    fixed = ServicePort(name="metrics", port=9090, protocol="TCP", app_protocol="h2c")

    found = ports_of(service(ports=[named, fixed]), Backend.of(entry("a")))

    assert found == [("metrics", 9090, "TCP", "h2c")]


async def test_the_first_write_is_at_once_and_the_next_waits() -> None:
    """Each key for itself."""
    clock = VirtualClock()
    pace: Pace[str] = Pace(0.5, clock)
    first = pace.wait("a")
    pace.note_write("a")
    await clock.advance(0.2)

    again, other = pace.wait("a"), pace.wait("b")

    assert (first, other) == (0.0, 0.0)
    assert round(again, 6) == 0.3
    await clock.advance(0.4)
    assert pace.wait("a") == 0.0


def test_what_is_forgotten_need_not_wait() -> None:
    """A service of the same name is another one."""
    pace: Pace[str] = Pace(0.5, VirtualClock())
    pace.note_write("a")

    pace.forget("a")

    assert pace.wait("a") == 0.0
