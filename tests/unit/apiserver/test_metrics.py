"""Metrics in Prometheus' text format."""

import re

from kubewright.apiserver.metrics import Metrics
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.route import Route
from tests.unit.apiserver.asking import MAPS, ask, make, watch

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\[n"\\])*",?)*)\})? ([0-9.e+-]+)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')
ESCAPES = {r"\n": "\n", r"\"": '"', r"\\": "\\"}


def samples(text: bytes) -> Samples:
    """Read the format strictly: every line, one type for each metric, no sample twice."""
    types: list[str] = []
    found: Samples = {}
    for line in text.decode().splitlines():
        if line.startswith("# TYPE "):
            types.append(line.split()[2])
        elif not line.startswith("# HELP "):
            match = LINE.fullmatch(line)
            assert match, line
            pairs = [
                (name, re.sub(r"\\.", lambda one: ESCAPES[one[0]], value))
                for name, value in LABEL.findall(match[2] or "")
            ]
            key = match[1], tuple(sorted(pairs))
            assert key not in found
            found[key] = float(match[3])
    assert len(set(types)) == len(types)
    return found


def total(text: bytes, name: str, **labels: str) -> float:
    return sum(
        value
        for (found, pairs), value in samples(text).items()
        if found == name and labels.items() <= dict(pairs).items()
    )


def test_requests_are_counted_by_what_they_were() -> None:
    """The histogram is cumulative and exact, whatever the numbers."""
    metrics = Metrics()
    route = Route("get", "", "apps", "v1", resource="deployments")

    for seconds in (0.001, 0.3, 99.0):
        metrics.count(route, 200, seconds)
    metrics.count(route, 404, 0.001)
    text = metrics.text({'objects{resource="a"}': 1234567.0, 'objects{resource="b"}': 2.5})

    assert total(text, "apiserver_request_total", verb="GET", code="200") == 3
    name = "apiserver_request_duration_seconds"
    assert [total(text, f"{name}_bucket", le=le) for le in ("0.005", "0.4", "60", "+Inf")] == [
        *(2, 3, 3, 4)
    ]
    assert total(text, f"{name}_count") == 4
    assert total(text, "objects", resource="a") == 1234567
    assert b"1234567" in text


def test_odd_names_do_not_break_the_format() -> None:
    """A label may be anything."""
    metrics = Metrics()

    metrics.count(Route("get", "", 'g"\\\n', "v1", resource="é"), 200, 0.1)

    assert total(metrics.text({}), "apiserver_request_total", group='g"\\\n', resource="é") == 1


async def test_a_server_counts_what_it_serves_and_nothing_that_is_made_up(
    server: APIServer,
) -> None:
    """Guessed paths must not fill the memory, and a watch has no duration."""
    await make(server, MAPS, "a")
    await (await watch(server, f"{MAPS}?watch=1")).close()
    for number in range(50):
        await ask(server, "GET", f"/apis/x{number}.io/v1/things%22%0A")
        await ask(server, f"ODD{number}", f"{MAPS}/a/sub{number}")

    text = (await ask(server, "GET", "/metrics")).body

    assert total(text, "apiserver_request_total", resource="configmaps", verb="CREATE") == 1
    assert total(text, "apiserver_request_total", verb="WATCH") == 1
    assert total(text, "apiserver_request_duration_seconds_count", verb="WATCH") == 0
    assert total(text, "apiserver_request_total", code="404", verb="GET", resource="") == 50
    assert len({key for key in samples(text) if "x1.io" in str(key)}) == 0
    assert total(text, "apiserver_storage_objects", resource="configmaps") == 1
