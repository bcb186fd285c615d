import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "networking.k8s.io"


@pytest.mark.parametrize(
    ("cidrs", "problem"),
    [
        ([], "spec.cidrs: Required value: at least one CIDR required"),
        (["10.0.0.0/8", "11.0.0.0/8"], "may specify no more than one IP for each IP family"),
        (["2001:DB8::/32"], 'must be in canonical form ("2001:db8::/32")'),
        (["10.0.0.0/8"] * 3, "may only hold up to 2 values"),
        (["10.0.0.0/8", "2001:db8::/64"], ""),
    ],
)
def test_networks_of_services_are_one_of_each_family(cidrs: list[str], problem: str) -> None:
    """Services have at most one address of each."""
    found = KindServer(GROUP, "servicecidrs").refusal({"spec": {"cidrs": cidrs}})

    assert problem in found
    assert bool(problem) == bool(found)


def test_a_second_network_may_come_later() -> None:
    """That is how a cluster becomes dual-stack."""
    server = KindServer(GROUP, "servicecidrs")
    found = server.create({"spec": {"cidrs": ["10.0.0.0/8"]}})

    both = {"cidrs": ["10.0.0.0/8", "2001:db8::/64"]}
    assert not server.refused_change(found, spec=both)
    assert "spec.cidrs[0]" in server.refused_change(found, spec={"cidrs": ["11.0.0.0/8"]})
