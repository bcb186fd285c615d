"""fieldValidation: what the server says about fields it does not know, or knows twice."""

from typing import Any

import pytest

from tests.conformance.bodies import deployment
from tests.conformance.crds import Installed, Installer, object_of, version
from tests.conformance.wire import Wire, with_query

pytestmark = pytest.mark.since("1.25", reason="field validation by the server")
SPEC = object_of(size={"type": "integer"}, box=object_of(name={"type": "string"}))


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """A kind with a small schema."""
    return install.shared(version(schema=SPEC))


def unknown(widgets: Installed) -> dict[str, Any]:
    """Return an object with fields that the schema lacks."""
    return widgets.body("a", spec={"size": 1, "wrong": 2, "box": {"odd": 3}})


TWICE = b'{"apiVersion":"%s","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}'

YAML_TWICE = b"""apiVersion: %s
kind: Widget
metadata:
  name: a
spec:
  size: 1
  size: 2
  wrong: 3
"""


@pytest.mark.crd
class TestCustomResources:
    """Unknown fields are pruned; the parameter says what is said about it."""

    def test_strict_refuses(self, api: Wire, widgets: Installed) -> None:
        """What kubectl asks for by default, and how a typing error is found."""
        path = with_query(widgets.path(), fieldValidation="Strict")

        status = api.post(path, unknown(widgets)).refused(400, "BadRequest")

        assert status["message"] == (
            'Widget in version "v1" cannot be handled as a Widget: strict decoding error:'
            ' unknown field "spec.box.odd", unknown field "spec.wrong"'
        )

    @pytest.mark.parametrize("mode", ["Warn", None])
    def test_warn_takes_it_and_says_so(
        self, api: Wire, widgets: Installed, mode: str | None
    ) -> None:
        """The default of the server."""
        reply = api.post(with_query(widgets.path(), fieldValidation=mode), unknown(widgets))

        assert reply.ok(201)["spec"] == {"size": 1, "box": {}}
        assert sorted(reply.warnings()) == [
            'unknown field "spec.box.odd"',
            'unknown field "spec.wrong"',
        ]

    def test_ignore_takes_it_in_silence(self, api: Wire, widgets: Installed) -> None:
        """As servers before 1.25 did."""
        reply = api.post(with_query(widgets.path(), fieldValidation="Ignore"), unknown(widgets))

        assert reply.ok(201)["spec"] == {"size": 1, "box": {}}
        assert reply.warnings() == []

    def test_a_field_given_twice_is_refused(self, api: Wire, widgets: Installed) -> None:
        """JSON leaves open which of the two counts."""
        body = TWICE % f"{widgets.group}/v1".encode()

        reply = api.post(with_query(widgets.path(), fieldValidation="Strict"), body)

        assert 'duplicate field "spec.size"' in reply.refused(400, "BadRequest")["message"]

    def test_a_field_given_twice_counts_the_last_time(self, api: Wire, widgets: Installed) -> None:
        """If the client wants no strictness."""
        reply = api.post(widgets.path(), TWICE % f"{widgets.group}/v1".encode())

        assert reply.ok(201)["spec"] == {"size": 2}
        assert reply.warnings() == ['duplicate field "spec.size"']

    @pytest.mark.parametrize("kind", ["merge", "apply"])
    def test_patches_are_checked_as_well(self, api: Wire, widgets: Installed, kind: str) -> None:
        """The field is judged where it ends up, whichever way it came."""
        widgets.create("a", spec={"size": 1}).ok(201)
        patch = widgets.body("a", spec={"wrong": 1})
        path = with_query(
            widgets.path("a"),
            fieldValidation="Strict",
            fieldManager="test" if kind == "apply" else None,
        )

        reply = api.patch(path, patch, kind)

        assert reply.status in (400, 422, 500), reply.text
        assert "wrong" in reply.json()["message"]

    def test_a_key_given_twice_in_yaml_is_found(self, api: Wire, widgets: Installed) -> None:
        """By its line; what is unknown is told after it."""
        body = YAML_TWICE % f"{widgets.group}/v1".encode()
        headers = {"Content-Type": "application/yaml"}

        strict = api.ask(
            "POST", with_query(widgets.path(), fieldValidation="Strict"), body, headers=headers
        )
        warned = api.ask("POST", widgets.path(), body, headers=headers)

        line = 'line 7: key "size" already set in map'
        assert strict.refused(400, "BadRequest")["message"].endswith(
            f'strict decoding error: yaml: unmarshal errors:\n  {line}, unknown field "spec.wrong"'
        )
        assert warned.ok(201)["spec"] == {"size": 2}
        assert warned.warnings() == [line, 'unknown field "spec.wrong"']

    def test_a_key_given_twice_in_a_merge_patch_is_found(
        self, api: Wire, widgets: Installed
    ) -> None:
        """The patch itself is looked at: in the object that it makes, the key is there once."""
        widgets.create("a", spec={"size": 1}).ok(201)
        patch = b'{"spec":{"size":2,"size":3,"wrong":1}}'

        strict = api.patch(with_query(widgets.path("a"), fieldValidation="Strict"), patch)
        warned = api.patch(widgets.path("a"), patch)

        problems = ['duplicate field "spec.size"', 'unknown field "spec.wrong"']
        message = strict.refused(422, "Invalid")["message"]
        assert message.endswith(f"strict decoding error: {', '.join(problems)}")
        assert warned.ok()["spec"] == {"size": 3}
        assert warned.warnings() == problems

    def test_a_key_given_twice_in_a_json_patch_is_found(
        self, api: Wire, widgets: Installed
    ) -> None:
        """Operations have keys, too."""
        widgets.create("a", spec={"size": 1}).ok(201)
        patch = b'[{"op":"test","foo":1,"path":"/spec","path":"/spec/size","value":1}]'

        reply = api.patch(with_query(widgets.path("a"), fieldValidation="Strict"), patch, "json")

        assert reply.refused(422, "Invalid")["message"].endswith(
            'strict decoding error: json patch unknown field "[0].foo",'
            ' json patch duplicate field "[0].path"'
        )

    def test_a_key_given_twice_in_what_is_applied_is_found(
        self, api: Wire, widgets: Installed
    ) -> None:
        """JSON is YAML here, and so are the words."""
        body = TWICE % f"{widgets.group}/v1".encode()

        strict = api.apply(widgets.path("a"), body, fieldValidation="Strict")
        warned = api.apply(widgets.path("a"), body)

        line = 'line 1: key "size" already set in map'
        assert strict.refused(400, "BadRequest")["message"] == (
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:"
            f"\n  {line}"
        )
        assert warned.ok(201)["spec"] == {"size": 2}
        assert warned.warnings() == [line]

    def test_an_unknown_field_in_the_metadata_is_found_too(
        self, api: Wire, widgets: Installed
    ) -> None:
        """Object metadata has a schema of its own."""
        body = widgets.body("a", metadata={"colour": "red"})

        reply = api.post(with_query(widgets.path(), fieldValidation="Strict"), body)

        message = reply.refused(400, "BadRequest")["message"]
        assert 'unknown field "metadata.colour"' in message

    def test_another_word_is_refused(self, api: Wire, widgets: Installed) -> None:
        """There are three."""
        reply = api.post(with_query(widgets.path(), fieldValidation="Loudly"), unknown(widgets))

        message = reply.refused(422, "Invalid")["message"]
        assert 'fieldValidation: Unsupported value: "Loudly"' in message


def test_strict_refuses_for_built_in_kinds(api: Wire, deployments: str) -> None:
    """The path to the field is in the text, indexes and all."""
    body = deployment("a", replica=1)
    body["spec"]["template"]["spec"]["containers"] = [{"name": "a", "image": "b", "imag": "c"}]

    status = api.post(with_query(deployments, fieldValidation="Strict"), body).refused(400)

    before, _, told = status["message"].partition("strict decoding error: ")
    assert before == 'Deployment in version "v1" cannot be handled as a Deployment: '
    assert sorted(told.split(", ")) == [
        'unknown field "spec.replica"',
        'unknown field "spec.template.spec.containers[0].imag"',
    ]


def test_a_key_given_twice_in_a_strategic_patch_is_found(api: Wire, deployments: str) -> None:
    """The patch itself is looked at: in the object that it makes, the key is there once."""
    api.post(deployments, deployment("a")).ok(201)
    patch = b'{"spec":{"replicas":2,"replicas":3}}'
    path = f"{deployments}/a"

    strict = api.patch(with_query(path, fieldValidation="Strict"), patch, "strategic")
    warned = api.patch(path, patch, "strategic")

    message = strict.refused(422, "Invalid")["message"]
    assert message.endswith('strict decoding error: duplicate field "spec.replicas"')
    assert warned.ok()["spec"]["replicas"] == 3
    assert warned.warnings() == ['duplicate field "spec.replicas"']


def test_warn_warns_for_built_in_kinds(api: Wire, deployments: str) -> None:
    """The field is dropped, and a header says so."""
    reply = api.post(deployments, deployment("a", replica=1))

    assert "replica" not in reply.ok(201)["spec"]
    assert reply.warnings() == ['unknown field "spec.replica"']
