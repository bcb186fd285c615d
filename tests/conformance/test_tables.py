"""Tables: what kubectl get prints is made by the server."""

import json
from typing import Any

import pytest

from tests.conformance.bodies import config_map, deployment, pod, service
from tests.conformance.crds import Installer, object_of, version
from tests.conformance.wire import Wire

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


def table(api: Wire, path: str, *, status: int = 200) -> Any:
    """Ask as kubectl does."""
    return api.ask("GET", path, headers={"Accept": TABLE}).ok(status)


def columns(found: dict[str, Any], *, wide: bool = False) -> list[str]:
    """Return the names of the columns that kubectl prints."""
    defined = found["columnDefinitions"]
    return [one["name"] for one in defined if wide or one["priority"] == 0]


def test_a_list_is_a_table(api: Wire, configmaps: str) -> None:
    """Rows carry cells and the metadata of their object."""
    made = api.post(configmaps, config_map("a", k="1", m="2")).ok(201)

    found = table(api, configmaps)

    assert (found["kind"], found["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert found["metadata"]["resourceVersion"]
    assert columns(found) == ["Name", "Data", "Age"]
    [row] = found["rows"]
    assert row["cells"][:2] == ["a", 2]
    assert row["object"]["kind"] == "PartialObjectMetadata"
    assert row["object"]["metadata"]["uid"] == made["metadata"]["uid"]


def test_one_object_is_a_table_of_one_row(api: Wire, configmaps: str) -> None:
    """The same columns."""
    api.post(configmaps, config_map("a")).ok(201)

    found = table(api, f"{configmaps}/a")

    assert columns(found) == ["Name", "Data", "Age"]
    assert [row["cells"][0] for row in found["rows"]] == ["a"]


@pytest.mark.parametrize(
    ("plural", "body", "names", "cells"),
    [
        (
            "v1/pods",
            pod("a"),
            ["Name", "Ready", "Status", "Restarts", "Age"],
            {"Name": "a", "Ready": "0/1", "Status": "Pending"},
        ),
        (
            "v1/services",
            service("a"),
            ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age"],
            {"Type": "ClusterIP", "External-IP": "<none>", "Port(s)": "80/TCP"},
        ),
        (
            "apps/v1/deployments",
            deployment("a", replicas=3),
            ["Name", "Ready", "Up-to-date", "Available", "Age"],
            {"Ready": "0/3", "Up-to-date": 0, "Available": 0},
        ),
        (
            "v1/secrets",
            {"data": {"a": ""}},
            ["Name", "Type", "Data", "Age"],
            {"Type": "Opaque", "Data": 1},
        ),
        (
            "apps/v1/replicasets",
            deployment("a", replicas=2),
            ["Name", "Desired", "Current", "Ready", "Age"],
            {"Desired": 2, "Current": 0, "Ready": 0},
        ),
        (
            "apps/v1/daemonsets",
            deployment("a"),
            [
                "Name",
                "Desired",
                "Current",
                "Ready",
                "Up-to-date",
                "Available",
                "Node Selector",
                "Age",
            ],
            {"Desired": 0, "Node Selector": "<none>"},
        ),
        (
            "v1/persistentvolumeclaims",
            {
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}},
                }
            },
            ["Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass"],
            {"Status": "Pending", "Volume": ""},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_built_in_kinds_have_their_columns(  # a row of the table
    api: Wire,
    namespace: str,
    *,
    plural: str,
    body: dict[str, Any],
    names: list[str],
    cells: dict[str, Any],
) -> None:
    """As every user of kubectl knows them."""
    group, resource = plural.rsplit("/", 1)
    base = f"/api/{group}" if group == "v1" else f"/apis/{group}"
    path = f"{base}/namespaces/{namespace}/{resource}"
    content = {key: value for key, value in body.items() if key not in ("kind", "apiVersion")}
    api.post(path, {**content, "metadata": {"name": "a"}}).ok(201)

    found = table(api, path)

    assert columns(found)[: len(names)] == names
    [row] = found["rows"]
    shown = dict(zip(columns(found, wide=True), row["cells"], strict=True))
    assert {name: shown[name] for name in cells} == cells


@pytest.mark.parametrize(("include", "kind"), [("None", None), ("Object", "ConfigMap")])
def test_what_rows_carry_can_be_chosen(
    api: Wire, configmaps: str, include: str, kind: str | None
) -> None:
    """Nothing, the metadata, or the whole object."""
    api.post(configmaps, config_map("a")).ok(201)

    [row] = table(api, f"{configmaps}?includeObject={include}")["rows"]

    assert (row.get("object") or {}).get("kind") == kind


def test_pages_of_tables_go_on(api: Wire, configmaps: str) -> None:
    """The token is in the metadata of the table."""
    for name in ("a", "b", "c"):
        api.post(configmaps, config_map(name)).ok(201)

    first = table(api, f"{configmaps}?limit=2")
    rest = table(api, f"{configmaps}?limit=2&continue={first['metadata']['continue']}")

    assert [row["cells"][0] for row in first["rows"] + rest["rows"]] == ["a", "b", "c"]
    assert first["metadata"]["remainingItemCount"] == 1


@pytest.mark.crd
class TestCustomResources:
    """Columns that a CRD declares."""

    COLUMNS = [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Where", "type": "string", "jsonPath": ".spec.where", "priority": 1},
        {"name": "First", "type": "string", "jsonPath": ".spec.list[0].name"},
        {"name": "Ready", "type": "string", "jsonPath": '.spec.list[?(@.name=="r")].value'},
        {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    ITEM = object_of(name={"type": "string"}, value={"type": "string"})
    SPEC = object_of(
        size={"type": "integer"},
        where={"type": "string"},
        list={"type": "array", "items": ITEM},
    )

    def test_they_are_shown_after_the_name(self, api: Wire, install: Installer) -> None:
        """With type, format, description and priority as declared."""
        widgets = install.shared(version(schema=self.SPEC, additionalPrinterColumns=self.COLUMNS))
        spec = {
            "size": 3,
            "where": "x",
            "list": [{"name": "f", "value": "1"}, {"name": "r", "value": "yes"}],
        }
        widgets.create("full", spec=spec).ok(201)
        widgets.create("thin", spec={}).ok(201)

        found = table(api, widgets.path())

        assert columns(found, wide=True) == ["Name", "Size", "Where", "First", "Ready", "Since"]
        assert columns(found) == ["Name", "Size", "First", "Ready", "Since"]
        full, thin = (row["cells"] for row in found["rows"])
        assert full[:5] == ["full", 3, "x", "f", "yes"]
        assert thin[:5] == ["thin", None, None, None, None]

    def test_without_columns_there_is_the_age(self, api: Wire, install: Installer) -> None:
        """Name and age are what every kind has."""
        widgets = install.shared()
        widgets.create("a").ok(201)

        found = table(api, widgets.path())

        assert columns(found) == ["Name", "Age"]
        [row] = found["rows"]
        assert row["object"]["kind"] == "PartialObjectMetadata"

    def test_a_watch_sends_tables(self, api: Wire, install: Installer) -> None:
        """``kubectl get -w``: the columns come with the first event only."""
        widgets = install.shared()
        for name in ("a", "b"):
            widgets.create(name).ok(201)

        path = f"{widgets.path()}?watch=true&timeoutSeconds=1&resourceVersion=0"
        reply = api.ask("GET", path, headers={"Accept": TABLE})

        events = [json.loads(line) for line in reply.body.splitlines()]
        assert [event["type"] for event in events] == ["ADDED", "ADDED"]
        assert [event["object"]["kind"] for event in events] == ["Table", "Table"]
        assert columns(events[0]["object"]) == ["Name", "Age"]
        assert not events[1]["object"].get("columnDefinitions")
