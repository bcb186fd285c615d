"""What --fix writes."""

import importlib.util
import sys
from pathlib import Path

import pytest

import kubewright as kw
from kubewright.application.calls import Trace
from kubewright.application.coverage import Comparison, Missing
from kubewright.application.rights import Right
from kubewright.cli.files import write
from kubewright.cli.rbac.repair import repaired_operator, repaired_roles
from kubewright.cli.rbac.roles import read_roles
from kubewright.crd import PolicyRule
from kubewright.errors import ConfigError

PODS = PolicyRule(("",), ("pods",), ("get",))
WRITTEN = 'PolicyRule(groups=("",), resources=("pods",), verbs=("get",))'


def missing(*rights: Right) -> Comparison:
    return Comparison([Missing(one, [], Trace(1)) for one in rights], [], [])


def test_an_operator_that_is_not_found_is_told_with_its_rules(tmp_path: Path) -> None:
    """Its name may be computed."""
    operator = kw.Operator("made-in-a-function")

    with pytest.raises(ConfigError) as refused:
        repaired_operator(operator, tmp_path, missing(Right("", "", "pods", "get")))

    assert "cannot find where the operator 'made-in-a-function' is made" in str(refused.value)
    assert WRITTEN in str(refused.value)


def test_without_anything_missing_no_code_is_changed(tmp_path: Path) -> None:
    """And none is looked for."""
    assert repaired_operator(kw.Operator("a"), tmp_path, Comparison([], [], [])) == []
    assert repaired_operator(None, tmp_path, missing(Right("", "", "pods", "get"))) == []


def repaired_module(folder: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Return a module after the repair of its operator, which is called ``shop``."""
    path = folder / "made.py"
    path.write_bytes(content)
    spec = importlib.util.spec_from_file_location("made_here", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "made_here", module)
    spec.loader.exec_module(module)
    write(folder, repaired_operator(module.operator, folder, missing(Right("", "", "pods", "get"))))
    return path.read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b'# coding: latin-1\nimport kubewright as kw\nX = "\xe9"\noperator = kw.Operator("shop")\n',
        b'\xef\xbb\xbfimport kubewright as kw\nX = "\xc3\xa9"\noperator = kw.Operator("shop")\n',
        b'import kubewright as kw\r\nX = "\xc3\xa9"\r\noperator = kw.Operator("shop")\r\n',
    ],
)
def test_the_encoding_and_the_line_ends_of_a_module_stay(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is whatever its author's editor made it."""
    changed = repaired_module(tmp_path, content, monkeypatch)

    assert WRITTEN.encode() in changed
    assert content.partition(b"operator =")[0].splitlines()[-1] in changed.splitlines()
    assert changed.startswith(content[:10])
    assert changed.count(b"\r\n") in (0, changed.count(b"\n"))


ROLES = """\
# Two roles.
---
kind: Role
metadata: {name: a, namespace: shop}
rules: [{apiGroups: [''], resources: [pods], verbs: [get, delete]}]
---
kind: ConfigMap
metadata: {name: other}
---
kind: ClusterRole
metadata: {name: b}
rules: [{nonResourceURLs: [/metrics], verbs: [get]}]
"""


def repaired(tmp_path: Path, *rights: Right, unused: set[Right]) -> str:
    path = tmp_path / "roles.yaml"
    path.write_text(ROLES)
    [change] = repaired_roles(read_roles(path), missing(*rights), unused)
    assert change.after is not None
    path.write_text(change.after)
    return change.after


def test_what_is_missing_goes_where_it_holds_and_what_is_unused_goes(tmp_path: Path) -> None:
    """A Role is enough for its namespace; all others need a ClusterRole."""
    repaired(
        tmp_path,
        Right("shop", "", "pods", "list"),
        Right("bar", "", "pods", "list"),
        Right("", "", "", "get", url="/logs"),
        unused={Right("shop", "", "pods", "delete")},
    )

    first, second = read_roles(tmp_path / "roles.yaml")
    assert first.rules == [PolicyRule(("",), ("pods",), ("get", "list"), namespace="shop")]
    assert second.rules == [
        PolicyRule(verbs=("get",), urls=("/logs", "/metrics")),
        PolicyRule(("",), ("pods",), ("list",)),
    ]


def test_other_documents_of_the_file_stay(tmp_path: Path) -> None:
    """Roles often stand beside their bindings."""
    text = repaired(tmp_path, unused=set())

    assert text.startswith("# Two roles.\n")
    assert "kind: ConfigMap" in text


def test_a_role_that_holds_there_must_exist(tmp_path: Path) -> None:
    """Rights for other namespaces are not given in passing."""
    path = tmp_path / "roles.yaml"
    path.write_text(ROLES.partition("---\nkind: ConfigMap")[0])

    with pytest.raises(ConfigError, match="holds where list pods was needed: write one, and bind"):
        repaired_roles(read_roles(path), missing(Right("bar", "", "pods", "list")), set())


def test_only_roles_that_change_are_written_anew(tmp_path: Path) -> None:
    """The layout of all else is somebody's, and a review shows what was changed."""
    text = repaired(tmp_path, Right("bar", "", "pods", "list"), unused=set())

    head, tail = "rules: [{nonResourceURLs", ROLES.rpartition("rules:")
    assert text.startswith(tail[0])
    assert head not in text
