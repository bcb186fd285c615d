from tests.unit.apiserver.table.rows import row


def test_an_api_service_shows_whether_it_answers() -> None:
    """An unavailable service shows the reason."""
    down = {"type": "Available", "status": "False", "reason": "MissingEndpoints"}
    content = {
        "spec": {"service": {"name": "s", "namespace": "n"}},
        "status": {"conditions": [down]},
    }

    found = row("apiregistration.k8s.io", "apiservices", content)

    assert (found["Service"], found["Available"]) == ("n/s", "False (MissingEndpoints)")
    local = row("apiregistration.k8s.io", "apiservices")
    assert (local["Service"], local["Available"]) == ("Local", "Unknown")
