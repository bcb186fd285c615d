"""Status and scale of custom resources."""

from typing import Any

import pytest

from tests.conformance.crds import Installed, Installer, object_of, version
from tests.conformance.wire import Wire, with_query

pytestmark = pytest.mark.crd
COUNT = {"type": "integer"}
SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """A kind with both subresources."""
    whole = object_of(
        spec=object_of(replicas=COUNT, other=COUNT),
        status=object_of(replicas=COUNT, selector={"type": "string"}),
    )
    both = version(subresources={"status": {}, "scale": SCALE})
    return install.shared(both | {"schema": {"openAPIV3Schema": whole}})


def test_the_status_is_dropped_on_create(widgets: Installed) -> None:
    """Nobody is born with a status."""
    assert "status" not in widgets.create(spec={}, status={"replicas": 1}).ok(201)


def test_the_main_resource_does_not_write_the_status(api: Wire, widgets: Installed) -> None:
    """Neither replace nor patch."""
    made = widgets.create(spec={"replicas": 1}).ok(201)

    replaced = api.put(widgets.path("a"), made | {"status": {"replicas": 1}}).ok()
    patched = api.patch(widgets.path("a"), {"status": {"replicas": 1}}).ok()

    assert "status" not in replaced
    assert "status" not in patched


def test_the_status_subresource_writes_nothing_else(api: Wire, widgets: Installed) -> None:
    """Not the spec, not the labels; and the generation stays."""
    made = widgets.create(spec={"replicas": 1}).ok(201)
    made["spec"]["replicas"] = 5
    made["metadata"]["labels"] = {"a": "b"}
    made["status"] = {"replicas": 3}

    written = api.put(widgets.path("a/status"), made).ok()

    assert written["status"] == {"replicas": 3}
    assert written["spec"] == {"replicas": 1}
    assert "labels" not in written["metadata"]
    assert written["metadata"]["generation"] == 1


def test_without_the_subresource_the_status_is_a_field(api: Wire, install: Installer) -> None:
    """And every change but of the metadata counts as a generation."""
    whole = object_of(spec=object_of(a=COUNT), status=object_of(a=COUNT))
    widgets = install.shared(version() | {"schema": {"openAPIV3Schema": whole}})

    made = widgets.create(spec={}, status={"a": 1}).ok(201)
    patched = api.patch(widgets.path("a"), {"status": {"a": 2}}).ok()
    labelled = api.patch(widgets.path("a"), {"metadata": {"labels": {"a": "b"}}}).ok()

    assert made["status"] == {"a": 1}
    assert patched["metadata"]["generation"] == 2
    assert labelled["metadata"]["generation"] == 2
    assert api.get(widgets.path("a/status")).status == 404


def test_the_status_is_validated(api: Wire, widgets: Installed) -> None:
    """By the same schema."""
    widgets.create(spec={}).ok(201)

    causes = api.patch(widgets.path("a/status"), {"status": {"replicas": "x"}}).causes()

    # The second comes from the path of the scale, which reads the same field.
    assert [field for _, field, _ in causes] == ["status.replicas", ".status.replicas"]


def test_scale_shows_what_the_paths_name(api: Wire, widgets: Installed) -> None:
    """Kubectl scale and the autoscaler read it."""
    made = widgets.create(spec={"replicas": 2}).ok(201)
    status = {"status": {"replicas": 1, "selector": "app=a"}}
    api.patch(widgets.path("a/status"), status).ok()

    scale = api.get(widgets.path("a/scale")).ok()

    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert scale["spec"] == {"replicas": 2}
    assert scale["status"] == {"replicas": 1, "selector": "app=a"}
    assert scale["metadata"]["uid"] == made["metadata"]["uid"]
    assert scale["metadata"]["name"] == "a"


def test_scale_writes_the_replicas(api: Wire, widgets: Installed) -> None:
    """By replace and by patch; it counts as a change of the spec."""
    widgets.create(spec={"replicas": 2, "other": 7}).ok(201)
    scale = api.get(widgets.path("a/scale")).ok()
    scale["spec"]["replicas"] = 4

    replaced = api.put(widgets.path("a/scale"), scale).ok()
    patched = api.patch(widgets.path("a/scale"), {"spec": {"replicas": 5}}).ok()
    found = api.get(widgets.path("a")).ok()

    assert replaced["spec"]["replicas"] == 4
    assert patched["spec"]["replicas"] == 5
    assert found["spec"] == {"replicas": 5, "other": 7}
    assert found["metadata"]["generation"] == 3


def test_a_negative_scale_is_refused(api: Wire, widgets: Installed) -> None:
    """There are no fewer than none."""
    widgets.create(spec={"replicas": 2}).ok(201)

    [(_, field, message)] = api.patch(widgets.path("a/scale"), {"spec": {"replicas": -1}}).causes()

    assert (field, message) == (
        ".spec.replicas",
        "Invalid value: -1: should be a non-negative integer",
    )


def test_scale_without_replicas_is_an_error(api: Wire, widgets: Installed) -> None:
    """The object does not say how many it wants."""
    widgets.create(spec={}).ok(201)

    status = api.get(widgets.path("a/scale")).refused(500, "InternalError")

    said = 'the spec replicas field ".spec.replicas" does not exist'
    assert status["message"] == f"Internal error occurred: {said}"


@pytest.mark.since("1.22", reason="subresources own their fields apart")
def test_the_status_is_owned_apart(api: Wire, widgets: Installed) -> None:
    """The entry in managedFields names the subresource."""
    widgets.create(spec={"replicas": 2}).ok(201)

    body: Any = widgets.body("a", status={"replicas": 1})
    applied = api.apply(widgets.path("a/status"), body, owner="controller").ok()

    [entry] = [
        one for one in applied["metadata"]["managedFields"] if one["manager"] == "controller"
    ]
    assert entry["subresource"] == "status"
    assert entry["fieldsV1"] == {"f:status": {"f:replicas": {}}}


def test_a_status_of_what_is_not_there(api: Wire, widgets: Installed) -> None:
    """The name is that of the object."""
    status = api.patch(widgets.path("none/status"), {"status": {}}).refused(404, "NotFound")

    assert status["message"] == f'widgets.{widgets.group} "none" not found'


def test_a_stale_status_is_refused(api: Wire, widgets: Installed) -> None:
    """Optimistic concurrency holds for subresources too."""
    made = widgets.create(spec={"replicas": 1}).ok(201)
    api.patch(widgets.path("a"), {"spec": {"replicas": 2}}).ok()

    api.put(widgets.path("a/status"), made | {"status": {"replicas": 1}}).refused(409, "Conflict")


@pytest.mark.since("1.25", reason="older ones take no patch of what is not there")
@pytest.mark.parametrize("replicas", [0, 2])
def test_an_object_without_replicas_can_be_scaled(
    api: Wire, widgets: Installed, replicas: int
) -> None:
    """The field may be optional, and the first to set it is an autoscaler."""
    widgets.create(spec={}).ok(201)

    api.patch(widgets.path("a/scale"), {"spec": {"replicas": replicas}}).ok()

    assert api.get(widgets.path("a")).ok()["spec"]["replicas"] == replicas


def test_scale_can_be_tried(api: Wire, widgets: Installed) -> None:
    """A dry run changes nothing."""
    widgets.create(spec={"replicas": 1}).ok(201)

    path = with_query(widgets.path("a/scale"), dryRun="All")
    tried = api.patch(path, {"spec": {"replicas": 9}}).ok()

    assert tried["spec"]["replicas"] == 9
    assert api.get(widgets.path("a")).ok()["spec"]["replicas"] == 1
