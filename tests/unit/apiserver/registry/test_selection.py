"""Which objects are asked for."""

from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.selection import Selection, selected_name
from kubewright.apiserver.registry.strategy import Strategy
from kubewright.apiserver.schema.tree import Schema
from kubewright.apiserver.storage import Event, Stored
from kubewright.apiserver.wire.route import parse_query, parse_route

REGISTRY = Registry()
OBJECTS = [
    Stored("n/a", b'{"metadata":{"labels":{"app":"x"}},"spec":{"nodeName":"one"}}', 1),
    Stored("n/b", b'{"metadata":{"labels":{"app":"y"}},"spec":{}}', 2),
    Stored("m/a", b'{"metadata":{},"status":{"phase":"Running"}}', 3),
]


def pods() -> Resource:
    found = REGISTRY.find("", "v1", "pods")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("labels", "fields", "name", "want"),
    [
        ("", "", "", [1, 2, 3]),
        (" ", "", "", [1, 2, 3]),
        ("app", "", "", [1, 2]),
        ("app=x", "", "", [1]),
        ("app notin (x)", "", "", [2, 3]),
        ("!app", "", "", [3]),
        ("", "metadata.name=a", "", [1, 3]),
        ("", "metadata.namespace=n,metadata.name!=a", "", [2]),
        ("", "spec.nodeName=one", "", [1]),
        ("", "status.phase==Running", "", [3]),
        ("app", "metadata.name=a", "", [1]),
        ("", "", "b", [2]),
        ("", "metadata.namespace=n", "a", [1]),
    ],
)
async def test_labels_fields_and_name_must_all_match(
    labels: str, fields: str, name: str, want: list[int]
) -> None:
    """What is not said matches everything."""
    selection = Selection(pods(), labels, fields, name=name)

    assert [stored.revision for stored in await selection.of(OBJECTS)] == want
    assert selection.everything == (len(want) == len(OBJECTS))


@pytest.mark.parametrize(
    ("labels", "fields", "want"),
    [
        ("", "spec.nodeName=one", (False, True)),
        ("app=x", "spec.nodeName=one", (False, True)),
        ("app=y", "spec.nodeName=one", (False, False)),
        ("app", "spec.nodeName!=two", (True, True)),
        ("app=y", "", (True, False)),
        ("", "metadata.name=b", (True, False)),
    ],
)
def test_a_change_may_bring_an_object_into_a_selection(
    labels: str, fields: str, want: tuple[bool, bool]
) -> None:
    """A watcher then hears that it is new, or that it is gone; all watchers share what was read."""
    change = Event("MODIFIED", OBJECTS[0], OBJECTS[1], 0.0)

    assert Selection(pods(), labels, fields).around(change) == want
    assert Selection(pods(), labels, fields).around(change) == want


def test_what_was_deleted_is_asked_for_no_more() -> None:
    """Whatever its last state says."""
    end = Event("DELETED", OBJECTS[0], OBJECTS[0], 0.0)

    assert Selection(pods(), "", "spec.nodeName=one").around(end) == (True, False)


@pytest.mark.parametrize(
    ("labels", "fields"),
    [("a in", ""), ("=", ""), ("a=b=c", ""), ("é", ""), ("", "x"), ("", "a.b=1"), ("", "=1")],
)
def test_a_selector_that_makes_no_sense_is_refused(labels: str, fields: str) -> None:
    """Rather than to give everything."""
    with pytest.raises(StatusError) as refusal:
        Selection(pods(), labels, fields)

    assert refusal.value.code == 400


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("fieldSelector=metadata.name=a", "a"),
        ("fieldSelector=status.phase=x,metadata.name==a", "a"),
        ("fieldSelector=metadata.name!=a", ""),
        ("fieldSelector=metadata.name=a%5C", ""),
        ("", ""),
    ],
)
def test_a_list_of_one_name_is_known_as_such(query: str, name: str) -> None:
    """Access rules may allow just that one."""
    found = parse_query(query)

    assert selected_name(parse_route("GET", "/api/v1/pods", found), found) == name


class Coloured(Strategy):
    """Has a field that only its own version has."""

    field_names = frozenset({"spec.colour"})

    def selectable_fields(self, obj: dict[str, Any]) -> dict[str, str]:
        return {"spec.colour": obj["spec"].get("colour", "")}


async def to_version_two(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**obj, "apiVersion": "x.io/v2", "spec": {"colour": obj["spec"]["color"]}}
        for obj in objects
    ]


async def test_custom_fields_are_judged_in_the_version_that_is_asked() -> None:
    """Not as they are stored: a webhook may have renamed them."""
    resource = Resource(
        group="x.io",
        version="v2",
        plural="things",
        kind="Thing",
        namespaced=True,
        hub="v1",
        schema=Schema,
        make_strategy=Coloured,
        custom=True,
        read=to_version_two,
    )
    stored = [
        Stored(
            f"n/{name}",
            b'{"apiVersion":"x.io/v1","kind":"Thing","metadata":{},"spec":{"color":"%b"}}' % color,
            number,
        )
        for number, (name, color) in enumerate((("a", b"red"), ("b", b"blue")))
    ]
    selection = Selection(resource, "", "spec.colour=red")
    event = Event("MODIFIED", stored[1], stored[0], 0)

    await selection.see(event)

    assert selection.around(event) == (True, False)
    assert await selection.of(stored) == stored[:1]
