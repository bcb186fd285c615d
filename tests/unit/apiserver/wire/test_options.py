"""Parameters of requests."""

from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.options import (
    DeleteOptions,
    ListOptions,
    WriteOptions,
    delete_options,
    list_options,
    parse_int,
    write_options,
)


def test_without_parameters_everything_is_as_usual() -> None:
    """Most requests have none."""
    assert write_options({}, "CreateOptions") == WriteOptions()
    assert list_options({}, watch=True) == ListOptions()
    assert delete_options({}, None) == DeleteOptions()


def test_parameters_of_a_write_are_read() -> None:
    """All of them at once."""
    query = {"dryRun": "All", "fieldManager": "mé", "fieldValidation": "Strict", "force": "true"}

    assert write_options(query, "PatchOptions") == WriteOptions(True, "mé", "Strict", True)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"dryRun": "x"}, 'dryRun: Unsupported value: ["x"]: supported values: "All"'),
        ({"dryRun": ""}, "dryRun: Unsupported value"),
        ({"fieldManager": "x" * 129}, "fieldManager: Too long: may not be more than 128 bytes"),
        ({"fieldManager": "a\x00"}, "should not contain any non-printable rune"),
        ({"fieldValidation": "x"}, 'supported values: "", "Ignore", "Strict", "Warn"'),
    ],
)
def test_a_wrong_parameter_of_a_write_is_invalid(query: dict[str, str], text: str) -> None:
    """It names the kind of options."""
    with pytest.raises(StatusError) as refusal:
        write_options(query, "CreateOptions")

    assert (refusal.value.code, text in refusal.value.message) == (422, True)
    assert refusal.value.details["kind"] == "CreateOptions"


@pytest.mark.parametrize(
    ("body", "query", "want"),
    [
        (None, {"gracePeriodSeconds": "5"}, {"grace": 5}),
        ({"gracePeriodSeconds": 1}, {"gracePeriodSeconds": "5"}, {"grace": 1}),
        (None, {"propagationPolicy": "Orphan"}, {"propagation": "Orphan"}),
        (None, {"orphanDependents": "true"}, {"propagation": "Orphan"}),
        ({"orphanDependents": False}, {}, {"propagation": "Background"}),
        (None, {"dryRun": "All"}, {"dry_run": True}),
        ({"preconditions": {"uid": "u"}}, {}, {"uid": "u", "resource_version": None}),
    ],
)
def test_a_deletion_is_told_by_its_body_or_its_url(
    body: Any, query: dict[str, str], want: dict[str, Any]
) -> None:
    """The body wins."""
    found = delete_options(query, body)

    assert {name: getattr(found, name) for name in want} == want


@pytest.mark.parametrize(
    ("query", "watch", "want"),
    [
        ({"limit": "-3"}, False, {"limit": 0}),
        ({"limit": ""}, False, {"limit": 0}),
        ({"timeoutSeconds": "9"}, True, {"timeout": 9}),
        ({"allowWatchBookmarks": "true"}, True, {"bookmarks": True}),
        (
            {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan"},
            True,
            {"initial_events": False},
        ),
    ],
)
def test_parameters_of_lists_and_watches_are_read(
    query: dict[str, str], watch: bool, want: dict[str, Any]
) -> None:
    """A limit below nothing is no limit."""
    found = list_options(query, watch=watch)

    assert {name: getattr(found, name) for name in want} == want


@pytest.mark.parametrize("text", ["", "x", "1.5", "1_0", " 1", "٣", "9" * 30, "9" * 5000])
def test_a_number_is_read_as_go_reads_it(text: str) -> None:
    """What Python would take besides is refused."""
    with pytest.raises(StatusError, match=r"strconv\.ParseInt"):
        parse_int({"limit": text}, "limit")
