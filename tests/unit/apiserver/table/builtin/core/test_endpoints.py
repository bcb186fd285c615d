from tests.unit.apiserver.table.rows import row


def test_endpoints_show_the_first_three() -> None:
    """The others are counted, and IPv6 addresses have brackets."""
    ips = [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]
    subsets = [{"addresses": ips, "ports": [{"port": 80}, {"port": 81}]}, {"addresses": ips}]

    found = row("", "endpoints", {"subsets": subsets})["Endpoints"]

    assert found == "10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 3 more..."
    assert row("", "endpoints")["Endpoints"] == "<none>"
    assert row("", "endpoints", {"subsets": [{"notReadyAddresses": ips}]})["Endpoints"] == ""
