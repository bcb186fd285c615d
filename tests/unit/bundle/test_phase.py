"""The status of a ClusterServiceVersion."""

from datetime import UTC, datetime

from kubewright.apiserver.customresource import definition
from kubewright.bundle.phase import Phase, csv_definition, status_with

INSTALLING = Phase("Installing", "InstallSucceeded", "waiting")
DONE = Phase("Succeeded", "InstallSucceeded", "done")


def time(hour: int) -> datetime:
    """Return an hour of a day."""
    return datetime(2026, 1, 1, hour, tzinfo=UTC)


def test_phases_are_kept_in_order() -> None:
    """Whoever looks later sees how it went."""
    first = status_with(INSTALLING, None, time(1))
    second = status_with(DONE, first, time(2))
    third = status_with(DONE, second, time(3))

    assert (second["phase"], second["message"]) == ("Succeeded", "done")
    assert [each["phase"] for each in third["conditions"]] == ["Installing", "Succeeded"]
    assert third["lastTransitionTime"] == "2026-01-01T02:00:00Z"
    assert third["lastUpdateTime"] == "2026-01-01T03:00:00Z"


def test_servers_take_the_crd() -> None:
    """It stands in for that of OLM."""
    crd = csv_definition()
    definition.default(crd)

    assert [one for one in definition.validate(crd) if not one.path.startswith("status")] == []
