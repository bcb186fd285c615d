"""One request of a run, and what it changed."""

from typing import Any

from kubewright import _json
from kubewright.api.kind import RESTMapping
from kubewright.api.requests import Place, Request, WriteOptions, patch, update
from kubewright.runs.call import MOST_CHANGES, APICall

SHOPS = RESTMapping("example.com", "v1", "Shop", "shops")
SECRETS = RESTMapping("", "v1", "Secret", "secrets")


def place(mapping: RESTMapping = SHOPS) -> Place:
    """Return where the object is."""
    return Place(mapping, "high-street", "corner")


def written(
    request: Request, before: dict[str, Any] | None, after: dict[str, Any], *, status: int = 200
) -> APICall:
    """Return the call that wrote."""
    call = APICall.of(request, at=0.5, took=0.006, status=status)
    call.note_write(request, None if before is None else _json.encode(before), _json.encode(after))
    return call


def test_a_call_says_what_it_was() -> None:
    """In the words of people who know kubectl and RBAC."""
    body = _json.encode({"spec": {"size": 2}})
    request = patch(place(), body, WriteOptions(), patch_type="apply")
    call = APICall.of(request, at=0.5, took=0.006, status=409, error="conflict")

    assert str(call) == "apply shops.example.com high-street/corner 409"
    assert (call.verb, call.resource, call.group) == ("apply", "shops", "example.com")
    assert (call.namespace, call.name, call.sent) == ("high-street", "corner", len(body))
    assert (call.error, call.changes, call.is_write) == ("conflict", (), True)


def test_what_a_write_changed_is_compared_when_it_is_asked_for() -> None:
    """To compare takes longer than all the rest; and then the two states are let go."""
    request = update(place(), b"{}", WriteOptions())
    call = written(request, {"spec": {"size": 1}}, {"spec": {"size": 2}})
    before = call.size

    assert [str(one) for one in call.changes] == ["spec.size 1 -> 2"]
    assert call.is_compared
    assert call.size < before
    assert call.changes is call.changes


def test_an_object_that_was_created_is_new_as_a_whole() -> None:
    """Also by an apply, which the server answers with 201 then."""
    request = patch(place(), b"{}", WriteOptions(), patch_type="apply")
    call = written(request, None, {"spec": {"size": 2}}, status=201)

    assert [str(one) for one in call.changes] == ["spec.size None -> 2"]
    assert call.is_compared


def test_without_the_state_before_it_is_what_was_asked_for() -> None:
    """Nobody here had read the object: the patch still tells what it was to be."""
    body = _json.encode({"metadata": {"name": "corner"}, "spec": {"size": 2}})
    request = patch(place(), body, WriteOptions(), patch_type="merge")
    call = written(request, None, {"spec": {"size": 2, "other": 3}})

    assert [str(one) for one in call.changes] == ["spec.size None -> 2"]
    assert not call.is_compared


def test_a_json_patch_to_an_unknown_object_tells_nothing() -> None:
    """It is a list of steps; what they came to cannot be known."""
    request = patch(place(), b"[]", WriteOptions(), patch_type="json")

    assert written(request, None, {"spec": {}}).changes == ()


def test_the_data_of_a_secret_is_not_even_kept() -> None:
    """What is in memory can be dumped."""
    body = b'{"stringData": {"password": "canary"}}'
    request = patch(place(SECRETS), body, WriteOptions(), patch_type="merge")
    for before in (None, {"data": {"password": "b2xk"}}):
        call = written(request, before, {"data": {"password": "Y2FuYXJ5"}})

        kept = str([getattr(call, name) for name in APICall.__struct_fields__])

        assert "canary" not in kept
        assert "Y2FuYXJ5" not in kept
        assert len(call.changes) == 1


def test_at_most_so_many_changes_are_told_and_nonsense_is_none() -> None:
    """A huge object must not make a huge record; an answer that is no object tells none."""
    request = update(place(), b"{}", WriteOptions())
    many = {"data": {str(number): number for number in range(500)}}
    call = APICall.of(request, at=0, took=0, status=200)
    call.note_write(request, b"[1]", b"not JSON")

    assert len(written(request, {}, many).changes) == MOST_CHANGES
    assert call.changes == ()


def test_the_size_counts_the_changes_of_a_secret() -> None:
    """They are all that is kept of it, and a Secret may have thousands of keys."""
    request = update(place(SECRETS), b"{}", WriteOptions())
    few = written(request, {}, {"data": {"a": "YQ=="}})
    many = written(request, {}, {"data": {str(number): "YQ==" for number in range(500)}})

    assert many.size > few.size + 100 * (MOST_CHANGES - 1)
