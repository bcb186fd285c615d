"""Conversion of custom objects between versions: by apiVersion only, or by a webhook."""

import uuid
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from kubewright.apiserver.customresource.webhook import ACCEPTED_REVIEWS
from kubewright.apiserver.meta import naming
from kubewright.apiserver.meta.names import api_version
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.default import copy
from kubewright.apiserver.schema.prune import fit
from kubewright.apiserver.schema.tree import Schema

GROUP: str = "apiextensions.k8s.io"
TIMEOUT: float = 30.0
"""How many seconds a webhook may take to answer."""

_GO_TYPES = {str: "string", bool: "bool", int: "int64", float: "float64", list: "[]interface {}"}


class CallError(Exception):
    """A webhook could not be called; the text is that of Go's HTTP client."""


class CallWebhook(Protocol):
    """Sends a review to the webhook in a client config, and returns the answer.

    Raises `CallError` when there is no answer.
    """

    def __call__(self, client_config: Obj, review: Obj, timeout: float) -> Awaitable[Obj]:
        """Call the webhook."""
        ...


def set_version(obj: Obj, target: str) -> Obj:
    """Convert by changing the apiVersion only."""
    obj["apiVersion"] = target
    return obj


class Converter:
    """Converts the objects of one definition.

    Args:
        crd: The definition.
        call: Calls webhooks; may be ``None`` if the definition has none.
        schema: Returns the schema of a version, to which objects from a webhook are pruned.
    """

    def __init__(
        self,
        crd: Obj,
        call: CallWebhook | None = None,
        schema: Callable[[str], Schema] | None = None,
    ) -> None:
        spec = crd["spec"]
        self._group: str = spec["group"]
        self._kind: str = spec["names"]["kind"]
        self._versions = {api_version(self._group, each["name"]) for each in spec["versions"]}
        conversion = spec.get("conversion") or {}
        self._webhook: Obj | None = (
            conversion.get("webhook") if conversion.get("strategy") == "Webhook" else None
        )
        self._call = call
        self._schema = schema

    @property
    def asks(self) -> bool:
        """Return whether conversion calls a webhook."""
        return self._webhook is not None

    async def convert(
        self, objects: list[Obj], version: str, *, is_list: bool = False
    ) -> list[Obj]:
        """Return *objects* in another version; a webhook returns new ones.

        Args:
            objects: The objects, in any versions of the definition. They may be changed.
            version: The target version, such as ``v2``.
            is_list: Whether they are the items of a list, which errors mention.

        Raises:
            StatusError: The definition has no such version, or the webhook failed (500).
        """
        target = api_version(self._group, version)
        self._check_versions(objects, target)
        if self._webhook is None:
            return [set_version(obj, target) for obj in objects]
        wanted = [obj for obj in objects if obj["apiVersion"] != target and not _is_empty(obj)]
        if not wanted:
            return [set_version(obj, target) for obj in objects]
        converted = await self._ask(wanted, target, version, is_list=is_list)
        # By identity: two objects may be equal.
        results = {id(old): new for old, new in zip(wanted, converted, strict=True)}
        return [results.get(id(obj)) or set_version(obj, target) for obj in objects]

    def _check_versions(self, objects: list[Obj], target: str) -> None:
        if target not in self._versions:
            raise _failure(f"request to convert CR to an invalid group/version: {target}")
        for obj in objects:
            if obj["apiVersion"] not in self._versions:
                text = "request to convert CR from an invalid group/version"
                raise _failure(f"{text}: {obj['apiVersion']}")

    async def _ask(
        self, objects: list[Obj], target: str, version: str, *, is_list: bool
    ) -> list[Obj]:
        kind = f"{self._kind}List" if is_list else self._kind
        # In Go, the list has the target version by now.
        source = target if is_list else objects[0]["apiVersion"]
        about = f"conversion webhook for {source}, Kind={kind}"
        found = await self._review(objects, target, about)
        if len(found) != len(objects):
            raise _failure(f"{about} returned {len(found)} objects, expected {len(objects)}")
        for index, (old, new) in enumerate(zip(objects, found, strict=True)):
            place = f"converted object at index {index}" if is_list else "object"
            if problem := _converted_problem(old, new, target, place, index):
                raise _failure(f"{about} returned invalid {problem}")
            if self._schema is not None:
                fit(new, self._schema(version))
        return found

    async def _review(self, objects: list[Obj], target: str, about: str) -> list[Any]:
        assert self._webhook is not None
        if self._call is None:
            raise _failure(f"{about} failed: webhooks cannot be called")
        accepted = self._webhook.get("conversionReviewVersions") or ()
        review_version = next((each for each in accepted if each in ACCEPTED_REVIEWS), None)
        if review_version is None:
            raise _failure("no supported conversion review versions")
        review = review_of([_unversioned(obj) for obj in objects], target, review_version)
        try:
            answer = await self._call(self._webhook["clientConfig"], review, TIMEOUT)
            return _converted_objects(answer, review)
        except CallError as error:
            raise _failure(f"{about} failed: {error}") from None


def review_of(objects: list[Obj], target: str, version: str) -> Obj:
    """Return the ConversionReview to send to a webhook."""
    return {
        "kind": "ConversionReview",
        "apiVersion": f"{GROUP}/{version}",
        "request": {"uid": str(uuid.uuid4()), "desiredAPIVersion": target, "objects": objects},
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
    }


def _unversioned(obj: Obj) -> Obj:
    """Return an object without its resource version, as it is stored."""
    metadata = {key: obj["metadata"][key] for key in obj["metadata"] if key != "resourceVersion"}
    return {**obj, "metadata": metadata}


def _failure(message: str) -> StatusError:
    return StatusError(500, "", message)


def _is_empty(obj: Obj) -> bool:
    return obj.keys() == {"apiVersion", "kind"}


def _converted_objects(answer: Obj, review: Obj) -> list[Any]:
    """Return the objects in an answer.

    Raises:
        CallError: The answer is not a ConversionReview, or reports a failure.
    """
    strict = review["apiVersion"] == f"{GROUP}/v1"
    if strict and (answer.get("apiVersion"), answer.get("kind")) != (
        review["apiVersion"],
        "ConversionReview",
    ):
        group, _, version = str(answer.get("apiVersion") or "").rpartition("/")
        got = f"{group}/{version}, Kind={answer.get('kind') or ''}"
        wanted = f"{GROUP}/v1, Kind=ConversionReview"
        raise CallError(f"expected webhook response of {wanted}, got {got}")
    response = answer.get("response")
    if not isinstance(response, dict):
        raise CallError("no response provided")
    uid, expected = response.get("uid") or "", review["request"]["uid"]
    if strict and uid != expected:
        raise CallError(f'expected response.uid="{expected}", got "{uid}"')
    result, objects = response.get("result") or {}, response.get("convertedObjects") or []
    for name, value, sort in (("result", result, dict), ("convertedObjects", objects, list)):
        if not isinstance(value, sort):
            raise CallError(f"response.{name} is of another type than in a ConversionReview")
    status = result.get("status") or ""
    if status != "Success":
        text = f"response.result.status was '{status}', not 'Success'"
        raise CallError(result.get("message") or text)
    converted: list[Any] = objects
    return converted


def _converted_problem(old: Obj, new: Any, target: str, place: str, index: int) -> str:
    """Restore the metadata of a converted object; return what is wrong with the object."""
    where = "object at index 0" if place == "object" else place
    got = new.get("apiVersion") if isinstance(new, dict) else None
    if got != target:
        return f"{where}: invalid groupVersion (expected {target}, received {got or ''})"
    if new.get("kind") != old["kind"]:
        kinds = f"expected {old['kind']}, received {new.get('kind') or ''}"
        return f"{where}: invalid kind ({kinds})"
    if problem := _identity_problem(old, new):
        return f"{place}: {problem}"
    if problem := _restore_metadata(old, new):
        inside = "" if place == "object" else f" in object at index {index}"
        return f"metadata{inside}: {problem}"
    return ""


def _identity_problem(old: Obj, new: Obj) -> str:
    before, after = old.get("metadata") or {}, new.get("metadata")
    after = after if isinstance(after, dict) else {}
    for name, shown in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        mine, theirs = before.get(name) or "", after.get(name) or ""
        if mine != theirs:
            return f"must have the same {shown}: {mine} != {theirs}"
    return ""


def _restore_metadata(old: Obj, new: Obj) -> str:
    """Restore all metadata but labels and annotations; return what is wrong with it."""
    if "metadata" not in new:
        return "missing metadata in converted object"
    given = new["metadata"]
    if not isinstance(given, dict):
        return f"invalid metadata of type {_go_type(given)} in converted object"
    metadata = new["metadata"] = copy(old.get("metadata") or {})
    for name in ("labels", "annotations"):
        value = given.get(name)
        if value is None:
            metadata.pop(name, None)
            continue
        if problem := _text_map_problem(name, value, metadata.get(name) or {}):
            return problem
        metadata[name] = value
    return ""


def _text_map_problem(name: str, value: Any, before: Obj) -> str:
    if not isinstance(value, dict):
        return f"invalid metadata.{name} of type {_go_type(value)} in converted object"
    for key, text in value.items():
        if not isinstance(text, str):
            return (
                f"metadata.{name}[{key}] must be a string, but is {_go_type(text)} in converted"
                " object"
            )
    if value == before:
        return ""
    if name == "labels":
        errors = naming.labels(value, "metadata.labels")
    else:
        errors = naming.annotations(value, "metadata.annotation")
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""


def _go_type(value: Any) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    return _GO_TYPES.get(type(value), "<nil>")
