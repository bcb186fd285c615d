"""The work of a load generator: requests in bytes, for so many clients."""

import json
import random
from collections.abc import Iterator
from typing import Any

from bench.apiserver.wire import Target
from bench.pod import pod

MERGE = "application/merge-patch+json"
NAMESPACE = "bench"
_MADE_BY_SERVER = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")


def bodies(count: int) -> Iterator[dict[str, Any]]:
    """Yield pods as a controller creates them and a kubelet reports on them.

    Without their owner: a garbage collector would miss it, and collect them.
    """
    dice = random.Random(7)
    for number in range(count):
        made = pod(number, dice)
        for name in (*_MADE_BY_SERVER, "ownerReferences"):
            made["metadata"].pop(name, None)
        made["metadata"] |= {"name": f"pod-{number:05d}", "namespace": NAMESPACE}
        yield {"apiVersion": "v1", "kind": "Pod", **made}


def requests(target: Target, verb: str, first: int, count: int) -> list[bytes]:
    """Return *count* requests of one kind, about pods from number *first* on."""
    path = f"/api/v1/namespaces/{NAMESPACE}/pods"
    if verb == "get":
        return [target.request("GET", f"{path}/pod-{first + n:05d}") for n in range(count)]
    if verb == "patch":
        return [_patch(target, f"{path}/pod-{first + n:05d}", n) for n in range(count)]
    if verb.startswith("list"):
        query = verb.removeprefix("list")
        return [target.request("GET", f"/api/v1/pods{query}") for _ in range(count)]
    wanted = list(bodies(first + count))[first:]
    if verb == "create":
        return [target.request("POST", path, _body(item, "status")) for item in wanted]
    if verb == "status":
        return [
            target.request("PUT", f"{path}/{item['metadata']['name']}/status", _body(item))
            for item in wanted
        ]
    assert verb == "update", verb
    return [_update(target, path, item) for item in wanted]


def _body(item: dict[str, Any], *without: str) -> bytes:
    kept = {key: value for key, value in item.items() if key not in without}
    return json.dumps(kept, separators=(",", ":")).encode()


def _patch(target: Target, path: str, number: int) -> bytes:
    change = {"metadata": {"annotations": {"bench/patched": str(random.getrandbits(40) + number)}}}
    return target.request("PATCH", path, json.dumps(change).encode(), MERGE)


def _update(target: Target, path: str, item: dict[str, Any]) -> bytes:
    item["metadata"]["annotations"]["bench/updated"] = str(random.getrandbits(40))
    return target.request("PUT", f"{path}/{item['metadata']['name']}", _body(item, "status"))


def namespace(target: Target) -> bytes:
    """Return the request that makes the namespace of all these pods."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    return target.request("POST", "/api/v1/namespaces", json.dumps(body).encode())


def watch(target: Target, version: str) -> bytes:
    """Return the request of a watch from *version* on."""
    path = f"/api/v1/namespaces/{NAMESPACE}/pods?watch=1&resourceVersion={version}"
    return target.request("GET", path)
