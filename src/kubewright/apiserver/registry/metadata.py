"""Fills in, carries over and validates the metadata of every kind."""

import secrets
import uuid

import msgspec

from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj

_encode = msgspec.json.Encoder(order="sorted").encode

ALPHABET: str = "bcdfghjklmnpqrstvwxz2456789"  # without vowels, so that no words arise
SUFFIX_LENGTH: int = 5
GENERATED_LIMIT: int = 63 - SUFFIX_LENGTH
IMMUTABLE: str = "field is immutable"
OWNED_BY_SERVER: tuple[str, ...] = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)
STANDARD_FINALIZERS: frozenset[str] = frozenset({"orphan", "foregroundDeletion"})
CORE_FINALIZERS: frozenset[str] = frozenset({"kubernetes", "orphan", "foregroundDeletion"})


def generated_name(prefix: str) -> str:
    """Return a name that begins with *prefix* and ends at random."""
    suffix = "".join(secrets.choice(ALPHABET) for _ in range(SUFFIX_LENGTH))
    return prefix[:GENERATED_LIMIT] + suffix


def wipe(metadata: Obj) -> None:
    """Remove what a client must not say about a new object."""
    for name in OWNED_BY_SERVER:
        metadata.pop(name, None)


def fill(metadata: Obj, now: str) -> None:
    """Set what only the server knows about a new object, whatever a webhook has put there."""
    wipe(metadata)
    metadata.pop("generation", None)
    metadata["uid"] = str(uuid.uuid4())
    metadata["creationTimestamp"] = now


def carry_over(new: Obj, old: Obj) -> None:
    """Take from *old* what an update may leave out, and what it cannot change."""
    for name in ("uid", "deletionGracePeriodSeconds"):
        if name in old and name not in new:
            new[name] = old[name]
    for name in ("creationTimestamp", "deletionTimestamp"):
        if name in old:
            new[name] = old[name]
    for name in ("generation", "selfLink"):
        if name in old:
            new[name] = old[name]
        else:
            new.pop(name, None)


def drop_duplicate_owners(metadata: Obj) -> bool:
    """Drop owner references that are there twice; return whether there were any."""
    owners = metadata.get("ownerReferences")
    if not owners or len(owners) == 1:
        return False
    # By their content, in one pass: there may be very many.
    unique = list({_encode(owner): owner for owner in owners}.values())
    if len(unique) == len(owners):
        return False
    metadata["ownerReferences"] = unique
    return True


def validate(obj: Obj, resource: Resource) -> Errors:
    """Return what is wrong with the metadata of a new object."""
    metadata = obj["metadata"]
    errors: Errors = []
    if prefix := metadata.get("generateName"):
        # The suffix makes it valid: "web-" is not a name, but a valid prefix of one.
        problems = resource.strategy.name_rule(
            prefix.rstrip("-") if prefix.endswith("-") else prefix
        )
        errors += [field.invalid("metadata.generateName", prefix, text) for text in problems]
    name = metadata.get("name", "")
    if not name:
        errors.append(field.required("metadata.name", "name or generateName is required"))
    else:
        problems = resource.strategy.name_rule(name)
        errors += [field.invalid("metadata.name", name, text) for text in problems]
    return errors + _parts(metadata, resource)


def _parts(metadata: Obj, resource: Resource) -> Errors:
    errors: Errors = []
    if labels := metadata.get("labels"):
        errors += naming.labels(labels, "metadata.labels")
    if annotations := metadata.get("annotations"):
        errors += naming.annotations(annotations, "metadata.annotations")
    if owners := metadata.get("ownerReferences"):
        errors += _owner_errors(owners)
    if finalizers := metadata.get("finalizers"):
        errors += _finalizer_errors(finalizers, resource)
    return errors


def _owner_errors(owners: list[Obj]) -> Errors:
    path = "metadata.ownerReferences"
    errors: Errors = []
    controller = ""
    for index, owner in enumerate(owners):
        errors += _reference_errors(owner, f"{path}[{index}]")
        if owner.get("controller"):
            named = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                text = (
                    'Only one reference can have Controller set to true. Found "true" in'
                    f" references for {controller} and {named}"
                )
                errors.append(field.invalid(path, owners, text))
            controller = controller or named
    return errors


def _reference_errors(owner: Obj, path: str) -> Errors:
    version: str = owner.get("apiVersion") or ""
    errors: Errors = []
    if version and (version.count("/") > 1 or version.endswith("/")):
        text = "must be <group>/<version> or <version>"
        errors.append(field.invalid(f"{path}.apiVersion", version, text))
    errors += [
        field.required(f"{path}.{name}", "must not be empty")
        for name in ("apiVersion", "kind", "name", "uid")
        if not owner.get(name)
    ]
    if version == "v1" and owner.get("kind") == "Event":
        text = "/v1, Kind=Event is disallowed from being an owner"
        errors.append(field.invalid(path, owner, text))
    return errors


def _finalizer_errors(finalizers: list[str], resource: Resource) -> Errors:
    path = "metadata.finalizers"
    errors: Errors = []
    if STANDARD_FINALIZERS.issubset(finalizers):
        text = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(field.invalid(path, finalizers, text))
    unchecked = resource.custom or resource.group == "apiextensions.k8s.io"
    for index, name in enumerate(finalizers):
        at = f"{path}[{index}]"
        errors += [field.invalid(path, name, text) for text in naming.qualified_name(name)]
        if not unchecked and "/" not in name and name not in CORE_FINALIZERS:
            text = "name is neither a standard finalizer name nor is it fully qualified"
            errors.append(field.invalid(at, name, text))
    return errors


def validate_update(new: Obj, old: Obj, resource: Resource) -> Errors:
    """Return what is wrong with a change of the metadata."""
    # Twice, as in Kubernetes: once for all kinds, and once more by each.
    errors = 2 * [
        field.invalid(f"metadata.{name}", new.get(name), IMMUTABLE)
        for name in ("name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds")
        if new.get(name) != old.get(name)
    ]
    if old.get("deletionTimestamp"):
        added = [
            name for name in new.get("finalizers", ()) if name not in old.get("finalizers", ())
        ]
        if added:
            listed = ", ".join(field.quoted(name) for name in added)
            text = (
                "no new finalizers can be added if the object is being deleted, found new"
                f" finalizers []string{{{listed}}}"
            )
            errors.append(field.forbidden("metadata.finalizers", text))
    return errors + _parts(new, resource)
