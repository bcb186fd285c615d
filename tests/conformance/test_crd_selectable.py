"""Field selectors inside of custom resources."""

import pytest

from tests.conformance.bodies import names
from tests.conformance.crds import CRDS, Installed, Installer, crd, object_of, version
from tests.conformance.wire import Wire, with_query

pytestmark = [pytest.mark.crd, pytest.mark.since("1.32", reason="selectable fields")]
SPEC = object_of(
    colour={"type": "string"},
    size={"type": "integer"},
    flag={"type": "boolean"},
    list={"type": "array", "items": {"type": "string"}},
)
FIELDS = [{"jsonPath": f".spec.{name}"} for name in ("colour", "size", "flag")]


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """Three objects with fields to select by."""
    widgets = install.shared(version(schema=SPEC, selectableFields=FIELDS))
    widgets.create("a", spec={"colour": "red", "size": 1, "flag": True}).ok(201)
    widgets.create("b", spec={"colour": "blue", "size": 2, "flag": False}).ok(201)
    widgets.create("c", spec={}).ok(201)
    return widgets


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("spec.colour=red", "a"),
        ("spec.colour!=red", "bc"),
        ("spec.size=2", "b"),
        ("spec.flag=true", "a"),
        ("spec.colour=", "c"),
        ("spec.colour=red,spec.size=2", ""),
        ("spec.colour=blue,metadata.name=b", "b"),
    ],
)
def test_declared_fields_select(
    api: Wire, widgets: Installed, selector: str, expected: str
) -> None:
    """Strings, integers and booleans; what is absent is the empty string."""
    assert "".join(names(api.get(widgets.path(), fieldSelector=selector).ok())) == expected


def test_other_fields_do_not(api: Wire, widgets: Installed) -> None:
    """Only what is declared can be asked for."""
    status = api.get(widgets.path(), fieldSelector="spec.list=x").refused(400, "BadRequest")

    assert "field label not supported: spec.list" in status["message"]


def test_a_watch_selects_too(api: Wire, widgets: Installed) -> None:
    """An object that leaves the selection is DELETED."""
    version = api.get(widgets.path()).ok()["metadata"]["resourceVersion"]

    with api.watch(
        widgets.path(), resourceVersion=version, fieldSelector="spec.colour=red"
    ) as events:
        api.patch(widgets.path("b"), {"spec": {"colour": "red"}}).ok()
        api.patch(widgets.path("b"), {"spec": {"colour": "blue"}}).ok()
        got = [next(events)["type"], next(events)["type"]]

    assert got == ["ADDED", "DELETED"]


def test_many_can_be_deleted_by_them(api: Wire, widgets: Installed) -> None:
    """And no others."""
    api.delete(with_query(widgets.path(), fieldSelector="spec.colour=red")).ok()

    assert names(api.get(widgets.path()).ok()) == ["b", "c"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".spec.list", "must point to a field of type string, boolean or integer"),
        (".spec.none", "is an invalid path"),
        (".metadata.name", "does not refer to a valid field"),
        ("spec.colour", "is an invalid path"),
    ],
)
def test_a_field_that_cannot_be_selected_is_refused(api: Wire, path: str, said: str) -> None:
    """With the CRD, not with the first list."""
    body = crd(version(schema=SPEC, selectableFields=[{"jsonPath": path}]))

    causes = api.post(CRDS, body).causes()

    assert any("selectableFields[0].jsonPath" in field for _, field, _ in causes), causes
    assert any(said in message for *_, message in causes), causes
