"""Rules are put into the file of a role, and all else in it stays."""

from typing import Any

import pytest

from kubewright.cli.rbac.rolefile import with_role_rules
from kubewright.crd.manifest import from_yaml
from kubewright.errors import ConfigError

NEW: list[dict[str, Any]] = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
    {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
]
COMMENTED = """\
# The head.
kind: Role  # of the shop
metadata:
  # No namespace.
  name: a
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [get]

# About the next one.
---
kind: ConfigMap  # it stays
metadata: {name: b}
"""


def test_comments_and_other_documents_stay() -> None:
    """Only the rules were asked about."""
    changed = with_role_rules(COMMENTED, [NEW], place="a.yaml")

    before, _, after = COMMENTED.partition("- apiGroups")
    assert changed.startswith(before)
    assert changed.endswith(after.partition("[get]")[2])
    assert from_yaml(changed)[0]["rules"] == NEW
    assert with_role_rules(COMMENTED, [None], place="a.yaml") == COMMENTED


@pytest.mark.parametrize("rules", [NEW, []])
@pytest.mark.parametrize(
    "text",
    [
        "kind: Role\nmetadata: {name: a}\n",
        "kind: Role\nmetadata: {name: a}",
        "kind: Role\nrules:\nmetadata: {name: a}\n",
        "kind: Role\nrules: []\nmetadata: {name: a}\n",
        "kind: Role\nrules: [{apiGroups: ['#'], resources: [a],\n  verbs: [b]}]\nmetadata: {}\n",
        "kind: Role\nrules:\n- verbs:\n  - a#b\n  apiGroups:\n    - >-\n     x\n\n\nmetadata: {}\n",
        '{"kind": "Role", "rules": [{"verbs": ["a"]}], "metadata": {"name": "a"}}\n',
        "--- \n  kind: Role\n  rules:\n  - verbs: [a]\n  metadata: {name: a}\n",
        "kind: Role\r\nrules:\r\n- verbs: [a]\r\nmetadata: {name: a}\r\n",
        "\ufeffkind: Role\nrules:\n- verbs: [a]\nmetadata: {name: \U0001f600}\n",
    ],
)
def test_rules_are_found_however_they_are_written(text: str, rules: list[dict[str, Any]]) -> None:
    """Roles are written by hand, by tools, and as JSON."""
    [wanted] = from_yaml(text)

    changed = with_role_rules(text, [rules], place="a.yaml")

    assert from_yaml(changed) == [wanted | {"rules": rules}]
    assert changed.count("\r\n") in (0, changed.count("\n"))


@pytest.mark.parametrize(
    "rules",
    [
        "\n# why\n- verbs: [get]",
        "\n- verbs: [get]  # why",
        "  # why\n- verbs: [get]",
        "\n- verbs:\n  # why\n  - get",
        " [{verbs: [get] # why\n }]",
        " [  # why\n ]",
    ],
)
def test_comments_among_the_rules_are_not_lost(rules: str) -> None:
    """Somebody has written down why a right is needed."""
    with pytest.raises(ConfigError) as refused:
        with_role_rules(
            f"kind: Role\nmetadata: {{name: a}}\nrules:{rules}\n", [NEW], place="a.yaml"
        )

    assert str(refused.value).startswith(
        "a.yaml:3 has comments among its rules, which would be lost: write them there yourself\n"
        "rules:\n- apiGroups:\n  - ''\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "{kind: Role, metadata: {name: a}}\n",
        "kind: Role\nmetadata: {a: &a [{verbs: [x]}]}\nrules: *a\n",
        "kind: Role\nrules: &a [{verbs: [x]}]\nmetadata: {a: *a}\n",
    ],
)
def test_what_cannot_be_edited_is_left_to_people(text: str) -> None:
    """The file would mean something else."""
    with pytest.raises(ConfigError, match="written in a way that cannot be edited"):
        with_role_rules(text, [NEW], place="a.yaml")
