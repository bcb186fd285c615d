from tests.unit.apiserver.table.rows import row

POD = {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}}
SELECTOR = {
    "matchLabels": {"a": "b"},
    "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["y", "x"]}],
}


def test_a_deployment_counts_its_pods() -> None:
    """READY shows the ready and the wanted pods."""
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
    """A broken selector is said to be so."""
    broken = {"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "X"}]}}}

    assert row("apps", "replicasets", {"spec": {"selector": SELECTOR}})["Selector"].startswith(
        "a=b"
    )
    assert row("apps", "replicasets")["Selector"] == "<none>"
    assert row("apps", "replicasets", broken)["Selector"] == "<error>"
    assert row("apps", "deployments", broken)["Selector"] == "<invalid>"
    assert row("apps", "deployments")["Selector"] == ""


def test_a_daemon_set_shows_its_nodes() -> None:
    """The labels of the node selector are sorted."""
    spec = {"template": {"spec": {"nodeSelector": {"z": "1", "a": "2"}}}}
    content = {"spec": spec, "status": {"desiredNumberScheduled": 3, "numberReady": 1}}

    found = row("apps", "daemonsets", content)

    assert (found["Desired"], found["Current"], found["Ready"]) == (3, 0, 1)
    assert found["Node Selector"] == "a=2,z=1"


def test_a_stateful_set_has_no_selector_column() -> None:
    """Kubernetes has none for this kind, unlike for other workloads."""
    found = row("apps", "statefulsets", {"spec": {"replicas": 2, "template": POD}})

    assert list(found) == ["Name", "Ready", "Age", "Containers", "Images"]
    assert found["Ready"] == "0/2"


def test_a_revision_shows_whose_it_is() -> None:
    """``kubectl rollout history`` counts them by owner."""
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "s", "controller": True}

    revision = row("apps", "controllerrevisions", {"revision": 3}, ownerReferences=[owner])

    assert (revision["Controller"], revision["Revision"]) == ("statefulset.apps/s", 3)
