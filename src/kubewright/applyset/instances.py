"""Objects of custom kinds: how many there are, and their end before that of their definition."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kubewright.api.kind import RESTMapping
from kubewright.applyset.listener import Listener
from kubewright.applyset.member import ObjectName
from kubewright.applyset.reach import Found, each, find_mapping, list_metadata
from kubewright.applyset.report import Change, Failure
from kubewright.applyset.waiting import Waiting
from kubewright.client import Client
from kubewright.errors import ConfigError, NotFoundError

__all__ = ["delete_instances", "find_instances", "instances_of"]


async def find_instances(
    client: Client, definitions: Iterable[ObjectName]
) -> dict[str, list[Found]]:
    """Return the objects of the kinds that CRDs define, by the name of the CRD.

    Those that are being deleted are among them; kinds without objects are left out.

    Args:
        client: Where they are.
        definitions: The CRDs; those that do not exist have no objects.

    Raises:
        ConfigError: There may be objects that the server does not list.
    """
    found: dict[str, list[Found]] = {}
    for name in definitions:
        if objects := await instances_of(client, name):
            found[name.key.name] = objects
    return found


async def instances_of(client: Client, definition: ObjectName) -> list[Found]:
    """Return the objects of the kind that a CRD defines; none if there is no such CRD.

    Raises:
        ConfigError: Nobody can tell: there may be some, and the server does not list them.
    """
    crd = await client.find(definition.gvk, definition.key)
    if crd is not None and (mapping := _mapping_of(crd)) is not None:
        try:
            return [one async for one in list_metadata(client, mapping)]
        except NotFoundError:
            crd = await client.find(definition.gvk, definition.key)  # it may have just gone
    # What was never established was never served, so nobody can have made an object of it.
    if crd is None or not _is_established(crd):
        return []
    why = "the server does not list them. Try again"
    if _mapping_of(crd) is None:
        why = "none of its versions is served. Set `served: true` in one of them first"
    raise ConfigError(
        f"nobody can tell whether there are objects of {definition.key.name}, which would go, too:"
        f" {why}"
    )


async def delete_instances(
    client: Client,
    instances: Mapping[str, Sequence[Found]],
    *,
    timeout: float,
    listener: Listener | None = None,
) -> tuple[list[Change], list[Failure]]:
    """Delete the objects of custom kinds, and wait until they are gone.

    Whoever has put finalizers on them has to run meanwhile.

    Args:
        client: Where they are.
        instances: What `find_instances` found.
        timeout: Seconds until all are gone.
        listener: Hears of each, and of those that are waited for.

    Returns:
        What was deleted, and what is still there.
    """
    listener = listener or Listener()
    objects = [one for found in instances.values() for one in found]

    async def delete(found: Found) -> Change:
        mapping = await find_mapping(client, found.name.gvk)
        if mapping is not None:
            await client.delete(mapping, found.name.key, uid=found.uid, missing_ok=True)
        change = Change("deleted", found.name)
        listener.changed(change)
        return change

    changes, failures = await each(objects, delete, name_of=lambda one: one.name)
    failed = {failure.name for failure in failures}
    deleted = [one for one in objects if one.name not in failed]
    failures += await Waiting(client, timeout, listener).until_gone(deleted)
    for failure in failures:
        listener.failed(failure)
    return changes, failures


def _mapping_of(crd: Mapping[str, Any]) -> RESTMapping | None:
    """Return where the objects of a CRD are, without asking discovery, which may be behind."""
    spec = crd["spec"]
    served = [one["name"] for one in spec["versions"] if one.get("served")]
    if not served:
        return None
    names, namespaced = spec["names"], spec["scope"] == "Namespaced"
    return RESTMapping(spec["group"], served[0], names["kind"], names["plural"], namespaced)


def _is_established(crd: Mapping[str, Any]) -> bool:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)
