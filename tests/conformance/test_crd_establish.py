"""From a CRD to an API: names, conditions, discovery, and the way back."""

from typing import Any

import pytest

from tests.conformance.crds import (
    CRDS,
    Installer,
    conditions,
    crd,
    version,
    wait_for_condition,
    wait_for_status,
)
from tests.conformance.wire import Wire

pytestmark = pytest.mark.crd


def test_it_is_accepted_established_and_served(api: Wire, install: Installer) -> None:
    """Conditions say so, and the names are in the status."""
    widgets = install()

    found = wait_for_condition(api, widgets.name, "Established")

    assert conditions(found) == {"NamesAccepted": "True", "Established": "True"}
    reasons = {one["type"]: one["reason"] for one in found["status"]["conditions"]}
    assert reasons == {"NamesAccepted": "NoConflicts", "Established": "InitialNamesAccepted"}
    assert found["status"]["acceptedNames"] == {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "listKind": "WidgetList",
    }
    assert found["status"]["storedVersions"] == ["v1"]


def test_names_are_filled_in(install: Installer) -> None:
    """Singular and list kind follow from the kind."""
    body = crd()
    body["spec"]["names"] = {"plural": "widgets", "kind": "Widget"}

    made = install.create(body).ok(201)

    assert made["spec"]["names"]["singular"] == "widget"
    assert made["spec"]["names"]["listKind"] == "WidgetList"
    assert made["spec"]["conversion"] == {"strategy": "None"}


def test_discovery_shows_it(api: Wire, install: Installer) -> None:
    """Group, version, resource, verbs, short names and categories."""
    names = {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "shortNames": ["wd"],
        "categories": ["all"],
    }
    widgets = install(version(subresources={"status": {}}), names=names)

    group = wait_for_status(api, f"/apis/{widgets.group}", 200).ok()
    listed = wait_for_status(api, f"/apis/{widgets.group}/v1", 200).ok()
    groups = {one["name"] for one in api.get("/apis").ok()["groups"]}

    assert group["preferredVersion"] == {"groupVersion": f"{widgets.group}/v1", "version": "v1"}
    assert widgets.group in groups
    main, status = listed["resources"]
    verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
    assert (main["name"], main["kind"], main["namespaced"]) == ("widgets", "Widget", True)
    assert (main["singularName"], main["shortNames"]) == ("widget", ["wd"])
    assert main["categories"] == ["all"]
    assert sorted(main["verbs"]) == verbs
    assert main["storageVersionHash"]
    assert (status["name"], sorted(status["verbs"])) == (
        "widgets/status",
        ["get", "patch", "update"],
    )


def test_a_cluster_scoped_kind_has_no_namespace(api: Wire, install: Installer) -> None:
    """Its objects live beside the namespaces."""
    widgets = install(scope="Cluster")

    made = widgets.create("a").ok(201)

    assert "namespace" not in made["metadata"]
    assert api.get(f"/apis/{widgets.group}/v1/namespaces/default/widgets").status == 404


def test_what_is_not_served_is_not_there(api: Wire, install: Installer) -> None:
    """The plain 404 of a path that nobody answers."""
    widgets = install(version("v1"), version("v2", served=False, storage=False))

    reply = api.get(widgets.path(version="v2"))

    assert reply.status == 404
    assert reply.body in (b"404 page not found\n", b"404 page not found")


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"kind": "Gadget", "singular": "widgets"}, "SingularConflict"),
        ({"kind": "Gadget", "shortNames": ["wd"]}, "ShortNamesConflict"),
        ({"kind": "Widget"}, "ListKindConflict"),
    ],
)
def test_a_name_that_is_taken_is_not_accepted(
    api: Wire, install: Installer, names: dict[str, Any], reason: str
) -> None:
    """The first keeps it; the second is stored and not served, and says why."""
    first = install(names={"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]})
    body = crd(names={"plural": "gadgets", **names}, group=first.group)
    body["metadata"]["name"] = f"gadgets.{first.group}"

    install.create(body).ok(201)
    found = wait_for_condition(api, body["metadata"]["name"], "NamesAccepted", "False")

    [refused] = [one for one in found["status"]["conditions"] if one["type"] == "NamesAccepted"]
    assert refused["reason"] == reason
    assert "is already in use" in refused["message"]
    assert conditions(found)["Established"] == "False"
    assert api.get(f"/apis/{first.group}/v1/gadgets").status == 404


def test_deleting_it_deletes_the_objects_and_the_api(api: Wire, install: Installer) -> None:
    """First all objects, then the definition."""
    widgets = install()
    widgets.create("a").ok(201)

    deleted = api.delete(f"{CRDS}/{widgets.name}").ok(200)
    wait_for_status(api, f"{CRDS}/{widgets.name}", 404)
    wait_for_status(api, widgets.path(), 404)
    again = install.install(
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        | {"metadata": {"name": widgets.name}, "spec": deleted["spec"]}
    )

    assert deleted["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert api.get(again.path()).ok()["items"] == []


def test_while_it_is_deleted_nothing_is_created(api: Wire, install: Installer) -> None:
    """An object with a finalizer holds the definition."""
    widgets = install()
    widgets.create("a", metadata={"finalizers": ["example.com/a"]}).ok(201)
    api.delete(f"{CRDS}/{widgets.name}").ok(200)
    found = wait_for_condition(api, widgets.name, "Terminating")

    # The handlers of the real server hear of it a moment after the status says so.
    while (reply := widgets.create("b")).status == 201:
        api.delete(widgets.path("b")).ok()

    assert reply.status in (403, 404, 405), reply.text
    assert conditions(found)["Terminating"] == "True"
    assert api.get(widgets.path("a")).ok()["metadata"]["finalizers"] == ["example.com/a"]
    api.patch(widgets.path("a"), {"metadata": {"finalizers": None}}).ok()
    wait_for_status(api, f"{CRDS}/{widgets.name}", 404)


def test_a_change_is_served_a_moment_later(api: Wire, install: Installer) -> None:
    """A new version in the definition is a new version of the API."""
    widgets = install()
    found = widgets.definition()
    found["spec"]["versions"].append(version("v2", storage=False))

    updated = api.put(f"{CRDS}/{widgets.name}", found).ok()
    wait_for_status(api, widgets.path(version="v2"), 200)

    assert updated["metadata"]["generation"] == 2


def test_the_generation_counts_the_spec(api: Wire, install: Installer) -> None:
    """The status is a subresource."""
    widgets = install()
    found = widgets.definition()
    found["status"]["storedVersions"] = ["v1", "v0"]

    api.put(f"{CRDS}/{widgets.name}", found).ok()

    after = widgets.definition()
    assert after["metadata"]["generation"] == 1
    assert after["status"]["storedVersions"] == ["v1"]


def test_an_object_has_kind_and_version_of_its_definition(api: Wire, install: Installer) -> None:
    """Others are refused by name."""
    widgets = install.shared()
    wrong = widgets.body("a") | {"kind": "Gadget"}
    older = widgets.body("a") | {"apiVersion": f"{widgets.group}/v0"}

    another_kind = api.post(widgets.path(), wrong).causes()
    another_version = api.post(widgets.path(), older).refused(400, "BadRequest")

    message = 'Invalid value: "Gadget": must be Widget'
    assert another_kind == [("FieldValueInvalid", "kind", message)]
    assert another_version["message"] == (
        f"the API version in the data ({widgets.group}/v0) does not match the expected API version"
        f" ({widgets.group}/v1)"
    )
