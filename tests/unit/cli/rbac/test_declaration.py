"""Rules are added to the call that makes the operator, and nothing else of its module changes."""

import ast
import types

import pytest

from kubewright.cli.rbac.declaration import with_rules
from kubewright.crd import PolicyRule
from kubewright.errors import ConfigError

PODS = PolicyRule(("",), ("pods",), ("get",))
WRITTEN = 'PolicyRule(groups=("",), resources=("pods",), verbs=("get",))'


def changed(text: str, *rules: PolicyRule) -> str:
    """Return *text* with rules for the operator ``shop``."""
    found = with_rules(text, "shop", rules or [PODS], place="a.py")
    assert found is not None
    return found


def declared(text: str) -> list[PolicyRule]:
    """Run *text*, and return the rules of its operator."""
    module = types.ModuleType("a")
    exec(compile(text, "a.py", "exec"), vars(module))  # it is written by the test
    return [rule for rule in module.operator.rules() if "pods" in rule.resources]


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ('kw.Operator("shop")', []),
        ('kw.Operator("shop",)', []),
        ('Operator("shop", field_owner="me")', ['field_owner="me"']),
        ('kw.Operator("shop", rules=[a, b])', ["a", "b"]),
        ('kw.Operator("shop", rules=(a,))', ["a"]),
        ('kw.Operator("shop", rules=rules_for({Node: ["get"]}))', ['*rules_for({Node: ["get"]})']),
        ('kw.Operator("shop", **options)', ["**options"]),
    ],
)
def test_rules_are_added_to_those_that_are_there(call: str, kept: list[str]) -> None:
    """However they are written; nothing else is lost."""
    text = f"é = 1; import kubewright as kw\n\noperator = {call}  # ours\n"

    changed = with_rules(text, "shop", [PODS])

    assert changed is not None
    ast.parse(changed)
    assert f"        {WRITTEN},\n    ],\n)  # ours\n" in changed
    assert all(one in changed for one in kept)
    assert changed.count("from kubewright.crd import PolicyRule\n") == 1


def test_the_result_is_formatted_and_its_imports_are_sorted() -> None:
    """The project's linter looks at it next."""
    text = "import kubewright as kw\nfrom kubewright.testing import x\n\no = kw.Operator('shop')\n"

    assert with_rules(text, "shop", [PODS]) == (
        "import kubewright as kw\n"
        "from kubewright.crd import PolicyRule\n"
        "from kubewright.testing import x\n"
        "\n"
        "o = kw.Operator(\n"
        "    'shop',\n"
        "    rules=[\n"
        f"        {WRITTEN},\n"
        "    ],\n"
        ")\n"
    )


def test_a_second_fix_adds_to_the_first() -> None:
    """And does not import twice."""
    nodes = PolicyRule(("",), ("nodes",), ("get",), ("a",), namespace="x")
    first = with_rules('import kubewright as kw\no = kw.Operator("shop")\n', "shop", [PODS])
    assert first is not None

    second = with_rules(first, "shop", [nodes])

    assert second is not None
    assert WRITTEN in second
    assert 'resource_names=("a",), namespace="x")' in second
    assert second.count("import PolicyRule") == 1


@pytest.mark.parametrize("text", ["", "x = kw.Operator(NAME)", "x = kw.Operator('other')", "x = ("])
def test_another_file_is_left_alone(text: str) -> None:
    """The operator is made elsewhere."""
    assert with_rules(text, "shop", [PODS]) is None


def test_comments_are_not_lost() -> None:
    """The rules are told, to add them by hand."""
    text = 'o = kw.Operator(\n    "shop",  # the name\n)\n'

    with pytest.raises(ConfigError) as refused:
        with_rules(text, "shop", [PODS], place="a.py")

    assert "a.py:1 has comments" in str(refused.value)
    assert WRITTEN in str(refused.value)


@pytest.mark.parametrize(
    "head",
    [
        "from kubewright.kinds.rbac.v1 import PolicyRule",
        "from kubewright.crd import PolicyRule\nfrom kubewright.kinds.rbac.v1 import PolicyRule",
        "from kubewright.kinds.rbac.v1 import *",
        "from kubewright.crd import PolicyRule\nfrom kubewright.kinds.rbac.v1 import *",
        "class PolicyRule: ...",
        "from kubewright.crd import PolicyRule as OperatorRule",
        "from kubewright.kinds.rbac.v1 import PolicyRule as OperatorRule",
        "def f():\n    from kubewright.kinds.rbac.v1 import PolicyRule",
        "import kubewright.crd",
        "import typing\nif typing.TYPE_CHECKING:\n    from kubewright.crd import PolicyRule",
    ],
)
def test_another_policy_rule_keeps_its_name(head: str) -> None:
    """The kind of Kubernetes is called so, too, and takes other arguments."""
    text = f'import kubewright as kw\n{head}\n\noperator = kw.Operator("shop")\n'

    result = changed(text)

    assert declared(result) == [PODS]
    assert set(head.splitlines()) <= set(result.splitlines())


def test_an_import_under_another_name_is_used() -> None:
    """A second import of the same class would be noise."""
    text = "from kubewright.crd import PolicyRule as Rule\nimport kubewright as kw\n"

    result = changed(f'{text}operator = kw.Operator("shop")\n')

    assert declared(result) == [PODS]
    assert result.count("import") == 2


@pytest.mark.parametrize(
    "text",
    [
        'import kubewright as kw; operator = kw.Operator("shop")\n',
        'import kubewright as kw; \\\noperator = kw.Operator("shop")',
        (
            '"""A."""\nfrom __future__ import annotations\nimport kubewright as kw; a = 1\n'
            'operator = kw.Operator("shop")\n'
        ),
        (
            'import kubewright as kw\noperator = kw.Operator("shop")\n'
            "from kubewright.crd import PolicyRule\n"
        ),
        'try:\n    import kubewright as kw\nfinally:\n    pass\noperator = kw.Operator("shop")\n',
        '"""A."""\nkw = __import__("kubewright")\n\noperator = kw.Operator("shop")\n',
        'import kubewright as kw\n\f\n# ----\n\foperator = kw.Operator("shop")\n\f\nprint\n',
        'import kubewright as kw\na = "\u2028\x1c\x85"; operator = kw.Operator("shop")\n',
        (
            'import kubewright as kw\n\n\ndef make():\n\treturn kw.Operator("shop")\n\n\n'
            "operator = make()\n"
        ),
        'import kubewright as kw\roperator = kw.Operator("shop")\r',
    ],
)
def test_the_import_and_the_call_are_found_however_lines_end(text: str) -> None:
    """A form feed ends a page and no line, and several statements can be in one line."""
    result = changed(text)

    assert declared(result) == [PODS]
    assert ast.get_docstring(ast.parse(result)) == ast.get_docstring(ast.parse(text))


def test_line_ends_stay() -> None:
    """A file of Windows would come back as one large difference."""
    result = changed('import kubewright as kw\r\n\r\noperator = kw.Operator("shop")\r\n')

    assert declared(result) == [PODS]
    assert result.count("\n") == result.count("\r\n") == 9


@pytest.mark.parametrize(
    "arguments",
    [
        "rules=A or ()",
        "rules=A if A else ()",
        "rules=lambda: A",
        "field_owner=(n := 'me')",
        "field_owner=('a'\n  'b')",
        "rules=[*A, (n := B)]",
        "rules=[*(A or ())]",
        "rules=(\n  A\n  + A\n)",
        "rules=[one for one in A]",
        "field_owner='a#b'",
        "*(A or ()), field_owner='''a\nb'''",
    ],
)
def test_arguments_mean_what_they_meant(arguments: str) -> None:
    """Some need the parentheses around them, which are no part of the syntax tree."""
    text = (
        f'import kubewright as kw\n\nA, B = [], None\noperator = kw.Operator("shop", {arguments})'
    )

    before, after = (ast.parse(one).body[-1].value for one in (text, changed(text)))  # type: ignore[attr-defined]

    kept = {one.arg: ast.dump(one.value) for one in before.keywords if one.arg != "rules"}
    assert kept.items() <= {one.arg: ast.dump(one.value) for one in after.keywords}.items()
    assert list(map(ast.dump, before.args)) == list(map(ast.dump, after.args))


def test_rules_that_are_computed_stay_the_first() -> None:
    """They are unpacked into the new list."""
    text = "import kubewright as kw\nA = None\noperator = kw.Operator('shop', rules=A or ())\n"

    assert declared(changed(text)) == [PODS]
    assert "        *(A or ()),\n" in changed(text)


def test_names_are_written_as_texts() -> None:
    """A path is whatever a client asks for."""
    odd = PolicyRule(verbs=("get",), urls=('/a"b\\c\u2028',))

    result = changed("import kubewright as kw\noperator = kw.Operator('shop')\n", odd)

    module = types.ModuleType("a")
    exec(result, vars(module))
    assert odd in module.operator.rules()


@pytest.mark.parametrize(
    "text",
    [
        '"""A."""; import kubewright as kw; operator = kw.Operator("shop")\n',
        'from __future__ import annotations; o = Operator("shop")\n',
        "o = f\"{Operator('shop')}\"\n",
    ],
)
def test_what_cannot_be_changed_for_sure_is_left_to_people(text: str) -> None:
    """A broken module is worse than a rule that is missing."""
    with pytest.raises(ConfigError) as refused:
        with_rules(text, "shop", [PODS], place="a.py")

    assert "a.py:1 is written so that no change of it is certain to be right" in str(refused.value)
    assert WRITTEN in str(refused.value)
