from ipaddress import IPv4Network
from itertools import pairwise

from kubewright.embedded.addresses import NODES, PARTS, AddressPlan


def test_no_two_ranges_of_all_clusters_meet() -> None:
    """A process of one would answer for a pod of another."""
    with AddressPlan() as plan:
        ranges = []
        for part in range(PARTS):
            plan._part = part
            ranges.append(IPv4Network(plan.service_cidr))
            ranges += [IPv4Network(plan.pod_cidr(node)) for node in range(NODES)]

    ranges.sort()
    assert all(a.broadcast_address < b.network_address for a, b in pairwise(ranges))
    assert ranges[0].network_address.packed[1] == 1
    assert all(one.is_loopback for one in ranges)


def test_clusters_at_the_same_time_have_different_addresses() -> None:
    """Both may listen at port 80 of their first pod."""
    with AddressPlan() as first, AddressPlan() as second:
        assert first.service_cidr != second.service_cidr
        assert first.pod_cidr(0) != second.pod_cidr(0)


def test_a_plan_that_nobody_claimed_is_the_first() -> None:
    """In virtual time there are no sockets, and tests compare addresses."""
    plan = AddressPlan()

    plan.release()

    assert plan.service_cidr == "127.96.0.0/16"
    assert plan.pod_cidr(0) == "127.1.0.0/22"
    assert plan.pod_cidr(65) == "127.2.4.0/22"
