"""What is written down while a run is under way."""

import logging

import pytest

from kubewright import _json
from kubewright.api import ObjectKey
from kubewright.api.kind import RESTMapping
from kubewright.api.requests import Place, Request, WriteOptions, create, delete, get, patch, update
from kubewright.runs import RunFailure
from kubewright.runs.notes import MOST_BYTES, MOST_CALLS, MOST_LINES, Notes
from tests.unit.runs.noted import NOON, notes

SHOPS = Place(RESTMapping("example.com", "v1", "Shop", "shops"), "default", "corner")
DRY = WriteOptions(dry_run=True)
PLAIN = WriteOptions()


def answered(
    made: Notes,
    request: Request,
    body: bytes = b"{}",
    *,
    before: bytes | None = None,
    status: int = 200,
    server: int = 1,
) -> None:
    """Note *request* as answered with *body*."""
    made.hear_answer(request, took=0.1, status=status, body=body, before=before, server=server)


def shop(size: int) -> bytes:
    """Return a shop as the server sends it."""
    return _json.encode({"metadata": {"name": "corner"}, "spec": {"size": size}})


def test_a_record_has_all_that_was_noted() -> None:
    """It is what pages, tests and traces are made from."""
    made = notes()
    made.hear_line(logging.WARNING, "low on tea", {"liters": 1, "reconcile_id": "a1-1"})
    answered(made, get(SHOPS), shop(1))
    made.end_call()
    made.fail(RunFailure("ValueError", "no water"))

    record = made.record

    assert record is made.record
    assert (record.id, record.controller, record.kind) == ("a1-1", "shop", "Shop")
    assert record.key == ObjectKey("default", "corner")
    assert (record.began, record.waited, record.took) == (NOON, 0.25, 0.5)
    assert [str(line) for line in record.logs] == ["low on tea liters=1"]
    assert (record.logs[0].level, record.logs[0].at) == ("warning", 0.5)
    assert [str(call) for call in record.calls] == ["get shops.example.com default/corner 200"]
    assert record.calls[0].at == pytest.approx(0.4)
    assert record.calls[0].received == len(shop(1))
    assert record.failure is not None


def test_a_write_is_compared_with_what_the_run_saw_last() -> None:
    """A read of the run, or its own write before; the cache knows neither yet."""
    made = notes()
    answered(made, get(SHOPS), shop(1))
    answered(made, update(SHOPS, shop(2), PLAIN), shop(2), before=shop(0))
    answered(made, update(SHOPS, shop(3), PLAIN), shop(3), before=shop(0))
    made.end_call()

    changes = [str(one) for call in made.record.writes for one in call.changes]

    assert changes == ["spec.size 1 -> 2", "spec.size 2 -> 3"]


def test_otherwise_a_write_is_compared_with_what_the_cache_had() -> None:
    """Most operators read nothing but their cache."""
    made = notes()
    answered(made, update(SHOPS, shop(2), PLAIN), shop(2), before=shop(0))

    assert [str(one) for one in made.record.calls[0].changes] == ["spec.size 0 -> 2"]


def test_a_write_to_a_part_is_not_compared_with_the_whole() -> None:
    """A scale, or a token, has nothing in common with the object that it belongs to."""
    made = notes()
    scale = Place(SHOPS.mapping, "default", "corner", "scale")
    token = Place(SHOPS.mapping, "default", "corner", "token")
    asked = b'{"spec": {"replicas": 4}}'
    answered(made, get(SHOPS), shop(1))
    answered(made, patch(scale, asked, PLAIN, patch_type="merge"), b'{"spec": {}}', before=shop(1))
    answered(made, create(token, b'{"spec": {}}', PLAIN), b'{"status": {"token": "x"}}', status=201)

    scaled, got = made.record.writes

    assert [str(one) for one in scaled.changes] == ["spec.replicas None -> 4"]
    assert not scaled.is_compared
    assert b"token" not in got._after  # nobody needs it, so nobody keeps it


def test_a_write_is_not_compared_with_an_object_of_another_server_or_version() -> None:
    """Whoever copies from one cluster to another reads and writes the same name."""
    made = notes()
    older = Place(RESTMapping("example.com", "v1beta1", "Shop", "shops"), "default", "corner")
    answered(made, get(SHOPS), shop(1), server=2)
    answered(made, get(older), shop(2))
    answered(made, update(SHOPS, shop(9), PLAIN), shop(9), before=shop(0))

    assert [str(one) for one in made.record.writes[0].changes] == ["spec.size 0 -> 9"]


def test_the_name_of_a_new_object_is_that_of_the_answer() -> None:
    """The address of a create does not have it."""
    made = notes()
    answered(made, create(Place(SHOPS.mapping, "default"), b"{}", PLAIN), shop(1))
    answered(made, create(Place(SHOPS.mapping, "default"), b"{}", PLAIN), b"nonsense")

    assert [call.name for call in made.record.calls] == ["corner", ""]


def test_dry_runs_deletions_and_failures_change_nothing() -> None:
    """They are noted, each with what became of it."""
    made = notes()
    answered(made, update(SHOPS, shop(2), DRY), shop(2), before=shop(1))
    answered(made, delete(SHOPS), shop(1))
    answered(made, delete(SHOPS, b'{"dryRun": ["All"]}'), shop(1))
    made.hear_failure(update(SHOPS, shop(2), PLAIN), took=0.1, status=409, error="too late")
    made.hear_failure(get(SHOPS), took=0.1, status=0, error="")

    calls = made.record.calls

    assert [call.changes for call in calls] == [(), (), (), (), ()]
    assert [call.dry_run for call in calls] == [True, False, True, False, False]
    assert (calls[3].status, calls[3].error) == (409, "too late")
    assert str(calls[4]).endswith("no answer")


def test_what_a_run_left_behind_is_not_noted() -> None:
    """A task that it started may go on for hours; the record is made by then."""
    made = notes()
    made.end_call()
    made.hear_line(logging.INFO, "late", {})
    answered(made, get(SHOPS))
    made.hear_failure(get(SHOPS), took=0.1, status=0, error="late")

    assert (made.record.calls, made.record.logs) == ((), ())


def test_a_run_that_does_too_much_is_cut_and_says_so() -> None:
    """A loop over ten thousand objects must not take the place of all other records."""
    made, large = notes(), notes()
    for _ in range(MOST_CALLS + 5):
        answered(made, get(SHOPS))
    for _ in range(MOST_LINES + 7):
        made.hear_line(logging.INFO, "again", {})
    for _ in range(3):
        large.hear_line(logging.INFO, "x" * MOST_BYTES, {})
        answered(large, get(SHOPS))

    assert (len(made.record.calls), made.record.calls_left_out) == (MOST_CALLS, 5)
    assert (len(made.record.logs), made.record.logs_left_out) == (MOST_LINES, 7)
    assert (len(large.record.logs), large.record.logs_left_out) == (1, 2)
    assert (len(large.record.calls), large.record.calls_left_out) == (0, 3)


def test_the_size_counts_what_is_kept() -> None:
    """It is what bounds the memory of all records."""
    made = notes()
    sizes = [made.size]
    made.hear_line(logging.INFO, "x" * 100, {})
    sizes.append(made.size)
    answered(made, update(SHOPS, b"", PLAIN), shop(2), before=shop(1))
    sizes.append(made.size)
    made.fail(RunFailure("ValueError", "no", traceback="x" * 1000))
    sizes.append(made.size)

    assert sizes[1] - sizes[0] > 100
    assert sizes[2] - sizes[1] > len(shop(1)) + len(shop(2))
    assert sizes[3] - sizes[2] > 1000
