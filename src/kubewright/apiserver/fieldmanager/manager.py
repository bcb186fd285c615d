"""Updates ``metadata.managedFields`` on writes; the request pipeline calls this module.

Call it when the new object is decoded, pruned and defaulted, and before admission and the strategy
change it: fields that they set have no owner.
"""

from typing import Any

from kubewright.apiserver.fieldmanager import entries, fieldset, lastapplied, shape
from kubewright.apiserver.fieldmanager.conflict import ConflictsError
from kubewright.apiserver.fieldmanager.entries import EntriesError, Managed
from kubewright.apiserver.fieldmanager.extract import ElementError
from kubewright.apiserver.fieldmanager.fieldset import FieldSet
from kubewright.apiserver.fieldmanager.ownership import Convert, Ownership
from kubewright.apiserver.fieldmanager.validate import joined, misfits
from kubewright.apiserver.meta.status import StatusError, bad_request
from kubewright.apiserver.schema.tree import Schema

Obj = dict[str, Any]

BEFORE_FIRST_APPLY: str = "before-first-apply"
_NAME_LIMIT = 128
_STATUS = fieldset.of(("status",))
_SPEC = fieldset.of(("spec",))
_CUSTOM = fieldset.of(("metadata",), ("spec",))
_BY_KIND = {
    "CustomResourceDefinition": _CUSTOM,
    "Deployment": fieldset.of(("metadata", "labels"), ("spec",)),
    "Pod": fieldset.of(
        ("metadata", "deletionTimestamp"), ("metadata", "ownerReferences"), ("spec",)
    ),
}


def manager_name(field_manager: str, user_agent: str) -> str:
    """Return the manager's name: from the request, or the product in the user agent."""
    if field_manager:
        return field_manager
    room, found = _NAME_LIMIT, []
    for character in user_agent.split("/", 1)[0]:
        if not character.isprintable():
            continue
        room -= len(character.encode(errors="replace"))
        if room < 0:
            break
        found.append(character)
    return "".join(found)


def record_update(  # noqa: PLR0913  # all inputs of a write, by name
    old: Obj | None,
    new: Obj,
    *,
    schema: Schema,
    api_version: str,
    manager: str,
    now: str,
    subresource: str = "",
    strip: FieldSet | None = None,
    convert: Convert | None = None,
) -> None:
    """Set the managed fields of *new* after a create, an update or a patch.

    Args:
        old: The stored object; ``None`` on create. Not modified.
        new: The new object, with the managed fields that the client sent, if any.
        schema: The schema of both.
        api_version: The version in which both are written.
        manager: The manager's name, from `manager_name`.
        now: The time in the format of objects; empty to keep times, as writes of a scale do.
        subresource: Through which subresource; empty for none.
        strip: Fields that the strategy will reset, so that they get no owner.
        convert: Returns an object in another version and its schema, or ``None`` if the version
            no longer exists. Without it, all versions have the same fields.
    """
    metadata = new.setdefault("metadata", {})
    ours = metadata.pop("managedFields", None)
    before = ((old or {}).get("metadata") or {}).get("managedFields")
    managed = _known(before, None if subresource else ours)
    created = not old or not (old.get("metadata") or {}).get("uid")
    if managed or created:
        ownership = Ownership(schema, api_version, strip=strip, convert=convert)
        who = entries.owner(manager or "unknown", "Update", api_version, subresource)
        try:
            managed = ownership.updated(old or {}, new, managed, who, now=now)
        except ElementError:
            managed = entries.stored(before)  # cannot be tracked; Kubernetes does the same
    if managed:
        metadata["managedFields"] = entries.written(managed)


def _known(live: Any, ours: Any) -> Managed:
    """Return the managed fields to start from: the client's if they are valid, else the stored."""
    if ours is not None and ours != live:
        if entries.is_reset(ours):
            return {}
        try:
            if found := entries.sent(ours):
                return found
        except EntriesError:
            pass
    return entries.stored(live)


def applied(  # noqa: PLR0913  # all inputs of an apply, by name
    live: Obj | None,
    config: Obj,
    *,
    schema: Schema,
    api_version: str,
    manager: str,
    now: str,
    kind: str = "",
    force: bool = False,
    subresource: str = "",
    strip: FieldSet | None = None,
    convert: Convert | None = None,
) -> Obj:
    """Return *live* with *config* applied, including new managed fields.

    If nothing changes, the times in the managed fields stay, so that the result equals *live*
    unless the ownership changed.

    Args:
        live: The stored object; ``None`` on create. Not modified.
        config: The applied configuration. Not modified.
        schema: The schema of both.
        api_version: The version in which both are written.
        manager: The manager's name.
        now: The time in the format of objects.
        kind: The kind that the configuration must have; empty to skip this check.
        force: Whether to take over fields that others own.
        subresource: Through which subresource; empty for none.
        strip: As for `record_update`.
        convert: As for `record_update`.

    Raises:
        StatusError: Others own fields that would change (409), or the configuration does not fit
            the schema.
    """
    _check_version(config, api_version, kind)
    _check(config, schema)
    managed = entries.stored(((live or {}).get("metadata") or {}).get("managedFields"))
    ownership = Ownership(schema, api_version, strip=strip, convert=convert)
    before = _unmanaged(live) if live else {"apiVersion": api_version, "kind": config.get("kind")}
    try:
        if not managed and live:
            who = entries.owner(BEFORE_FIRST_APPLY, "Update", api_version, subresource)
            managed = ownership.updated({}, before, managed, who, now=now)
        applier = _Applier(ownership, before, config, managed)
        who = entries.owner(manager, "Apply", api_version, subresource)
        merged, managed = applier.apply(who, force=force, now=now)
    except ConflictsError as error:
        raise error.status from None
    except ElementError as error:
        raise StatusError(500, "", f"failed to compare objects: {error}") from error
    return _result(merged, config, managed, manager=manager)


def _unmanaged(live: Obj) -> Obj:
    metadata = live.get("metadata") or {}
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**live, "metadata": rest}


def _check_version(config: Obj, api_version: str, kind: str) -> None:
    right_kind = not kind or config.get("kind") == kind
    if config.get("apiVersion") != api_version or not right_kind:
        raise bad_request(f"invalid object type: {_type_of(config)}")


def _check(config: Obj, schema: Schema) -> None:
    metadata = config.get("metadata") or {}
    if isinstance(metadata, dict) and isinstance(metadata.get("managedFields"), list):
        raise bad_request("metadata.managedFields must be nil")
    if wrong := misfits(config, shape.root(schema, implied=False)):
        named = metadata if isinstance(metadata, dict) else {}
        where = f"{named.get('namespace', '')}/{named.get('name', '')}; {_type_of(config)}"
        if (config.get("apiVersion"), config.get("kind")) == ("v1", "Secret"):
            wrong = [misfit.redacted() for misfit in wrong]
        raise StatusError(
            500, "", f"failed to create typed patch object ({where}): {joined(wrong)}"
        )


def _type_of(config: Obj) -> str:
    """Return the kind as Go prints it: ``apps/v1, Kind=Deployment``, ``/v1, Kind=Pod``."""
    version = config.get("apiVersion") or ""
    return f"{version if '/' in version else f'/{version}'}, Kind={config.get('kind') or ''}"


class _Applier:
    """One apply, with a second try if kubectl's annotation resolves the conflicts."""

    def __init__(self, ownership: Ownership, live: Obj, config: Obj, managed: Managed) -> None:
        self._ownership = ownership
        self._live = live
        self._config = config
        self._managed = managed

    def apply(self, who: entries.Owner, *, force: bool, now: str) -> tuple[Obj, Managed]:
        try:
            return self._try(who, force=force, now=now)
        except ConflictsError as error:
            if who.manager != lastapplied.MANAGER:
                raise
            self._excuse(error)
        return self._try(who, force=True, now=now)

    def _try(self, who: entries.Owner, *, force: bool, now: str) -> tuple[Obj, Managed]:
        return self._ownership.applied(
            self._live, self._config, self._managed, who, force=force, now=now
        )

    def _excuse(self, error: ConflictsError) -> None:
        """Raise the conflicts about fields that kubectl has not applied itself before."""
        allowed = self._ownership.last_applied(self._live)
        if allowed is None:
            raise error
        if rest := self._ownership.outside(error.conflicts, allowed):
            raise ConflictsError(rest) from None


def _result(result: Obj, config: Obj, managed: Managed, *, manager: str) -> Obj:
    metadata = result.setdefault("metadata", {})
    if managed:
        metadata["managedFields"] = entries.written(managed)
    if manager == lastapplied.MANAGER and lastapplied.find(result):
        lastapplied.refresh(result, config)
    return result


def keep_times(old: Obj, new: Obj) -> None:
    """Restore the old times of the managed fields if nothing else differs in *new*.

    Call it after admission, so that a write without changes stores nothing.
    """
    before = (old.get("metadata") or {}).get("managedFields") or []
    metadata = new.get("metadata") or {}
    after = metadata.get("managedFields") or []
    if not after or len(before) != len(after) or before == after:
        return
    if any(
        _timeless(mine) != _timeless(theirs) for mine, theirs in zip(before, after, strict=True)
    ):
        return
    metadata["managedFields"] = before
    if old != new:
        metadata["managedFields"] = after


def _timeless(entry: Obj) -> Obj:
    return {name: value for name, value in entry.items() if name != "time"}


def reset_fields(
    kind: str, subresource: str, *, has_status: bool, custom: bool = False
) -> FieldSet | None:
    """Return the fields that a write to *subresource* cannot change, and so cannot own.

    Args:
        kind: The kind of the object.
        subresource: Empty for the object itself.
        has_status: Whether ``/status`` is a subresource.
        custom: Whether it is a custom resource.
    """
    if not has_status:
        return None
    if not subresource:
        return _STATUS
    if subresource != "status":
        return None
    return _CUSTOM if custom else _BY_KIND.get(kind, _SPEC)
