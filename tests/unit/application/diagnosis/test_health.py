from kubewright.application.diagnosis.health import judge, readiness_port
from kubewright.kinds.core.v1 import Probe
from tests.unit.application.diagnosis.ward import installed, made

RUNS = "{phase: Running}"
SAID = "[+]ping ok\n[-]informers failed: shops.example.com is not served\nreadyz check failed"


def test_the_checks_that_fail_are_told() -> None:
    """The operator knows best what it waits for."""
    place = installed(pods=RUNS)

    (found,) = judge(place, place.pods[0], SAID, failed=True, suspects=("crd/a",))

    assert "[-]informers failed: shops.example.com is not served" in found.what
    assert "ping" not in found.what
    assert found.causes == (place.subject, "crd/a")
    assert list(judge(place, place.pods[0], "ok", failed=False)) == []


def test_the_port_is_that_of_the_readiness_probe() -> None:
    """By number or by name; and only if it is the page that we know."""
    place = installed()
    container = place.container
    assert container is not None
    assert readiness_port(place) is None

    container.readiness_probe = made(Probe, "{httpGet: {path: /readyz, port: 8081}}")
    assert readiness_port(place) == 8081

    container.readiness_probe = made(Probe, "{httpGet: {path: /readyz, port: health}}")
    assert readiness_port(place) is None

    container.readiness_probe = made(Probe, "{httpGet: {path: /other, port: 8081}}")
    assert readiness_port(place) is None
