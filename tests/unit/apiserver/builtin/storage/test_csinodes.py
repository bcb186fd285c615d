from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_drivers_of_a_node_are_listed_once() -> None:
    """Two entries for a driver would contradict one another; only limits may change."""
    server = KindServer(GROUP, "csinodes")
    driver = {"name": "a", "nodeID": "n"}
    assert 'Duplicate value: "a"' in server.refusal({"spec": {"drivers": [driver, driver]}})
    found = server.create({"spec": {"drivers": [driver]}})
    assert found["spec"]["drivers"][0]["topologyKeys"] is None

    more = {**driver, "allocatable": {"count": 5}}
    assert not server.refused_change(found, spec={"drivers": [more]})
    other = {**driver, "nodeID": "m"}
    assert "field is immutable" in server.refused_change(found, spec={"drivers": [other]})
