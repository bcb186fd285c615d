"""What ``helm template`` does not know is written into the templates that ask for it.

It calls each release the first one, and takes a cluster for one that serves all that this helm has
ever heard of, of which no argument takes anything away.
"""

import json
import re
from collections.abc import Iterable

__all__ = ["rewritten"]

_ACTION = re.compile(rb"\{\{.*?\}\}", re.DOTALL)
_WHERE = rb"(?<![\w.$)])[$\w.]*"
"""What leads to the built-in objects: ``$``, ``.context``, nothing; no brackets, which are left."""
_REVISION = re.compile(_WHERE + rb"\.Release\.Revision\b")
_HAS = re.compile(_WHERE + rb"\.Capabilities\.APIVersions\.Has\b")


def rewritten(template: bytes, revision: int, apis: Iterable[str]) -> bytes:
    """Return *template* with what it asks for.

    Args:
        template: The template.
        revision: The number of the release.
        apis: All that the cluster serves, as far as the chart asks.
    """
    number = f"(int {revision})".encode()
    # Of the functions for templates, this one has the name that is looked for as its last argument.
    known = "".join(f' {json.dumps(one)} ""' for one in sorted(apis))
    has = f"hasKey (dict{known})".encode()
    return _ACTION.sub(lambda action: _HAS.sub(has, _REVISION.sub(number, action[0])), template)
