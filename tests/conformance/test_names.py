"""What names, labels and annotations may be, and what is said when they are not."""

from typing import Any

import pytest

from tests.conformance.bodies import service
from tests.conformance.crds import Things
from tests.conformance.wire import Wire

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
    " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used"
    " for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and"
    " must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used"
    " for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
    " alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123',"
    " regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.',"
    " and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or"
    " '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end"
    " with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
    " validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def with_metadata(things: Things, **metadata: Any) -> dict[str, Any]:
    """Return an object with more metadata."""
    body: dict[str, Any] = things.body("a")
    body["metadata"].update(metadata)
    return body


@pytest.mark.parametrize("name", ["a", "0", "a.b-c", "a" * 253, "1.2.3"])
def test_a_subdomain_is_a_name(api: Wire, things: Things, name: str) -> None:
    """Most kinds allow what DNS allows."""
    assert api.post(things.path, things.body(name)).ok(201)["metadata"]["name"] == name


@pytest.mark.parametrize("name", ["A", "a_b", "-a", "a-", "a.", ".a", "a..b", "ä", "a b"])
def test_anything_else_is_no_name(api: Wire, things: Things, name: str) -> None:
    """In the words of the server, which users search the web for."""
    reply = api.post(things.path, things.body(name))

    text = f'Invalid value: "{name}": {SUBDOMAIN}'
    assert reply.causes() == [("FieldValueInvalid", "metadata.name", text)]


def test_a_name_has_at_most_253_characters(api: Wire, things: Things) -> None:
    """Counted in bytes, as DNS does."""
    [(reason, field, message)] = api.post(things.path, things.body("a" * 254)).causes()

    assert field == "metadata.name"
    assert message.endswith("must be no more than 253 characters")
    assert reason in ("FieldValueInvalid", "FieldValueTooLong")


@pytest.mark.parametrize(
    ("name", "said"),
    [("1a", LABEL_1035), ("a.b", LABEL_1035), ("a" * 64, "must be no more than 63 characters")],
)
@pytest.mark.until("1.34", reason="Service names may begin with a digit since then")
def test_a_service_is_named_by_a_label(api: Wire, namespace: str, name: str, said: str) -> None:
    """It becomes a part of a host name."""
    reply = api.post(f"/api/v1/namespaces/{namespace}/services", service(name))

    assert [(field, message) for _, field, message in reply.causes()] == [
        ("metadata.name", f'Invalid value: "{name}": {said}')
    ]


@pytest.mark.parametrize("name", ["a.b", "A", "a" * 64])
def test_a_namespace_is_named_by_a_label(api: Wire, name: str) -> None:
    """It becomes a part of host names too."""
    reply = api.post("/api/v1/namespaces", {"metadata": {"name": name}})

    told = [message for _, field, message in reply.causes() if field == "metadata.name"]
    said = [LABEL] if len(name) < 64 else ["must be no more than 63 characters"]
    if "." in name:
        said.append("must not contain dots")  # how newer servers say it
    assert told in [[f'Invalid value: "{name}": {one}'] for one in said]


@pytest.mark.parametrize("name", ["system:a", "A_b", "a b", "ü"])
def test_a_role_is_named_by_almost_anything(api: Wire, namespace: str, name: str) -> None:
    """Only what would break a path is out."""
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles"

    assert api.post(path, {"metadata": {"name": name}}).ok(201)["metadata"]["name"] == name


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%b"])
def test_no_name_breaks_a_path(api: Wire, namespace: str, name: str) -> None:
    """These are refused for every kind."""
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles"

    [(_, field, message)] = api.post(path, {"metadata": {"name": name}}).causes()

    said = f"may not be '{name}'" if name.startswith(".") else f"may not contain '{name[1]}'"
    assert (field, message) == ("metadata.name", f'Invalid value: "{name}": {said}')


@pytest.mark.parametrize(
    ("key", "value"),
    [("a", ""), ("a", "B-c_d.e"), ("example.com/a", "1"), ("A_b.C", "x" * 63), ("a" * 63, "b")],
)
def test_labels_may_be_this(api: Wire, things: Things, key: str, value: str) -> None:
    """A prefix, a slash and a name; a value of at most 63 characters."""
    made = api.post(things.path, with_metadata(things, labels={key: value})).ok(201)

    assert made["metadata"]["labels"] == {key: value}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("a", "b c", f'Invalid value: "b c": {LABEL_VALUE}'),
        ("a", "-b", f'Invalid value: "-b": {LABEL_VALUE}'),
        ("a", "x" * 64, f'Invalid value: "{"x" * 64}": must be no more than 63 characters'),
        ("a b", "c", f'Invalid value: "a b": {QUALIFIED}'),
        ("Ex.com/a", "c", f'Invalid value: "Ex.com/a": prefix part {SUBDOMAIN}'),
        ("a/", "c", 'Invalid value: "a/": name part must be non-empty'),
        (
            "x" * 64,
            "c",
            f'Invalid value: "{"x" * 64}": name part must be no more than 63 characters',
        ),
    ],
)
def test_labels_may_not_be_that(  # a row of the table, and three fixtures
    api: Wire, things: Things, version: tuple[int, int], *, key: str, value: str, said: str
) -> None:
    """The field is metadata.labels as a whole."""
    if version >= (1, 34):  # it always counted bytes; now it says so
        said = said.replace("63 characters", "63 bytes")
    found = api.post(things.path, with_metadata(things, labels={key: value})).causes()

    assert ("metadata.labels", said) in [(field, message) for _, field, message in found], found


def test_annotations_have_qualified_names_and_a_size(api: Wire, things: Things) -> None:
    """256 KiB for all of them together."""
    bad = api.post(things.path, with_metadata(things, annotations={"a b": "c"})).causes()
    big = with_metadata(things, annotations={"a": "x" * (256 * 1024)})
    large = api.post(things.path, big).causes()

    invalid = f'Invalid value: "a b": {QUALIFIED}'
    assert bad == [("FieldValueInvalid", "metadata.annotations", invalid)]
    [(reason, field, message)] = large
    assert (reason, field) == ("FieldValueTooLong", "metadata.annotations")
    assert message in (
        "Too long: may not be more than 262144 bytes",
        "Too long: must have at most 262144 bytes",  # before 1.32
    )


def test_finalizers_have_qualified_names(api: Wire, things: Things) -> None:
    """And all but the old ones of Kubernetes itself have a prefix."""
    found = api.post(things.path, with_metadata(things, finalizers=["a b/c"])).causes()

    assert {field for _, field, _ in found} == {"metadata.finalizers"}


def test_an_owner_is_named_whole(api: Wire, things: Things, version: tuple[int, int]) -> None:
    """Half a reference would make the garbage collector guess."""
    empty = {"apiVersion": "", "kind": "", "name": "", "uid": ""}

    found = api.post(things.path, with_metadata(things, ownerReferences=[empty])).causes()

    names = ("apiVersion", "kind", "name", "uid")
    if version >= (1, 37):
        path, said = "metadata.ownerReferences[0]", "Required value: must not be empty"
        assert set(found) == {("FieldValueRequired", f"{path}.{name}", said) for name in names}
        return
    before = "metadata.ownerReferences."
    said = "must not be empty" if version >= (1, 34) else "{} must not be empty"
    assert {(field.removeprefix(before), message) for _, field, message in found} == {
        ("apiVersion", 'Invalid value: "": version must not be empty'),
        *((name, f'Invalid value: "": {said.format(name)}') for name in names[1:]),
    }


def test_only_one_owner_controls(api: Wire, things: Things) -> None:
    """Two controllers would fight over it."""
    owners = [
        {"apiVersion": "v1", "kind": "A", "name": name, "uid": name, "controller": True}
        for name in ("a", "b")
    ]

    [(_, field, message)] = api.post(
        things.path, with_metadata(things, ownerReferences=owners)
    ).causes()

    assert field == "metadata.ownerReferences"
    assert "Only one reference can have Controller set to true" in message
