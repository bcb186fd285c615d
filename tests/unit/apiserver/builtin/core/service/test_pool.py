import pytest

from kubewright.apiserver.builtin.core.service.pool import SERVICES, ServicePool, TakenError
from tests.unit.apiserver.memory_reader import MemoryReader

ALICE, BOB = ("default", "alice"), ("default", "bob")


def stored(reader: MemoryReader, name: str, **spec: object) -> None:
    reader.put(SERVICES, {"metadata": {"name": name, "namespace": "default"}, "spec": spec})


def test_what_is_stored_is_taken_from_the_start() -> None:
    """A server that comes back with its data must not give an address twice."""
    reader = MemoryReader()
    stored(reader, "alice", clusterIPs=["10.96.1.0"])

    pool = ServicePool(reader)

    assert pool.addresses.take_next(BOB, reader=reader, keep=True) == "10.96.1.1"


def test_a_number_of_somebody_who_was_refused_can_be_taken() -> None:
    """Alice took it, but her service was never stored."""
    reader = MemoryReader()
    pool = ServicePool(reader)
    pool.ports.take(30100, ALICE, reader=reader, keep=True)

    pool.ports.take(30100, BOB, reader=reader, keep=True)

    stored(reader, "bob", ports=[{"nodePort": 30100}])
    with pytest.raises(TakenError, match="provided port is already allocated"):
        pool.ports.take(30100, ALICE, reader=reader, keep=True)


def test_a_full_range_looks_for_what_was_left_behind() -> None:
    """Numbers of refused services are free, and are found when nothing else is."""
    reader = MemoryReader()
    pool = ServicePool(reader, "10.0.0.0/29")
    for _ in range(6):
        pool.addresses.take_next(ALICE, reader=reader, keep=True)
    stored(reader, "alice", clusterIPs=["10.0.0.1", "10.0.0.2"])

    found = pool.addresses.take_next(BOB, reader=reader, keep=True)

    assert found not in ("10.0.0.1", "10.0.0.2")


def test_a_range_that_is_really_full_says_so() -> None:
    """All six addresses of a /29 are in use."""
    reader = MemoryReader()
    stored(reader, "alice", clusterIPs=[f"10.0.0.{last}" for last in range(1, 7)])
    pool = ServicePool(reader, "10.0.0.0/29")

    with pytest.raises(TakenError, match="range is full"):
        pool.addresses.take_next(BOB, reader=reader, keep=True)


def test_the_ends_of_the_network_are_nobodys() -> None:
    """The first address is the network's name, the last reaches all."""
    pool = ServicePool(MemoryReader())

    for address in ("10.96.0.0", "10.96.255.255", "10.97.0.1"):
        with pytest.raises(TakenError, match=r"not in the valid range.*10\.96\.0\.0/16"):
            pool.check_range(address)
    pool.check_range("10.96.0.1")


def test_what_is_released_can_be_had_again() -> None:
    """A deleted service gives its ports back."""
    reader = MemoryReader()
    stored(reader, "alice", ports=[{"nodePort": 30100}], healthCheckNodePort=30101)
    pool = ServicePool(reader)
    service = reader.find_object(SERVICES, *ALICE)
    assert service is not None

    reader.delete(SERVICES, "alice", "default")
    pool.release(service)

    for port in (30100, 30101):
        pool.ports.take(port, BOB, reader=reader, keep=True)
