"""Reads and writes the entries of ``metadata.managedFields``."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import msgspec

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.fieldset import FieldSet
from kubewright.apiserver.meta.field import quoted

Operation = Literal["Apply", "Update"]


class EntriesError(ValueError):
    """The managed fields are malformed."""


class Owner(NamedTuple):
    """The identity of an owner: manager, operation, version and subresource.

    An applier is the same owner in every version, so its version is empty here.
    """

    manager: str
    operation: Operation
    api_version: str
    subresource: str

    @property
    def text(self) -> str:
        """The owner as Kubernetes identifies it, which is also the sort key."""
        named = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        there = {name: value for name, value in named.items() if value}
        return msgspec.json.encode(there).decode()

    def __str__(self) -> str:
        shown = quoted(self.manager)
        if self.subresource:
            shown += f" with subresource {quoted(self.subresource)}"
        return f"{shown} using {self.api_version}" if self.operation == "Update" else shown


class Entry(NamedTuple):
    """The fields that an owner owns.

    Attributes:
        fields: The fields, named as in *api_version*.
        api_version: The version that the field names are from.
        time: When the owner last changed something; empty if unknown.
        source: The JSON that this was read from, if it has not changed since.
    """

    fields: FieldSet
    api_version: str
    time: str = ""
    source: dict[str, Any] | None = None


Managed = dict[Owner, Entry]


def owner(manager: str, operation: Operation, api_version: str, subresource: str) -> Owner:
    """Return the identity of an owner."""
    version = "" if operation == "Apply" else api_version
    return Owner(manager, operation, version, subresource)


def stored(entries: Iterable[dict[str, Any]] | None) -> Managed:
    """Return the managed fields of an object that we wrote ourselves."""
    found: Managed = {}
    for source in entries or ():
        version = source.get("apiVersion", "")
        operation = source["operation"]
        who = owner(source.get("manager", ""), operation, version, source.get("subresource", ""))
        found[who] = Entry(source.get("fieldsV1") or {}, version, source.get("time") or "", source)
    return found


def sent(entries: Any) -> Managed:
    """Return the managed fields that a client sent.

    Raises:
        EntriesError: They are malformed.
    """
    found: Managed = {}
    if not isinstance(entries, list):
        raise EntriesError("managed fields must be a list")
    for index, source in enumerate(entries):
        who, entry = _sent(source, index)
        found[who] = entry
    return found


def _sent(source: Any, index: int) -> tuple[Owner, Entry]:
    if not isinstance(source, dict):
        raise EntriesError(f"managed fields entry {index} is not an object")
    operation = source.get("operation")
    if operation not in ("Apply", "Update"):
        raise EntriesError("operation must be `Apply` or `Update`")
    version = source.get("apiVersion")
    if not version:
        raise EntriesError("apiVersion must not be empty")
    if not (sort := source.get("fieldsType")):
        raise EntriesError(f"missing fieldsType in managed fields entry {index}")
    if sort != "FieldsV1":
        raise EntriesError(f'invalid fieldsType "{sort}" in managed fields entry {index}')
    try:
        fields = fieldset.read(source.get("fieldsV1"))
        time = _seconds(source.get("time"))
    except ValueError as error:
        raise EntriesError(f"error decoding set: {error}") from error
    who = owner(source.get("manager") or "", operation, version, source.get("subresource") or "")
    return who, Entry({step: node for step, node in fields.items() if step != "."}, version, time)


def _seconds(time: str | None) -> str:
    """Return *time* in UTC, without fractions of a second."""
    if not time:
        return ""
    moment = datetime.fromisoformat(time)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_reset(entries: Any) -> bool:
    """Return whether a client clears the managed fields: an empty list, or one empty entry."""
    if not isinstance(entries, list):
        return False
    return not entries or (len(entries) == 1 and entries[0] == {})


def written(managed: Managed) -> list[dict[str, Any]]:
    """Return the list for ``metadata.managedFields``, sorted as Kubernetes sorts it."""
    order = sorted(
        managed.items(),
        key=lambda item: (
            item[0].operation,
            item[1].time,
            item[0].manager,
            item[1].api_version,
            item[0].subresource,
        ),
    )
    return [entry.source or _written(who, entry) for who, entry in order]


def _written(who: Owner, entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if who.manager:
        found["manager"] = who.manager
    found["operation"] = who.operation
    found["apiVersion"] = entry.api_version
    if entry.time:
        found["time"] = entry.time
    found["fieldsType"] = "FieldsV1"
    found["fieldsV1"] = entry.fields
    if who.subresource:
        found["subresource"] = who.subresource
    return found


def validate(entries: Any) -> str:
    """Return what is wrong with the managed fields after admission, or ``""``."""
    try:
        sent(entries or [])
    except EntriesError as error:
        return str(error)
    return ""
