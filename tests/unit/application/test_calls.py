"""Calls in the words of RBAC."""

import pytest

from kubewright.application.calls import (
    Call,
    Trace,
    calls_for,
    decode_calls,
    encode_calls,
    merged_calls,
)
from kubewright.errors import ConfigError

POD = Call("get", "", "pods", "shop", "web")


def test_the_name_of_what_is_created_is_not_in_the_question() -> None:
    """It is in the body, so a rule with names never allows it."""
    assert list(calls_for("create", "", "pods", namespace="a", name="b")) == [
        Call("create", "", "pods", "a")
    ]
    assert list(calls_for("create", "", "pods/eviction", namespace="a", name="b")) == [
        Call("create", "", "pods/eviction", "a", "b")
    ]


@pytest.mark.parametrize("verb", ["patch", "update"])
def test_a_write_that_created_the_object_needed_the_right_to_create(verb: str) -> None:
    """An apply of a new object is refused without it."""
    found = list(calls_for(verb, "apps", "deployments", namespace="a", name="b", code=201))

    assert found == [
        Call(verb, "apps", "deployments", "a", "b"),
        Call("create", "apps", "deployments", "a"),
    ]
    assert len(list(calls_for(verb, "apps", "deployments", name="b", code=200))) == 1


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("fieldSelector=metadata.name%3Da", "a"),
        ("watch=true&fieldSelector=spec.x%3Dy,metadata.name%3D%3Da", "a"),
        ("fieldSelector=metadata.namespace%3Da", ""),
        ("fieldSelector=metadata.name%21%3Da", ""),
        ("", ""),
    ],
)
def test_a_list_of_one_name_is_about_that_object(query: str, name: str) -> None:
    """A rule with names allows it then."""
    [call] = calls_for("list", "", "pods", namespace="shop", query=query)

    assert call.name == name


def test_calls_of_several_processes_are_added() -> None:
    """Tests may run in parallel."""
    first, second = {POD: Trace(2, "t1", "a.py:1")}, {POD: Trace(3, "t2", "b.py:2")}

    assert merged_calls([first, second]) == {POD: Trace(5, "t1", "a.py:1")}
    assert first[POD].count == 2


def test_a_file_of_calls_is_read_as_it_was_written() -> None:
    """One process writes it, and another reads it."""
    calls = {POD: Trace(2, "t", "a.py:1"), Call("get", url="/metrics"): Trace(1)}

    assert decode_calls(encode_calls(calls), place="x") == calls


def test_another_file_is_refused_by_its_name() -> None:
    """Somebody may have written into the folder."""
    with pytest.raises(ConfigError, match=r"a\.json is not a record of calls"):
        decode_calls(b"{}", place="a.json")
