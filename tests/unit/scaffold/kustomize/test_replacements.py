"""Values that are copied from one object to others."""

from typing import Any

import msgspec
import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Replacement
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.replacements import replace
from kubewright.scaffold.kustomize.resource import resources

SOME = """\
kind: A
metadata: {name: a}
spec: {number: 8080, host: "one.two.three", all: {x: y}}
---
kind: B
metadata: {name: b, labels: {app: b}}
spec: {text: old, number: 1, dotted: a.b}
"""


def replaced(source: dict[str, Any], **target: Any) -> Any:
    """Return the spec of B after a replacement."""
    found = Collection(resources(SOME, place=""))
    said = {"source": source, "targets": [{"select": {"kind": "B"}, **target}]}
    replace(found, msgspec.convert(said, Replacement))
    return list(found)[1].finished()["spec"]


def test_a_single_value_takes_the_type_of_its_target() -> None:
    """A port becomes a text in an argument."""
    source = {"kind": "A", "fieldPath": "spec.number"}

    found = replaced(source, fieldPaths=["spec.text", "spec.number"])

    assert (found["text"], found["number"]) == ("8080", 8080)


def test_parts_of_texts_are_copied_into_parts_of_texts() -> None:
    """The name of a service is a part of its host name."""
    source = {"kind": "A", "fieldPath": "spec.host", "options": {"delimiter": ".", "index": 1}}

    def dotted(index: int) -> Any:
        options = {"delimiter": ".", "index": index}
        return replaced(source, fieldPaths=["spec.dotted"], options=options)["dotted"]

    assert [dotted(at) for at in (0, 1, 5, -1)] == ["two.b", "a.two", "a.b.two", "two.a.b"]


def test_mappings_are_copied_whole_and_apart() -> None:
    """What is done to the copy later is not done to the original."""
    source = {"kind": "A", "fieldPath": "spec.all"}

    assert replaced(source, fieldPaths=["spec.new"], options={"create": True})["new"] == {"x": "y"}


def test_rejected_objects_are_left_alone() -> None:
    """By name, or by label."""
    source = {"kind": "A"}

    for reject in ({"name": "b"}, {"labelSelector": "app=b"}):
        assert replaced(source, fieldPaths=["spec.text"], reject=[reject])["text"] == "old"
    assert replaced(source, fieldPaths=["spec.text"], reject=[{"name": "c"}])["text"] == "a"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"targets": []}, "source is missing"),
        ({"source": {"kind": "A"}}, "targets are missing"),
        ({"source": {"kind": "C"}, "targets": []}, "source: there is no C"),
        (
            {"source": {}, "targets": []},
            "source: it means each of these: A a, B b; say more about it",
        ),
        (
            {"source": {"kind": "A", "fieldPath": "spec.none"}, "targets": []},
            "source: A a has no spec.none",
        ),
        (
            {"source": {"kind": "A", "fieldPath": "spec.0"}, "targets": []},
            "source: A a: spec.0: 0 means an element of a list, and there is a mapping",
        ),
        (
            {
                "source": {
                    "kind": "A",
                    "fieldPath": "spec.host",
                    "options": {"delimiter": "/", "index": 1},
                },
                "targets": [],
            },
            "source: 'one.two.three' has no part 1",
        ),
        ({"source": {"kind": "A"}, "targets": [{}]}, "targets[0]: select is missing"),
        (
            {
                "source": {"kind": "A"},
                "targets": [{"select": {"kind": "B"}, "fieldPaths": ["spec.none"]}],
            },
            (
                "targets[0]: B b: spec.none: there is no such field; create it with"
                " `options: {create: true}`"
            ),
        ),
        (
            {
                "source": {"kind": "A"},
                "targets": [
                    {"select": {"kind": "B"}, "fieldPaths": ["spec"], "options": {"delimiter": "."}}
                ],
            },
            "targets[0]: B b: spec: a delimiter divides texts only",
        ),
    ],
)
def test_what_is_wrong_with_a_replacement_is_said(said: dict[str, Any], why: str) -> None:
    """Silence would deploy a placeholder."""
    found = Collection(resources(SOME, place=""))

    with pytest.raises(ProblemError) as caught:
        replace(found, msgspec.convert(said, Replacement))

    assert str(caught.value) == why
