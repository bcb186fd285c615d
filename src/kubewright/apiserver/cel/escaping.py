"""Names of fields as CEL can spell them: ``foo-bar`` is ``foo__dash__bar`` in a rule."""

import re
from typing import Final

from kubewright.apiserver.cel.celtype import RESERVED

_SUPPORTED = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*", re.ASCII)
_SPECIAL = re.compile(r"__|[-./]")
_ESCAPES: Final = {
    "__": "__underscores__",
    ".": "__dot__",
    "-": "__dash__",
    "/": "__slash__",
}


def escape(name: str) -> str | None:
    """Return how a rule spells the field *name*, or nothing if it cannot.

    Example:
        >>> escape("if"), escape("foo.bar"), escape("1st")
        ('__if__', 'foo__dot__bar', None)
    """
    if not _SUPPORTED.fullmatch(name):
        return None
    if name in RESERVED:
        return f"__{name}__"
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], name)
