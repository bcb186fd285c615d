"""The differences that are right, each with its reason. Nothing else is forgiven.

The embedded server follows Kubernetes 1.37. The kube-apiserver that stands beside it may be as old
as 1.20, and says some things otherwise; the custom-resource server is nearly of its age. A change
here is a function that takes the difference out of an answer; it is applied to both. What cannot be
taken out is not asked for:

- Directives of strategic patches stayed in what was not there before, until 1.27: none is put
  into lists or plain maps (`PLAIN_MAPS`).
- A dry run gives a Service its address, since 1.23 (`NO_DRY_RUN`).
- A PUT of a Service that is not there creates it, since 1.23 (`CREATED_BY_PUT`).
- Names of environment variables may hold almost any character, since 1.32; a malformed clusterIP
  is reported without the other mistakes, since 1.23. Such objects are not generated.
- An empty binaryData in the change of an immutable ConfigMap counts as a change. Such are not
  generated.
- Lists that are given but empty are shown as ``[]`` in the structs of errors about definitions, and
  formats that do not go with a type count when defaults are checked. Such are not generated.
- An applied object with an unreadable object in it is refused by validation, together with all else
  that is wrong with it, and not before; we refuse it at once. Such are not applied.
- Apply through the scale of a custom resource fails in Kubernetes, with an error about its own
  conversion, unless nothing changes; and it forgets all managers of a custom resource, or answers
  500, when a version of it lacks fields of another. Neither is generated.
"""

import re
from dataclasses import dataclass
from typing import Any

NO_DRY_RUN: frozenset[str] = frozenset({"service"})
PLAIN_MAPS: frozenset[str] = frozenset(
    {
        *("data", "binaryData", "stringData", "labels", "annotations", "selector", "nodeSelector"),
        *("matchLabels", "limits", "requests"),
    }
)
CREATED_BY_PUT: frozenset[str] = frozenset({"service"})
ANY = "any value"


@dataclass(frozen=True)
class Known:
    """The differences that are known between two servers.

    Attributes:
        dropped: Fields that only one of them has, with the value that they have then.
        texts: Patterns of texts, and what stands for all that match.
        atomic: Maps in managedFields that one of them owns field by field.
    """

    dropped: tuple[tuple[str, Any], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    atomic: frozenset[str] = frozenset()

    def applied(self, answer: Any) -> Any:
        """Return *answer* without what is known to differ."""
        if isinstance(answer, dict):
            kept = {
                key: {} if key in self.atomic else self.applied(value)
                for key, value in answer.items()
            }
            return {key: value for key, value in kept.items() if not self._drops(key, value)}
        if isinstance(answer, list):
            return [self.applied(one) for one in answer]
        if isinstance(answer, str):
            for pattern, text in self.texts:
                answer = re.sub(pattern, text, answer)
        return answer

    def _drops(self, key: str, value: Any) -> bool:
        return any(name == key and empty in (ANY, value) for name, empty in self.dropped)


SERVICE_FIELDS = ("internalTrafficPolicy", "ipFamilies", "ipFamilyPolicy")
CUSTOM = Known(
    texts=(
        # A value that breaks two rules of a selector is counted twice in its path.
        (r"values\[0\]\[1\]", "values[0]"),
        # A patched document that cannot be read is shown with its fields in the patch's order.
        (r'Invalid value: "\{.*\}": ', "Invalid value: DOCUMENT: "),
    )
)
BUILTIN = Known(
    # Selectors are owned as a whole since 1.21.
    atomic=frozenset({"f:selector", "f:nodeSelector"}),
    dropped=(
        # Times that are not set are no longer written.
        ("creationTimestamp", None),
        # Since 1.22 managers are told apart by the subresource that they used.
        ("subresource", ANY),
        # Services have had these since 1.20 (dual stack, behind a gate) and 1.21.
        *((name, ANY) for name in SERVICE_FIELDS),
        *((f"f:{name}", ANY) for name in SERVICE_FIELDS),
    ),
    texts=(
        # Structs in errors were Go's, and are JSON now.
        (
            r"(Unsupported|Invalid) value: (\w+\.\w+\{|map\[|\[\]|\{|\[).*?: (?=[\w`])",
            r"\1 value: STRUCT: ",
        ),
        # Services have had fields of their own to select by since 1.22.
        (
            r'^"[^"]*" is not a known field selector: only .*|^field label not supported: .*',
            "FIELD",
        ),
        # What a selector may hold is listed anew, and checked as fields are, since 1.21.
        (r"expected: ('=', .*|in, notin, =.*)", "expected: OPERATOR"),
        (r"^unable to parse requirement: (?!found).*", "unable to parse requirement: VALUE"),
        # Bodies are decoded by another library, with errors of its own, since 1.23.
        (r"cannot be handled as an? (\w+): .*", r"cannot be handled as a \1: DECODE"),
        (r"value: .*: may not be 0 when `maxSurge` is 0", "value: NUMBER"),
        (r'^Invalid value: "(\{|map\[data|map\[stringData|<secret).*', "Invalid value: DECODE"),
        # We do not repeat what is in a Secret.
        (r"(typed patch object \([^)]*Kind=Secret\)): .*", r"\1: VALUE"),
        # The limit that a request exceeds is shown since 1.28.
        (r"(must be less than or equal to \w+ limit) of .*", r"\1"),
        # A path was misspelt.
        (r"^Value$", "value"),
        # The path of a missing key of a Secret was misspelt.
        (r"^data\[%s\]", "data"),
    ),
)
