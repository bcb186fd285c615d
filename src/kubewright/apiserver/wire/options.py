"""The options of requests: the parameters of a URL, checked."""

import re
from typing import Any, Literal

from msgspec import Struct

from kubewright.apiserver.meta import field as fields
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.wire.route import Query, is_true

FieldValidation = Literal["Ignore", "Warn", "Strict"]
MANAGER_LIMIT: int = 128
_INTEGER = re.compile(r"[-+]?[0-9]+").fullmatch
_LARGEST = 2**63 - 1
_DIGITS = 40  # more than any number that fits


class WriteOptions(Struct):
    """The parameters of create, update and patch."""

    dry_run: bool = False
    field_manager: str = ""
    field_validation: FieldValidation = "Warn"
    force: bool = False

    def json(self, kind: str) -> dict[str, Any]:
        """Return them as an object for admission; *kind* is such as ``CreateOptions``."""
        found: dict[str, Any] = {"kind": kind, "apiVersion": "meta.k8s.io/v1"}
        if self.dry_run:
            found["dryRun"] = ["All"]
        if self.field_manager:
            found["fieldManager"] = self.field_manager
        return found


def write_options(query: Query, kind: str) -> WriteOptions:
    """Read the parameters of a write; *kind* is such as ``CreateOptions``.

    Raises:
        StatusError: One of them is wrong (422, as Kubernetes answers).
    """
    if not query:
        return WriteOptions()
    errors: Errors = []
    dry_run = _dry_run(query, errors)
    manager = query.get("fieldManager", "")
    errors += _manager_errors(manager)
    validation = query.get("fieldValidation") or "Warn"
    if validation not in ("Ignore", "Warn", "Strict"):
        allowed = ("", "Ignore", "Strict", "Warn")
        errors.append(fields.not_supported("fieldValidation", validation, allowed))
    if errors:
        raise status.invalid(GroupKind("meta.k8s.io", kind), "", errors)
    return WriteOptions(
        dry_run,
        manager,
        validation,  # type: ignore[arg-type]  # checked above
        is_true(query.get("force", "")),
    )


def _dry_run(query: Query, errors: Errors) -> bool:
    wanted = query.get("dryRun")
    if wanted is None:
        return False
    if wanted != "All":
        errors.append(fields.not_supported("dryRun", [wanted], ("All",)))
    return True


def _manager_errors(manager: str) -> list[FieldError]:
    found = []
    if len(manager) > MANAGER_LIMIT:
        found.append(fields.too_long("fieldManager", MANAGER_LIMIT))
    if not manager.isprintable():
        found.append(
            fields.invalid("fieldManager", manager, "should not contain any non-printable rune")
        )
    return found


class DeleteOptions(Struct):
    """The options of a deletion, from its body or its URL."""

    dry_run: bool = False
    grace: int | None = None
    propagation: str = ""
    uid: str | None = None
    resource_version: str | None = None
    source: dict[str, Any] = {}


def delete_options(query: Query, body: dict[str, Any] | None) -> DeleteOptions:
    """Read the options of a deletion; a body wins over the URL, as in Kubernetes.

    Raises:
        StatusError: They contradict one another or make no sense.
    """
    source: dict[str, Any] = body or _from_query(query)
    errors: Errors = []
    orphan, propagation = source.get("orphanDependents"), source.get("propagationPolicy") or ""
    if orphan is not None and propagation:
        errors.append(
            fields.invalid(
                "propagationPolicy",
                propagation,
                "orphanDependents and deletionPropagation cannot be both set",
            )
        )
    if propagation not in ("", "Orphan", "Background", "Foreground"):
        allowed = ("Foreground", "Background", "Orphan", "nil")
        errors.append(fields.not_supported("propagationPolicy", propagation, allowed, sort=False))
    dry_run = source.get("dryRun") or []
    if dry_run and dry_run != ["All"]:
        errors.append(fields.not_supported("dryRun", dry_run, ("All",)))
    if errors:
        raise status.invalid(GroupKind("meta.k8s.io", "DeleteOptions"), "", errors)
    if orphan is not None:
        propagation = "Orphan" if orphan else "Background"
    preconditions = source.get("preconditions") or {}
    return DeleteOptions(
        bool(dry_run),
        source.get("gracePeriodSeconds"),
        propagation,
        preconditions.get("uid"),
        preconditions.get("resourceVersion"),
        source,
    )


def _from_query(query: Query) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "gracePeriodSeconds" in query:
        found["gracePeriodSeconds"] = parse_int(query, "gracePeriodSeconds")
    if "propagationPolicy" in query:
        found["propagationPolicy"] = query["propagationPolicy"]
    if "orphanDependents" in query:
        found["orphanDependents"] = is_true(query["orphanDependents"])
    if "dryRun" in query:
        found["dryRun"] = [query["dryRun"]]
    return found


def parse_int(query: Query, name: str) -> int:
    """Read a number.

    Raises:
        StatusError: It is not a number.
    """
    text = query[name]
    if not _INTEGER(text):
        raise status.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    if len(text) > _DIGITS or not -_LARGEST - 1 <= int(text) <= _LARGEST:
        raise status.bad_request(f'strconv.ParseInt: parsing "{text}": value out of range')
    return int(text)


class ListOptions(Struct):
    """The parameters of list and watch."""

    labels: str = ""
    fields: str = ""
    resource_version: str = ""
    match: str = ""
    limit: int = 0
    continue_token: str = ""
    timeout: float | None = None
    bookmarks: bool = False
    initial_events: bool | None = None


def list_options(query: Query, *, watch: bool) -> ListOptions:
    """Read the parameters of a list or a watch.

    Raises:
        StatusError: One of them is wrong, or they do not go together.
    """
    if not query:
        return ListOptions()
    found = ListOptions(
        labels=query.get("labelSelector", ""),
        fields=query.get("fieldSelector", ""),
        resource_version=query.get("resourceVersion", ""),
        match=query.get("resourceVersionMatch", ""),
        limit=max(0, parse_int(query, "limit")) if query.get("limit") else 0,
        continue_token=query.get("continue", ""),
        timeout=parse_int(query, "timeoutSeconds") if query.get("timeoutSeconds") else None,
        bookmarks=is_true(query.get("allowWatchBookmarks", "")),
        initial_events=(
            is_true(query["sendInitialEvents"]) if "sendInitialEvents" in query else None
        ),
    )
    errors = _watch_errors(found) if watch else _list_errors(found)
    if errors:
        raise status.invalid(GroupKind("meta.k8s.io", "ListOptions"), "", errors)
    return found


def _watch_errors(options: ListOptions) -> Errors:
    name, match = "resourceVersionMatch", options.match
    errors: Errors = []
    if options.initial_events is None:
        if match:
            text = f"{name} is forbidden for watch unless sendInitialEvents is provided"
            errors.append(fields.forbidden(name, text))
    elif match != "NotOlderThan":
        text = f"sendInitialEvents requires setting {name} to NotOlderThan"
        errors.append(fields.forbidden(name, text))
    if match not in ("", "NotOlderThan"):
        errors.append(fields.not_supported(name, match, ("NotOlderThan",)))
    return errors


def _list_errors(options: ListOptions) -> Errors:
    errors: Errors = []
    if options.initial_events is not None:
        errors.append(
            fields.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")
        )
    match = options.match
    if not match:
        return errors
    if options.continue_token:
        errors.append(
            fields.forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden when continue is provided",
            )
        )
    elif not options.resource_version:
        errors.append(
            fields.forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            )
        )
    if match not in ("Exact", "NotOlderThan"):
        errors.append(
            fields.not_supported(
                "resourceVersionMatch", match, ("Exact", "NotOlderThan", ""), sort=False
            )
        )
    elif match == "Exact" and options.resource_version == "0":
        errors.append(
            fields.forbidden(
                "resourceVersionMatch",
                'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
            )
        )
    return errors
