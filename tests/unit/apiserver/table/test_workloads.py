from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row

POD = {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}}
SELECTOR = {
    "matchLabels": {"a": "b"},
    "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["y", "x"]}],
}


def test_a_deployment_counts_its_pods() -> None:
    """READY is ready of wanted."""
    content = {
        "spec": {"replicas": 3, "selector": SELECTOR, "template": POD},
        "status": {"readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2},
    }

    assert row("apps", "deployments", content) == {
        "Name": "x",
        "Ready": "2/3",
        "Up-to-date": 1,
        "Available": 2,
        "Age": "5m",
        "Containers": "a,b",
        "Images": "x,y",
        "Selector": "a=b,c notin (x,y)",
    }


def test_selectors_are_shown_as_the_kind_has_them() -> None:
    """A replication controller has plain labels, a broken selector is said to be so."""
    broken = {"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "X"}]}}}

    assert (
        row("", "replicationcontrollers", {"spec": {"selector": {"a": "b"}}})["Selector"] == "a=b"
    )
    assert row("apps", "replicasets", {"spec": {"selector": SELECTOR}})["Selector"].startswith(
        "a=b"
    )
    assert row("apps", "replicasets")["Selector"] == "<none>"
    assert row("apps", "replicasets", broken)["Selector"] == "<error>"
    assert row("apps", "deployments", broken)["Selector"] == "<invalid>"
    assert row("apps", "deployments")["Selector"] == ""


def test_a_daemon_set_shows_its_nodes() -> None:
    """Labels are in order."""
    spec = {"template": {"spec": {"nodeSelector": {"z": "1", "a": "2"}}}}
    content = {"spec": spec, "status": {"desiredNumberScheduled": 3, "numberReady": 1}}

    found = row("apps", "daemonsets", content)

    assert (found["Desired"], found["Current"], found["Ready"]) == (3, 0, 1)
    assert found["Node Selector"] == "a=2,z=1"


def test_a_stateful_set_has_no_selector_column() -> None:
    """Nobody knows why."""
    found = row("apps", "statefulsets", {"spec": {"replicas": 2, "template": POD}})

    assert list(found) == ["Name", "Ready", "Age", "Containers", "Images"]
    assert found["Ready"] == "0/2"


@pytest.mark.parametrize(
    ("content", "status", "completions", "duration"),
    [
        ({}, "Running", "0/1", ""),
        ({"spec": {"parallelism": 3}}, "Running", "0/1 of 3", ""),
        (
            {
                "spec": {"completions": 2},
                "status": {
                    "succeeded": 2,
                    "startTime": "2026-01-01T10:00:00Z",
                    "completionTime": "2026-01-01T10:05:30Z",
                    "conditions": [{"type": "Complete", "status": "True"}],
                },
            },
            "Complete",
            "2/2",
            "5m30s",
        ),
        (
            {"status": {"conditions": [{"type": "Suspended", "status": "True"}]}},
            "Suspended",
            "0/1",
            "",
        ),
    ],
)
def test_a_job_shows_how_far_it_is(
    content: dict[str, Any], status: str, completions: str, duration: str
) -> None:
    """And how long it takes."""
    found = row("batch", "jobs", content)

    assert (found["Status"], found["Completions"]) == (status, completions)
    assert found["Duration"] == duration


def test_a_cron_job_shows_when_it_ran() -> None:
    """Booleans are written with a capital here."""
    spec = {"schedule": "* * * * *", "suspend": False}
    status = {"active": [{}], "lastScheduleTime": "2026-01-01T11:59:00Z"}

    found = row("batch", "cronjobs", {"spec": spec, "status": status})

    assert (found["Timezone"], found["Suspend"], found["Active"]) == ("<none>", "False", 1)
    assert found["Last Schedule"] == "60s"
    assert row("batch", "cronjobs")["Last Schedule"] == "<none>"


def test_other_makers_of_pods() -> None:
    """Budgets, templates and revisions."""
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "s", "controller": True}
    budget = row("policy", "poddisruptionbudgets", {"spec": {"minAvailable": "10%"}})
    template = row("", "podtemplates", {"template": {**POD, "metadata": {"labels": {"a": "b"}}}})
    revision = row("apps", "controllerrevisions", {"revision": 3}, ownerReferences=[owner])

    assert (budget["Min Available"], budget["Max Unavailable"]) == ("10%", "N/A")
    assert template["Pod Labels"] == "a=b"
    assert (revision["Controller"], revision["Revision"]) == ("statefulset.apps/s", 3)
