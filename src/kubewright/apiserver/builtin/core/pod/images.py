"""Image references: ``[host/]path[:tag][@digest]``."""

import re
from functools import lru_cache

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PART = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"((?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::([a-zA-Z0-9_][a-zA-Z0-9_.-]{{0,127}}))?"
    r"(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?"
).fullmatch
_HEX_ID = re.compile(r"[a-f0-9]{64}").fullmatch
_LONGEST = 1024


@lru_cache(maxsize=4096)
def pull_policy(image: str) -> str:
    """Return the pull policy for a container that does not set one.

    The tag ``latest``, given or implied, moves; other tags and digests are expected not to.
    A text that is not an image reference counts as one without ``latest``.
    """
    match = _REFERENCE(image) if len(image) <= _LONGEST and not _HEX_ID(image) else None
    if match is None:
        return "IfNotPresent"
    _, tag, digest = match.groups()
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"
