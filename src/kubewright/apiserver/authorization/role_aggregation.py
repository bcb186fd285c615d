"""ClusterRoles that gather the rules of others by their labels."""

from collections.abc import Iterable

from kubewright.apiserver.authorization.attributes import Rule
from kubewright.apiserver.authorization.labels import label_selector
from kubewright.apiserver.registry.strategy import Obj


def aggregated_rules(role: Obj, roles: Iterable[Obj]) -> list[Rule] | None:
    """Return the rules that *role* gathers from *roles*, or ``None`` if it does not gather.

    Each rule comes once, in the order of the selectors and of the names of the roles.
    """
    selectors = (role.get("aggregationRule") or {}).get("clusterRoleSelectors")
    if not selectors:
        return None
    own = role["metadata"]["name"]
    ordered = sorted(roles, key=lambda one: str(one["metadata"]["name"]))
    found: list[Rule] = []
    for selector in map(label_selector, selectors):
        for other in ordered:
            metadata = other["metadata"]
            if metadata["name"] == own or not selector.matches(metadata.get("labels") or {}):
                continue
            found += [rule for rule in other.get("rules") or () if rule not in found]
    return found


def stale_roles(roles: Iterable[Obj]) -> list[Obj]:
    """Return the ClusterRoles whose gathered rules are not up to date, with the right ones.

    A role can gather from roles that gather themselves, so this goes on until nothing changes.
    The objects given are not modified.
    """
    current = {role["metadata"]["name"]: role for role in roles}
    changed: dict[str, Obj] = {}
    for _ in range(len(current)):  # a chain cannot be longer, and a circle must not go on
        settled = True
        for name, role in current.items():  # one by one, or two that gather each other swap forever
            rules = aggregated_rules(role, current.values())
            if rules is not None and rules != (role.get("rules") or []):
                changed[name] = current[name] = {**role, "rules": rules}
                settled = False
        if settled:
            break
    return list(changed.values())
