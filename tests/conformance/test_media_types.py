"""What the server reads and writes: JSON, YAML, and what it refuses."""

import gzip
import json

import pytest

from tests.conformance.crds import Things
from tests.conformance.wire import Wire


def test_yaml_is_read(api: Wire, things: Things) -> None:
    """As the other spelling of JSON."""
    body = (
        f"apiVersion: {things.api_version}\nkind: {things.kind}\nmetadata:\n  name: a\n"
        "data:\n  k: 'yes'\n  multi: |\n    one\n    two\n"
    )

    made = api.ask(
        "POST", things.path, body.encode(), headers={"Content-Type": "application/yaml"}
    ).ok(201)

    assert made["data"] == {"k": "yes", "multi": "one\ntwo\n"}


def test_yaml_is_written(api: Wire, things: Things) -> None:
    """To whom asks for it."""
    api.post(things.path, things.body("a", k="1")).ok(201)

    reply = api.ask("GET", f"{things.path}/a", headers={"Accept": "application/yaml"})

    assert reply.status == 200
    assert reply.headers["Content-Type"] == "application/yaml"
    assert b'\n  k: "1"\n' in reply.body


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        pytest.param("application/*", marks=pytest.mark.since("1.30", reason="half a wildcard")),
        "text/html, */*;q=0.1",
        "application/json;q=0.9",
    ],
)
def test_json_is_the_default(api: Wire, things: Things, accept: str) -> None:
    """A browser and curl get it."""
    reply = api.ask("GET", things.path, headers={"Accept": accept})

    assert reply.headers["Content-Type"] == "application/json"
    assert reply.ok()["kind"] == f"{things.kind}List"


@pytest.mark.parametrize("accept", ["text/plain", "application/xml", "image/png"])
def test_another_type_is_not_acceptable(api: Wire, things: Things, accept: str) -> None:
    """And the answer, in JSON, says what is."""
    reply = api.ask("GET", things.path, headers={"Accept": accept})

    message = reply.refused(406, "NotAcceptable")["message"]
    if message != "406: Not Acceptable":  # how 1.20 says it for built-in kinds
        assert message.startswith("only the following media types are accepted: ")
        assert "application/json, application/yaml" in message


@pytest.mark.parametrize("sent", ["text/plain", "application/xml"])
def test_another_body_is_not_supported(api: Wire, things: Things, sent: str) -> None:
    """Before it is read."""
    body = json.dumps(things.body("a")).encode()

    reply = api.ask("POST", things.path, body, headers={"Content-Type": sent})

    message = reply.refused(415, "UnsupportedMediaType")["message"]
    if message != "415: Unsupported Media Type":  # how 1.20 says it for built-in kinds
        assert message.startswith(
            "the body of the request was in an unknown format - accepted media types include: "
        )


def test_a_body_without_a_type_is_json(api: Wire, things: Things) -> None:
    """Curl sends forms by default, but other tools send nothing."""
    made = api.ask("POST", things.path, things.body("a"), headers={"Content-Type": ""})

    made.ok(201)


@pytest.mark.parametrize("sent", ["application/json", "text/plain", ""])
def test_a_patch_must_say_which_kind_it_is(api: Wire, things: Things, sent: str) -> None:
    """There are four, and no default."""
    api.post(things.path, things.body("a")).ok(201)

    reply = api.ask("PATCH", f"{things.path}/a", {}, headers={"Content-Type": sent})

    message = reply.refused(415, "UnsupportedMediaType")["message"]
    if message != "415: Unsupported Media Type":  # how 1.20 says it for built-in kinds
        assert "application/json-patch+json, application/merge-patch+json" in message


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"not json", b'{"a":'])
def test_a_body_that_cannot_be_read_is_a_bad_request(
    api: Wire, things: Things, body: bytes
) -> None:
    """Never an error of the server."""
    reply = api.ask("POST", things.path, body)

    assert reply.status in (400, 422), reply.text
    assert reply.json()["kind"] == "Status"


def test_gzip_is_sent_for_large_answers(api: Wire, things: Things) -> None:
    """To whom can read it."""
    for number in range(3):
        api.post(things.path, things.body(f"a{number}", k="x" * 60000)).ok(201)

    reply = api.ask("GET", things.path, headers={"Accept-Encoding": "gzip"})

    assert reply.headers["Content-Encoding"] == "gzip"
    assert len(json.loads(gzip.decompress(reply.body))["items"]) == 3


def test_pretty_is_indented(api: Wire, configmaps: str) -> None:
    """For people; others get no spaces."""
    api.post(configmaps, {"metadata": {"name": "a"}}).ok(201)

    pretty = api.get(f"{configmaps}/a", pretty="true").body
    plain = api.get(f"{configmaps}/a").body

    assert pretty.startswith(b'{\n  "')
    assert b"\n  " not in plain
    assert json.loads(pretty) == json.loads(plain)
