"""The objects that the replay server plays: pods as a server would send them, made from a seed.

A pod is kept as two pieces of JSON, before and after its version, so that every list and every
event can carry a version of its own without encoding the pod again.
"""

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from bench.pod import managed, pod

# Of the list; the events come after it. Every version has seven digits, as protobuf.py needs it.
LIST_VERSION = 2_000_000
_HOLE = '"resourceVersion":"","generation":0'


class PodBytes(NamedTuple):
    """One pod as JSON, with a hole where the version goes."""

    head: bytes
    tail: bytes

    def at(self, version: int, generation: int = 1) -> bytes:
        """Return the pod at *version*, as an item of a list: without kind and apiVersion."""
        hole = b'"resourceVersion":"%d","generation":%d' % (version, generation)
        return b"".join((self.head, hole, self.tail))


def pods(count: int, *, seed: int = 7, small: bool = False) -> Iterator[PodBytes]:
    """Yield *count* pods, the same ones every time; *small* ones are of 1.6 kB."""
    dice = random.Random(seed)
    for number in range(count):
        made = pod(number, dice)
        text = json.dumps(_smaller(made) if small else made, separators=(",", ":"))
        head, tail = text.split(_HOLE)
        yield PodBytes(head.encode(), tail.encode())


def _smaller(made: dict[str, Any]) -> dict[str, Any]:
    """Return a pod with one plain container and hardly a status, so that many fit into memory."""
    del made["metadata"]["managedFields"]
    container = {"name": "main", "image": made["spec"]["containers"][0]["image"]}
    kept = ("restartPolicy", "nodeName", "serviceAccountName", "schedulerName", "tolerations")
    spec = {name: made["spec"][name] for name in kept}
    status = {"phase": made["status"]["phase"], "conditions": made["status"]["conditions"]}
    return made | {"spec": spec | {"containers": [container]}, "status": status}


def event(kind: str, item: bytes) -> bytes:
    """Return *item* of a list as one line of a watch; there it says what it is."""
    return b'{"type":"%s","object":{"kind":"Pod","apiVersion":"v1",%s}\n' % (
        kind.encode(),
        item[1:],
    )


def initial_events_end(version: int) -> bytes:
    """Return the bookmark that ends the first part of a streaming list."""
    return (
        b'{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":'
        b'{"resourceVersion":"%d","creationTimestamp":null,'
        b'"annotations":{"k8s.io/initial-events-end":"true"}},'
        b'"spec":{"containers":null},"status":{}}}\n' % version
    )


def config_map() -> bytes:
    """Return the one ConfigMap that requests are made about."""
    owned: dict[str, Any] = {
        "f:data": {f"f:key{n}": {} for n in range(8)},
        "f:metadata": {"f:labels": {}},
    }
    return json.dumps(
        {
            "kind": "ConfigMap",
            "apiVersion": "v1",
            "metadata": {
                "name": "one",
                "namespace": "bench",
                "uid": "3f0c1a52-8f3f-4f0e-9a37-0b1b7f6e2a11",
                "resourceVersion": str(LIST_VERSION),
                "creationTimestamp": "2026-01-02T03:04:05Z",
                "labels": {"app": "bench", "x": "1"},
                "managedFields": [managed("bench", owned)],
            },
            "data": {f"key{n}": "value" * 5 for n in range(8)},
        },
        separators=(",", ":"),
    ).encode()
