from tests.unit.apiserver.table.rows import row


def test_an_event_shows_when_what_happened_to_whom() -> None:
    """Old events have a source and a count."""
    content = {
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
        "source": {"component": "kubelet", "host": "n"},
        "firstTimestamp": "2026-01-01T10:00:00Z",
        "lastTimestamp": "2026-01-01T11:59:00Z",
        "count": 4,
        "type": "Normal",
        "reason": "Pulled",
        "message": " hello ",
    }

    assert row("", "events", content) == {
        "Last Seen": "60s",
        "Type": "Normal",
        "Reason": "Pulled",
        "Object": "pod/p",
        "Subobject": "spec",
        "Source": "kubelet, n",
        "Message": "hello",
        "First Seen": "120m",
        "Count": 4,
        "Name": "x",
    }


def test_an_event_of_the_new_group_has_a_series() -> None:
    """New events have a series and a reporter instead of counts and a source."""
    content = {
        "eventTime": "2026-01-01T11:00:00.000000Z",
        "series": {"count": 7, "lastObservedTime": "2026-01-01T11:59:30.000000Z"},
        "reportingComponent": "a",
        "lastTimestamp": None,
    }

    found = row("", "events", content)

    assert (found["Last Seen"], found["First Seen"], found["Count"]) == ("30s", "60m", 7)
    assert found["Source"] == "a"
    single = row("", "events")
    assert (single["Last Seen"], single["Count"]) == ("<unknown>", 1)
