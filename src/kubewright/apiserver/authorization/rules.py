"""PolicyRules: what one allows, and whether some cover others."""

from collections.abc import Iterable, Sequence

from kubewright.apiserver.authorization.attributes import Rule
from kubewright.apiserver.meta.field import quoted

FULL_AUTHORITY: list[Rule] = [
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
]


def listed(rule: Rule, field: str) -> Sequence[str]:
    """Return a list of *rule*, empty where it has none."""
    return rule.get(field) or ()


def allows_resource(rule: Rule, verb: str, group: str, *, resource: str, subresource: str) -> bool:
    """Say whether *rule* allows *verb*, whatever the names that it may be restricted to."""
    verbs, groups = listed(rule, "verbs"), listed(rule, "apiGroups")
    if verb not in verbs and "*" not in verbs:
        return False
    if group not in groups and "*" not in groups:
        return False
    resources = listed(rule, "resources")
    if "*" in resources:
        return True
    if not subresource:
        return resource in resources
    return f"{resource}/{subresource}" in resources or f"*/{subresource}" in resources


def allows_path(rule: Rule, verb: str, path: str) -> bool:
    """Say whether *rule* allows *verb* on a path that is not a resource."""
    verbs = listed(rule, "verbs")
    if verb not in verbs and "*" not in verbs:
        return False
    return any(_path_covers(allowed, path) for allowed in listed(rule, "nonResourceURLs"))


def _path_covers(owner: str, path: str) -> bool:
    return owner == path or (owner.endswith("*") and path.startswith(owner.rstrip("*")))


def uncovered(wanted: Iterable[Rule], owned: Sequence[Rule]) -> list[Rule]:
    """Return what *wanted* allows and *owned* does not, in rules of one verb and resource each."""
    return [
        part
        for rule in wanted
        for part in _broken_down(rule)
        if not any(_covers(own, part) for own in owned)
    ]


def _broken_down(rule: Rule) -> Iterable[Rule]:
    names = listed(rule, "resourceNames")
    for group in listed(rule, "apiGroups"):
        for resource in listed(rule, "resources"):
            for verb in listed(rule, "verbs"):
                part = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
                if not names:
                    yield part
                for name in names:
                    yield {**part, "resourceNames": [name]}
    for url in listed(rule, "nonResourceURLs"):
        for verb in listed(rule, "verbs"):
            yield {"nonResourceURLs": [url], "verbs": [verb]}


def _covers(owner: Rule, part: Rule) -> bool:
    """Say whether *owner* allows all of *part*, which is of one verb and resource."""
    (verb,) = part["verbs"]
    names, owned_names = part.get("resourceNames"), listed(owner, "resourceNames")
    if owned_names and not (names and names[0] in owned_names):
        return False
    if "nonResourceURLs" in part:
        return allows_path(owner, verb, part["nonResourceURLs"][0])
    (group,), (combined,) = part["apiGroups"], part["resources"]
    resource, _, subresource = combined.partition("/")
    return allows_resource(owner, verb, group, resource=resource, subresource=subresource)


def described(rules: Iterable[Rule]) -> list[str]:
    """Return *rules* as the server lists them: one line for each resource, sorted."""
    lines: set[str] = set()
    merged: dict[tuple[str, ...], Rule] = {}
    for rule in rules:
        if "resources" not in rule:
            lines.add(_line(rule))
            continue
        key = (*rule["apiGroups"], *rule["resources"], *rule.get("resourceNames", ()))
        if key in merged:
            merged[key]["verbs"] += rule["verbs"]
        else:
            merged[key] = {**rule, "verbs": list(rule["verbs"])}
    return sorted(lines | {_line(rule) for rule in merged.values()})


_FIELDS = {
    "apiGroups": "APIGroups",
    "resources": "Resources",
    "nonResourceURLs": "NonResourceURLs",
    "resourceNames": "ResourceNames",
    "verbs": "Verbs",
}


def _line(rule: Rule) -> str:
    parts = [f"{shown}:{go_list(rule[name])}" for name, shown in _FIELDS.items() if rule.get(name)]
    return "{" + ", ".join(parts) + "}"


def go_list(values: Iterable[str]) -> str:
    """Return *values* as Go prints a list of strings."""
    return f"[{' '.join(quoted(value) for value in values)}]"


def aggregate(errors: Sequence[str]) -> str:
    """Return *errors* as Go prints several at once: each text once."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
