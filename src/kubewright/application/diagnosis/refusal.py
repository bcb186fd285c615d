"""`Refusal`: the right that was missing, read from what an API server said to the operator."""

import re
from typing import NamedTuple

from kubewright.crd import PolicyRule

__all__ = ["Refusal", "refusal_in"]

_REFUSED = re.compile(
    r'is forbidden: User "(?P<user>[^"]+)(?:" cannot (?P<verb>\w+) (?:resource |$))?'
)
_RESOURCE = re.compile(r'resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"')
_NAMESPACE = re.compile(r' in the namespace "(?P<namespace>[^"]+)"')
_ATTEMPT = re.compile(
    r"cannot (?P<action>\w+) (?P<plural>[a-z0-9-]+)(?:\.(?P<group>[a-z0-9.-]+))?"
    r"(?:/(?P<subresource>[a-z]+))?(?: '(?P<name>[^']+)')?"
    r"(?: in namespace '(?P<namespace>[^']+)')?: "
)
_APPLY = "apply"


class Refusal(NamedTuple):
    """What the operator was not allowed to do.

    Attributes:
        user: Who was refused.
        verbs: What was refused, and what would be next.
        group: The API group.
        resource: The plural, with the subresource after a slash.
        namespace: Where; empty for all namespaces, or none.
        name: The name of the object, if that is known.
    """

    user: str
    verbs: tuple[str, ...]
    group: str
    resource: str
    namespace: str = ""
    name: str = ""

    @property
    def rules(self) -> list[PolicyRule]:
        """The rule that would allow it."""
        return [PolicyRule((self.group,), (self.resource,), self.verbs, namespace=self.namespace)]

    def in_every_namespace(self) -> list[PolicyRule]:
        """Return the rule that would allow it everywhere."""
        return self._replace(namespace="").rules


def refusal_in(message: str) -> Refusal | None:
    """Return the right that was missing; ``None`` if the message is about something else.

    Events are cut, so what is missing at the end is taken from where it begins, in our own words.

    Example:
        >>> said = 'is forbidden: User "me" cannot get resource "secrets" in API group ""'
        >>> found = refusal_in(said)
        >>> (found.verbs, found.resource)
        (('get',), 'secrets')
    """
    refused, attempt = _REFUSED.search(message), _ATTEMPT.search(message)
    if refused is None:
        return None
    said, where = _RESOURCE.search(message, refused.start()), _NAMESPACE.search(message)
    if said is not None:
        resource, group = said["resource"], said["group"]
    elif attempt is not None:
        resource, group = attempt["plural"], attempt["group"] or ""
        resource += f"/{attempt['subresource']}" if attempt["subresource"] else ""
    else:
        return None
    namespace = where["namespace"] if where is not None else ""
    action = name = ""
    if attempt is not None:
        namespace = namespace or attempt["namespace"] or ""
        action, name = attempt["action"], attempt["name"] or ""
    verbs = _verbs(refused["verb"] or "", action)
    return Refusal(refused["user"], verbs, group, resource, namespace, name)


def _verbs(refused: str, action: str) -> tuple[str, ...]:
    """Return the verbs that it takes, lest the next refusal follow right after the first one."""
    verbs = {refused or action}
    if action == _APPLY:
        verbs = verbs - {_APPLY} | {"create", "patch"}
    if "watch" in verbs:
        verbs.add("list")
    return tuple(sorted(verbs))
