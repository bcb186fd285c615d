from tests.unit.apiserver.table.rows import row


def test_a_slice_shows_ports_and_addresses() -> None:
    """A port without a number goes by its name."""
    content = {
        "addressType": "IPv4",
        "ports": [{"port": 80}, {"name": "b"}, {}],
        "endpoints": [{"addresses": [f"10.0.0.{last}"]} for last in range(4)],
    }

    found = row("discovery.k8s.io", "endpointslices", content)

    assert found["Ports"] == "80,b,*"
    assert found["Endpoints"] == "10.0.0.0,10.0.0.1,10.0.0.2 + 1 more..."
    assert row("discovery.k8s.io", "endpointslices")["Ports"] == "<unset>"
