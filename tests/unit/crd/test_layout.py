"""The layout of generated source: a formatter has nothing to do, and the meaning is the same."""

import ast
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.crd.layout import formatted, names_in, string
from kubewright.crd.source import classes_from
from tests.golden.crd.every import every_crd

LONG = "a" * 60

AWKWARD = f'''
class {"A" * 90}(kw.Model):
    pass
@kw.resource(group="example.com", version="v1", columns=[kw.Column("Size", ".spec.size")], a=-1)
class Shop(kw.Model):
    """Says "this"
    """
    a: {LONG} | None = None
    {LONG}: {LONG}
    b: Annotated[str, kw.Pattern('{LONG}'), kw.Default({{'a': {{}}, 'b': [1.5, True, None]}})]
    c: Annotated[str, kw.Pattern('{LONG}'), kw.Default('{LONG}')] | None = kw.field(default=None)
    d: list[Annotated[{LONG}, kw.Pattern('^\\\\d+$')]] = []
    """A text."""
    e: dict[str, {LONG}{LONG}] = {{}}
    f: str | None = kw.field(default=None, name='{LONG}{LONG}')
    g: str = '{LONG}{LONG}'
    h: kw.Quantity | None = '{LONG}'
    {LONG}b: str | None = kw.field(default=None, name='b')
    i: Literal['{LONG}', 'b'] = 'b'
    j: Literal['{LONG}', '{LONG}'] | None = None
    k: float = 1e+16
    m: Literal['{LONG}', '{LONG}'] = '{LONG}{LONG}'
    n: Literal['{LONG}', '{LONG}'] | None = '{LONG}'
'''


def ruff_format(source: str, length: int) -> str:
    """Return what ruff makes of *source*."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
    done = subprocess.run(
        [*command, "--line-length", str(length)],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("length", [60, 79, 88, 100, 120])
@pytest.mark.parametrize("source", [AWKWARD, classes_from(every_crd())], ids=["awkward", "every"])
def test_a_formatter_changes_nothing(source: str, length: int) -> None:
    """Otherwise the file changes at `make fmt`, and generating it again changes it back."""
    made = formatted(source, line_length=length) + "\n"

    assert ruff_format(made, length) == made


@pytest.mark.parametrize("length", [40, 88, 320])
def test_the_layout_does_not_change_the_meaning(length: int) -> None:
    """The schema was compared before; what is laid out must be the same."""
    made = formatted(AWKWARD, line_length=length)

    assert ast.dump(without_docstrings(made)) == ast.dump(without_docstrings(AWKWARD))


def without_docstrings(source: str) -> ast.Module:
    """Return the tree of *source*; the whitespace in docstrings is nobody's concern."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.body = [one for one in node.body if not isinstance(one, ast.Expr)]
    return tree


def test_fields_with_a_text_stand_apart() -> None:
    """A text belongs to the field above it, and without a gap it seems to belong to the next."""
    source = 'class A(B):\n    a: int\n    b: int\n    """The b."""\n    c: int\n    d: int'

    made = formatted(source)

    assert made.split("\n\n") == [
        "class A(B):\n    a: int",
        '    b: int\n    """The b."""',
        "    c: int\n    d: int",
    ]


@given(st.text() | st.text("\\'\"an\n"))
def test_a_string_is_read_as_it_was(text: str) -> None:
    """A pattern with a backslash too few matches something else."""
    assert ast.literal_eval(string(text)) == text


def test_only_names_that_are_used_count() -> None:
    """A text that mentions `Any` imports nothing; a linter would complain."""
    assert names_in('class A(kw.Model):\n    """Any."""\n\n    a: int') == {"kw", "int"}
