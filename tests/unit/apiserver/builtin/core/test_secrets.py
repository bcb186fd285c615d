from base64 import b64encode

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


def secrets() -> KindServer:
    return KindServer("", "secrets")


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def test_plain_text_becomes_data_and_wins_over_it() -> None:
    """The field is for writing only."""
    found = secrets().create({"data": {"a": "", "b": "Yg=="}, "stringData": {"a": "é"}})

    assert (found["type"], found["data"]) == ("Opaque", {"a": encoded("é"), "b": "Yg=="})
    assert "stringData" not in found


@pytest.mark.parametrize(
    ("kind", "data", "problem"),
    [
        ("kubernetes.io/tls", {}, "data[tls.crt]: Required value; data[tls.key]: Required value"),
        ("kubernetes.io/ssh-auth", {"ssh-privatekey": ""}, "data[ssh-privatekey]: Required value"),
        ("kubernetes.io/basic-auth", {}, "data[username]: Required value; data[password]: Requ"),
        ("kubernetes.io/basic-auth", {"password": ""}, ""),
        ("kubernetes.io/dockercfg", {}, "data[.dockercfg]: Required value"),
        ("kubernetes.io/dockerconfigjson", {".dockerconfigjson": encoded("{}")}, ""),
        (
            "kubernetes.io/service-account-token",
            {},
            "metadata.annotations[kubernetes.io/service-account.name]: Required value",
        ),
        ("Opaque", {"a b": ""}, 'data[a b]: Invalid value: "a b": a valid config key must consist'),
        ("Opaque", {"..a": ""}, "must not start with '..'"),
        ("whatever/else", {}, ""),
    ],
)
def test_a_type_promises_its_keys(kind: str, data: dict[str, str], problem: str) -> None:
    """A pod that mounts a TLS secret relies on its keys."""
    found = secrets().refusal({"type": kind, "data": data})

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("foo", "invalid character 'o' in literal false (expecting 'a')"),
        ("x", "invalid character 'x' looking for beginning of value"),
        ("'", r"invalid character '\'' looking for beginning of value"),
        ("[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("", "unexpected end of JSON input"),
        ("{", "unexpected end of JSON input"),
    ],
)
def test_a_docker_config_is_json(text: str, problem: str) -> None:
    """The contents of a secret never appear in a message."""
    data = {".dockerconfigjson": encoded(text)}

    found = secrets().refusal({"type": "kubernetes.io/dockerconfigjson", "data": data})

    expected = 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": '
    assert found == expected + problem


def test_the_type_of_a_secret_stays() -> None:
    """Its rules were checked for that type."""
    server = secrets()
    found = server.create({})

    problem = server.refused_change(found, type="a/b")

    assert problem == 'type: Invalid value: "a/b": field is immutable'


def test_secrets_are_selected_by_type() -> None:
    """``--field-selector type=helm.sh/release.v1`` is how Helm finds its own."""
    server = secrets()

    assert server.strategy.selectable_fields({"type": "a/b"}) == {"type": "a/b"}
