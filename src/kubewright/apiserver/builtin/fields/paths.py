"""File paths in volumes and mounts."""

from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors


def no_backsteps(value: str, path: str) -> Errors:
    """Return an error if a path contains ``..``."""
    if ".." in value and ".." in value.split("/"):
        return [field.invalid(path, value, "must not contain '..'")]
    return []


def descending(value: str, path: str) -> Errors:
    """Return what is wrong with a path that must be relative and must not contain ``..``."""
    errors: Errors = []
    if value.startswith("/"):
        errors.append(field.invalid(path, value, "must be a relative path"))
    return errors + no_backsteps(value, path)


def descending_unreserved(value: str, path: str) -> Errors:
    """Return what is wrong with the path of a file that a kubelet writes into a volume."""
    errors = descending(value, path)
    if value.startswith("..") and not value.startswith("../"):
        errors.append(field.invalid(path, value, "must not start with '..'"))
    return errors
