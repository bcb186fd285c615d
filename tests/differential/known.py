"""The differences that are right, each with its reason. Nothing else is forgiven.

The embedded server follows Kubernetes 1.37. The kube-apiserver that stands beside it may be as old
as 1.20, and says some things otherwise; the custom-resource server is nearly of its age. A change
here is a function that takes the difference out of an answer; it is applied to both. What cannot be
taken out is not asked for:

- A PUT of a Service that is not there creates it, since 1.23 (`CREATED_BY_PUT`).
- Names of environment variables may hold almost any character, since 1.32; a malformed clusterIP
  is reported without the other mistakes, since 1.23. Such objects are not generated.
- Apply through the scale of a custom resource fails in Kubernetes, with an error about its own
  conversion, unless nothing changes; and it forgets all managers of a custom resource, or answers
  500, when a version of it lacks fields of another. Neither is generated.
"""

import re
from dataclasses import dataclass
from typing import Any

CREATED_BY_PUT: frozenset[str] = frozenset({"service"})


@dataclass(frozen=True)
class Known:
    """The differences that are known between two servers.

    Attributes:
        dropped: Fields that only one of them has, with the value that says nothing.
        texts: Patterns of texts, and what stands for all that match.
    """

    dropped: tuple[tuple[str, Any], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    def applied(self, answer: Any) -> Any:
        """Return *answer* without what is known to differ."""
        if isinstance(answer, dict):
            kept = {key: self.applied(value) for key, value in answer.items()}
            return {key: kept[key] for key in kept if (key, kept[key]) not in self.dropped}
        if isinstance(answer, list):
            return [self.applied(one) for one in answer]
        if isinstance(answer, str):
            for pattern, text in self.texts:
                answer = re.sub(pattern, text, answer)
        return answer


CUSTOM = Known()
BUILTIN = Known(
    dropped=(
        # Times that are not set are no longer written.
        ("creationTimestamp", None),
    ),
    texts=(
        # Structs in errors were Go's, and are JSON now.
        (r"(Unsupported|Invalid) value: (\w+\.\w+\{|map\[|\[\]|\{|\[).*?: (?=\w)", r"\1 value: STRUCT: "),
        # Services have had fields of their own to select by since 1.22.
        (r'^"[^"]*" is not a known field selector: only .*|^field label not supported: .*', "FIELD"),
        # What a selector may hold is listed anew since 1.21.
        (r"expected: ('=', .*|in, notin, =.*)", "expected: OPERATOR"),
    ),
)
