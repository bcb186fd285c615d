"""OpenAPI over the wire: kept, tagged, and made anew when something changes."""

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CRDS, MERGE, ask, define, definition

V2, V3 = "/openapi/v2", "/openapi/v3"


async def test_the_index_names_a_document_for_each_version(server: APIServer) -> None:
    """The URL changes with the document, so that clients can cache it forever."""
    await define(server)

    index = (await ask(server, "GET", V3)).obj["paths"]
    schema = {"type": "object", "description": "new"}
    version = definition(schema)["spec"]["versions"][0]
    change = {"spec": {"versions": [version]}}
    await ask(server, "PATCH", f"{CRDS}/foos.example.com", change, media=MERGE)
    after = (await ask(server, "GET", V3)).obj["paths"]

    assert {"api/v1", "apis/apps/v1", "apis/example.com/v1"} <= set(index)
    changed = {name for name in index if index[name] != after[name]}
    assert changed == {"apis/example.com/v1"}
    path = after["apis/example.com/v1"]["serverRelativeURL"]
    assert b'"description":"new"' in (await ask(server, "GET", path)).body


@pytest.mark.parametrize("path", [V2, f"{V3}/apis/apps/v1"])
async def test_a_document_that_is_known_is_not_sent_again(server: APIServer, path: str) -> None:
    """Its tag says so, and changes with the definitions."""
    first = await ask(server, "GET", path)
    tag = dict(first.headers)["Etag"]

    again = await ask(server, "GET", path, if_none_match=tag)

    assert (first.status, again.status, again.body) == (200, 304, b"")
    await define(server)
    other = await ask(server, "GET", path, if_none_match=tag)
    assert other.status == (200 if path == V2 else 304)


@pytest.mark.parametrize("path", ["/openapi", "/openapi/v4", f"{V3}/x", f"{V3}/apis/none/v1"])
async def test_other_documents_are_not_there(server: APIServer, path: str) -> None:
    """Neither is one in a format that we do not write."""
    assert (await ask(server, "GET", path)).status == 404
    assert (await ask(server, "GET", V2, accept="text/html")).status == 406
