"""A portrait of a namespace: all that controllers made of it, without what differs each time.

Names that are made up, hashes, uids, times and versions are replaced by words, so that two
portraits of the same story are equal, whoever controls and on whichever server.
"""

import difflib
import json
import re
from collections.abc import Iterable
from typing import Any

from kubewright.client import Client

KINDS = (
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "controllerrevisions.apps",
    "pods",
    "persistentvolumeclaims",
)
_DROPPED = ("namespace", "uid", "resourceVersion", "managedFields", "creationTimestamp", "selfLink")
# What controllers of 1.20 do not know yet.
_NEWER = ("terminatingReplicas", "availableReplicas")
_NEWER_LABELS = ("apps.kubernetes.io/pod-index",)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_LATE = re.compile(r"failed error: .* (not found|already exists)$|latest version and try again$")
_FROM = re.compile(r"(Scaled (?:up|down) replica set \S+) from \d+ to")

_NODE = re.compile(r'"node-\d"')
_POD = re.compile(r"(\[\w+\])-[a-z0-9]{5}\b")

Objects = dict[str, list[dict[str, Any]]]


async def objects_in(client: Client, namespace: str) -> Objects:
    """Return all objects of a namespace that controllers write, as the server shows them."""
    found: Objects = {}
    for kind in (*KINDS, "events"):
        found[kind] = [dict(one) for one in await client.list(kind, namespace=namespace)]
    return found


def versions_of(objects: Objects) -> set[tuple[str, str]]:
    """Return what changes whenever one of *objects* does."""
    metas = (one["metadata"] for some in objects.values() for one in some)
    return {(meta["uid"], meta["resourceVersion"]) for meta in metas}


def portrait(
    objects: Objects, *, with_pod_spec: bool = True, exact: bool = True
) -> dict[str, list[Any]]:
    """Return *objects* without what differs each time, in an order that does not.

    Args:
        objects: From `objects_in`.
        with_pod_spec: Whether to show the specs of pods and templates: servers of different
            versions fill in different defaults.
        exact: Whether to show in how many steps replica sets got their size, and the events that
            tell of them: where several pods move at a time, that depends on who is faster.
    """
    words = _words(objects)
    shown: dict[str, list[Any]] = {}
    for kind in KINDS:
        plain = [_plain(one, with_pod_spec=with_pod_spec) for one in objects[kind]]
        if not exact:
            _drop_steps(plain)
        texts = sorted(_worded(json.dumps(one, sort_keys=True), words) for one in plain)
        shown[kind] = [json.loads(text) for text in texts]
    told = {
        _worded(_told(one), words)
        for one in objects["events"]
        if not is_of_a_race(one.get("message") or "")
    }
    shown["events"] = sorted(told) if exact else []
    return shown


def difference(left: dict[str, list[Any]], right: dict[str, list[Any]]) -> str:
    """Return in which lines two portraits differ; nothing if they do not."""
    first, second = (
        json.dumps(one, indent=1, sort_keys=True).splitlines() for one in (left, right)
    )
    return "\n".join(difflib.unified_diff(first, second, lineterm="", n=8))


def is_of_a_race(message: str) -> bool:
    """Whether an event tells of a write that came too late, which its controller tried again.

    The caches of the real controllers do not show their own writes, so it happens to them now and
    then.
    """
    return _LATE.search(message) is not None


def _told(event: dict[str, Any]) -> str:
    about = event["involvedObject"]
    message = (event.get("message") or "").removeprefix("(combined from similar events): ")
    message = _FROM.sub(r"\1 to", message)
    who = (event.get("source") or {}).get("component") or event.get("reportingComponent")
    return f"{who}: {about['kind']} {about['name']}: {event['type']} {event['reason']} {message}"


def _words(objects: Objects) -> list[tuple[str, str]]:
    """Return what to replace, the longest first, and by which word."""
    words: dict[str, str] = {}
    for kind in ("replicasets.apps", "controllerrevisions.apps"):
        for one in objects[kind]:
            image = _image(one)
            name = one["metadata"]["name"]
            if "-" not in name:
                continue  # made by a user
            words[name] = f"{name.rpartition('-')[0]}-[{image}]"
            words[f'"{name.rpartition("-")[2]}"'] = f'"[{image}]"'
    for one in objects["pods"]:
        meta = one["metadata"]
        owners = [one["kind"] for one in meta.get("ownerReferences", ())]
        if (prefix := meta.get("generateName")) and owners != ["StatefulSet"]:
            words[meta["name"]] = f"{words.get(prefix[:-1], prefix[:-1])}-[pod]"
    for event in objects["events"]:
        for gone in re.findall(r"(?:Created|Deleted) pod: (\S+)", event.get("message") or ""):
            prefix = gone.rpartition("-")[0]
            words.setdefault(gone, f"{words.get(prefix, prefix)}-[pod]")
    return sorted(words.items(), key=lambda pair: -len(pair[0]))


def _image(one: dict[str, Any]) -> str:
    spec = (one.get("data") or one)["spec"]
    image: str = spec["template"]["spec"]["containers"][0]["image"]
    return image


def _worded(text: str, words: Iterable[tuple[str, str]]) -> str:
    for name, word in words:
        text = text.replace(name, word)
    text = _POD.sub(r"\1-[pod]", text)  # of pods that never came to be
    text = _NODE.sub('"[node]"', text)  # which is the first of equal ones is left to chance
    # Sets that are gone by now are still spoken of.
    return re.sub(r"\b(web)-[a-z0-9]{6,10}(-[a-z0-9]{5})?\b", r"\1-[gone]", text)


def _calm(conditions: list[dict[str, str]]) -> None:
    """Drop what depends on who is faster.

    A rollout that is over before the controller looks at its pods for the first time leaves the
    condition of the one before, in its place: theirs do so, and so do ours.
    """
    conditions.sort(key=lambda condition: condition["type"])
    for condition in conditions:
        if condition["reason"] == "NewReplicaSetAvailable":
            condition.pop("message")


def _plain(one: dict[str, Any], *, with_pod_spec: bool) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(_TIME.sub("[time]", json.dumps(one)))
    meta = plain["metadata"]
    for name in _DROPPED:
        meta.pop(name, None)
    for owner in meta.get("ownerReferences", ()):
        owner.pop("uid", None)
    for label in _NEWER_LABELS:
        (meta.get("labels") or {}).pop(label, None)
    for name in _NEWER:
        (plain.get("status") or {}).pop(name, None)
    if plain["kind"] == "Deployment":
        _calm(plain["status"].get("conditions", []))
    if plain["kind"] == "Pod":
        plain["status"] = {"phase": plain["status"].get("phase")}
        plain["spec"].pop("nodeName", None)
        meta.pop("generateName", None)
        meta.pop("generation", None)
    if plain["kind"] == "ControllerRevision":
        plain.pop("data")
    if plain["kind"] == "PersistentVolumeClaim":
        plain.pop("spec")
    if not with_pod_spec:
        _drop_pod_spec(plain)
    return plain


def _drop_steps(plain: Iterable[dict[str, Any]]) -> None:
    for one in plain:
        if one["kind"] == "ReplicaSet":
            seen = one["status"].pop("observedGeneration", 0)
            assert seen == one["metadata"].pop("generation")


def _drop_pod_spec(plain: dict[str, Any]) -> None:
    if plain["kind"] == "Pod":
        image = plain["spec"]["containers"][0]["image"]
        plain["spec"] = image
        return
    spec = plain.get("spec") or {}
    template = spec.get("template")
    kept = ("replicas", "paused", "selector", "minReadySeconds")
    plain["spec"] = {name: spec[name] for name in kept if name in spec}
    if template:
        plain["spec"]["image"] = template["spec"]["containers"][0]["image"]
        plain["spec"]["labels"] = template["metadata"]["labels"]
