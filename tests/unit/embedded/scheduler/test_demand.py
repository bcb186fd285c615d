import pytest

from kubewright.embedded.scheduler.demand import HostPort, conflicts, demand_of
from kubewright.kinds.core.v1 import Container, ContainerPort, ResourceRequirements
from tests.unit.embedded.scheduler.samples import pod


def container(name: str, cpu: str, *, restart: str | None = None) -> Container:
    resources = ResourceRequirements(requests={"cpu": cpu})
    return Container(name=name, image="x", resources=resources, restart_policy=restart)


def test_containers_add_up_and_init_containers_do_not() -> None:
    """They run one after the other, before the others."""
    init = [container("i1", "300m"), container("i2", "2")]
    one = pod("a", containers=[container("a", "500m"), container("b", "1")], init_containers=init)

    assert demand_of(one).resources == {"cpu": 2000}


def test_sidecars_count_with_the_containers() -> None:
    """And with the init containers that start after them."""
    init = [container("side", "1", restart="Always"), container("init", "700m")]
    one = pod("a", containers=[container("a", "500m")], init_containers=init)

    assert demand_of(one).resources == {"cpu": 1700}


def test_overhead_and_the_resources_of_the_whole_pod_count() -> None:
    """The pod's own word is more than the sum of its containers."""
    one = pod("a", cpu="1", memory="1Gi", overhead={"cpu": "250m"})
    one.spec.resources = ResourceRequirements(requests={"cpu": "3"})

    assert demand_of(one).resources == {"cpu": 3250, "memory": 2**30}


def test_host_ports_are_taken_on_all_addresses_unless_said_otherwise() -> None:
    """Two pods cannot have the same."""
    one = pod("a")
    one.spec.containers[0].ports = [
        ContainerPort(container_port=80, host_port=8080),
        ContainerPort(container_port=81),
    ]

    assert demand_of(one).ports == (("0.0.0.0", "TCP", 8080),)


@pytest.mark.parametrize(
    ("left", "right", "clash"),
    [
        (("0.0.0.0", "TCP", 80), ("10.0.0.1", "TCP", 80), True),
        (("10.0.0.2", "TCP", 80), ("10.0.0.1", "TCP", 80), False),
        (("0.0.0.0", "TCP", 80), ("0.0.0.0", "UDP", 80), False),
        (("0.0.0.0", "TCP", 80), ("0.0.0.0", "TCP", 81), False),
    ],
)
def test_ports_clash_on_one_address(left: HostPort, right: HostPort, clash: bool) -> None:
    """And on all addresses."""
    assert conflicts(left, right) is clash
