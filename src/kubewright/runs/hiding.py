"""What must not be shown: values of Secrets, passwords, tokens; and what is shown instead."""

import os
import re
from typing import Any

from kubewright.log.values import text

__all__ = ["LAST_APPLIED", "hidden", "is_hidden", "is_hidden_variable", "shown"]

LAST_APPLIED: str = "kubectl.kubernetes.io/last-applied-configuration"
"""Holds the whole object once more, so also what is hidden elsewhere."""

_SALT = os.urandom(16)  # new in each process: nobody can try values against a hash in a log
_FIELD = (
    r"(?i)(?:password|passwd|token|credentials?|(?:secret|private|api|access)_?key|client_?secret)$"
)
_VARIABLE = r"(?i)token|key|passw|secret|credential"


def hidden(value: object) -> str:
    """Return what is shown instead of *value*: whether it changed can be told, and no more.

    Example:
        >>> hidden("s3cret") == hidden("s3cret"), hidden("s3cret") == hidden("S3cret")
        (True, False)
    """
    from hashlib import blake2b

    raw = str(value).encode("utf-8", "surrogatepass")
    mark = blake2b(raw, digest_size=4, key=_SALT).hexdigest()
    return f"[hidden: {len(raw)} bytes, #{mark}]"


def is_hidden(name: str) -> bool:
    """Say whether the field *name* holds something that must not be shown, if it holds text."""
    return name == LAST_APPLIED or re.search(_FIELD, name) is not None


def is_hidden_variable(name: str) -> bool:
    """Say whether an environment variable called *name* holds something that must not be shown."""
    return re.search(_VARIABLE, name) is not None


def shown(name: str, value: Any, *, secret: bool = False) -> Any:
    """Return *value* of the field *name* as it may be shown; *secret* hides it whatever it is."""
    if secret:
        return None if value is None else hidden(value)
    if isinstance(value, str):
        return hidden(value) if is_hidden(name) else text(value)
    if isinstance(value, list):
        return [shown(name, one) for one in value]
    if isinstance(value, dict):
        is_variable = is_hidden_variable(str(value.get("name", "")))
        return {
            key: shown(key, one, secret=is_variable and key == "value")
            for key, one in value.items()
        }
    return value
