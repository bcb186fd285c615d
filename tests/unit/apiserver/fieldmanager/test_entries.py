from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import entries
from kubewright.apiserver.fieldmanager.entries import EntriesError, Entry, owner


def entry(**changes: Any) -> dict[str, Any]:
    found = {
        "manager": "m",
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-01-01T12:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {}},
        **changes,
    }
    return {name: value for name, value in found.items() if value is not None}


def test_entries_are_sorted_as_kubernetes_does() -> None:
    """Appliers first, then by time, manager, version and subresource."""
    listed = [
        entry(operation="Apply", manager="z"),
        entry(time=None, manager="untimed"),
        entry(manager="a"),
        entry(manager="a", apiVersion="v2"),
        entry(manager="a", apiVersion="v2", subresource="status"),
        entry(manager="b"),
        entry(manager="a", time="2026-01-01T12:00:01Z", subresource="scale"),
    ]

    assert entries.written(entries.sent(listed[::-1])) == listed
    assert entries.written(entries.stored(listed[::-1])) == listed


def test_applier_is_one_owner_in_all_versions() -> None:
    """Updaters are told apart by version."""
    assert owner("m", "Apply", "v1", "") == owner("m", "Apply", "v2", "")
    assert owner("m", "Update", "v1", "") != owner("m", "Update", "v2", "")
    assert owner("m", "Apply", "v1", "").text == '{"manager":"m","operation":"Apply"}'


def test_what_clients_send_is_normalised() -> None:
    """Times lose fractions and zones, keys their spaces."""
    sent = entry(time="2026-01-01T14:00:00.5+02:00", fieldsV1={".": {}, 'k:{ "a":1}': {}})

    assert list(entries.sent([sent]).values()) == [
        Entry({'k:{"a":1}': {}}, "v1", "2026-01-01T12:00:00Z")
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (entry(operation="Delete"), "operation must be `Apply` or `Update`"),
        (entry(apiVersion=None), "apiVersion must not be empty"),
        (entry(fieldsType=None), "missing fieldsType in managed fields entry 0"),
        (entry(fieldsType="X"), 'invalid fieldsType "X" in managed fields entry 0'),
        (entry(fieldsV1={"x": {}}), "error decoding set: "),
        (entry(time="noon"), "error decoding set: "),
        ("text", "managed fields entry 0 is not an object"),
    ],
)
def test_nonsense_is_refused(wrong: Any, message: str) -> None:
    """Callers fall back to the stored entries."""
    with pytest.raises(EntriesError, match=message):
        entries.sent([wrong])

    assert entries.validate([wrong]).startswith(message)
    assert entries.validate([entry()]) == ""


@pytest.mark.parametrize(
    ("sent", "reset"), [([], True), ([{}], True), (None, False), ([entry()], False)]
)
def test_empty_list_asks_to_forget(sent: Any, reset: bool) -> None:
    """No list at all is what clients send that know nothing of managed fields."""
    assert entries.is_reset(sent) is reset
