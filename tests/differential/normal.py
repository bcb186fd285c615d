"""What two servers may say differently about the same thing: versions, identities and times.

Each server's own values become names in the order in which they first appear, so that two answers
are equal if, and only if, the same things are equal within them. Causes and managers are sorted:
the order of the first is that in which Go visits a map, and the order of the others is by time, of
which the next second may begin on one server first.
"""

import json
import re
from typing import Any

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ADDRESS = re.compile(r"\b10\.\d+\.\d+\.\d+\b")
VERSION_IN_TEXT = re.compile(
    r"(ResourceVersion in precondition: |in object meta: |in the precondition \(|in record \()(\d+)"
)
SELF = re.compile(r"\bselfType\d+")

INVALID = " is invalid: "
UNDECLARED = "field not declared in schema"


class Names:
    """The names that one server's own values have got so far."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def name(self, kind: str, value: str) -> str:
        """Return the name of *value*: ``uid-1`` for the first uid, and so on."""
        count = sum(1 for other, _ in self._given if other == kind)
        return self._given.setdefault((kind, value), f"{kind}-{count + 1}")

    def normal(self, document: Any) -> Any:
        """Return *document* with names instead of what is this server's own."""
        if isinstance(document, dict):
            return {key: self._entry(key, document[key]) for key in sorted(document)}
        if isinstance(document, list):
            return [self.normal(one) for one in document]
        return self._text(document) if isinstance(document, str) else document

    def _entry(self, key: str, value: Any) -> Any:
        if key == "metadata" and isinstance(value, dict) and "uid" not in value:
            value = _without_place(value)
        elif key == "resourceVersion" and isinstance(value, str) and value.isdecimal():
            return self.name("version", value)
        elif key == "message" and isinstance(value, str):
            value = _without_order(value)
        found = self.normal(value)
        if key in {"causes", "managedFields"} and isinstance(found, list):
            return _unique(sorted(found, key=lambda one: json.dumps(one, sort_keys=True)))
        return found

    def _text(self, text: str) -> str:
        text = SELF.sub("selfType", TIME.sub("TIME", text))
        text = UID.sub(lambda match: self.name("uid", match[0]), text)
        text = ADDRESS.sub(lambda match: self.name("address", match[0]), text)
        return VERSION_IN_TEXT.sub(lambda match: match[1] + self.name("version", match[2]), text)


def _unique(entries: list[Any]) -> list[Any]:
    """Drop what is said twice: Kubernetes checks some things so."""
    return [one for index, one in enumerate(entries) if one not in entries[:index]]


def _without_place(metadata: dict[str, Any]) -> dict[str, Any]:
    """Drop where a list stands in the history of the whole server, others' writes included."""
    found = {key: value for key, value in metadata.items() if key != "resourceVersion"}
    return found | {"continue": "TOKEN"} if found.get("continue") else found


def _without_order(message: str) -> str:
    """Drop what depends on the order in which Go visits a map: any, and another one each time."""
    if INVALID in message:  # the causes, which are compared too, say the same
        return message[: message.index(INVALID) + len(INVALID)] + "CAUSES"
    if UNDECLARED in message:  # an undeclared field ends the search, whatever else is wrong
        return message.partition(": ")[0] + ": " + UNDECLARED
    head, mark, lines = message.partition("errors:\n")
    return head + mark + "\n".join(sorted(lines.split("\n")))
