"""YAML as kustomize's library reads it."""

import pytest

from kubewright.scaffold.kustomize.node import plain
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.syntax import documents, values


def test_documents_know_their_lines() -> None:
    """Errors about the third object of a file name its line."""
    found = documents("# comment\na: 1\n---\n---\n# empty\n--- # note\nb: 2\n")

    assert [(plain(one.node), one.line) for one in found] == [({"a": 1}, 2), ({"b": 2}, 7)]


def test_line_ends_of_windows_are_line_ends() -> None:
    """Editors there write them, also beside the lines between documents."""
    found = documents("a: |\r\n  one\r\n  two\r\n---\r\nb: 2\r\n")

    assert [plain(one.node) for one in found] == [{"a": "one\ntwo\n"}, {"b": 2}]


def test_aliases_are_copies_and_merged_mappings_give_way() -> None:
    """What a mapping says itself wins over what ``<<`` brings, and the first of several wins."""
    text = "a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc:\n  <<: [*a, *b]\n  y: 3\nd: *a\n"

    node = documents(text)[0].node

    assert plain(node)["c"] == {"x": 1, "y": 3, "z": 2}
    assert node["d"] is not node["a"]  # type: ignore[call-overload, index]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: 1\na: 2\n", "line 2: 'a' is there twice; keep one"),
        ("a: [\n", "line 2: this is not YAML: did not find expected node content"),
        ("a: 1\n--- b\n", "line 2: 'b' stands beside ---; put it on the next line"),
        ("a: &a [*a]\n", "line 1: an alias stands inside of what it stands for"),
        ("a: 1\n<<: 5\n", "line 2: << needs a mapping, or a list of them"),
        ("{[a]: 1}\n", "line 1: a key is a single text"),
        ("a: 1\n---\nb: {c: 1, c: 2}\n", "line 3: 'c' is there twice; keep one"),
    ],
)
def test_mistakes_name_their_line(text: str, why: str) -> None:
    """A file may have thousands."""
    with pytest.raises(ProblemError) as caught:
        documents(text)

    assert str(caught.value) == why


def test_aliases_of_aliases_end_before_memory_does() -> None:
    """A small file can stand for more than any machine holds."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    with pytest.raises(ProblemError, match="stand for more than 2,000,000 values"):
        documents("\n".join(lines))


def test_values_come_with_the_line_of_each_field() -> None:
    """A kustomization is converted to types, and its lines must not be lost."""
    found, lines = values("images:\n- name: a\n  newTag: on\nempty:\n")

    assert found == {"images": [{"name": "a", "newTag": True}], "empty": None}
    assert lines["images", 0, "newTag"] == 3
    assert values("") == (None, {})


def test_values_that_json_does_not_have_are_refused() -> None:
    """They could not be sent to any server."""
    with pytest.raises(ProblemError, match=r"JSON has no \.nan"):
        values("a: .nan")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('!!int "5"', 5),
        ("!!int '0x10'", 16),
        ('!!float "1.5"', 1.5),
        ('!!bool "true"', True),
        ('!!null ""', None),
        ("!!str 5", "5"),
        ('!own "5"', "5"),
        ("!!binary aGk=", "hi"),
    ],
)
def test_a_tag_that_is_written_wins_over_quotation_marks(written: str, value: object) -> None:
    """Go's library reads it so; a number must not arrive as a text."""
    [found] = documents(f"a: {written}\n")
    said, _ = values(f"a: {written}\n")

    assert plain(found.node) == {"a": value}
    assert said == {"a": value}


def test_a_tag_that_does_not_fit_is_refused() -> None:
    """Kustomize builds nothing then, either."""
    [found] = documents('a: !!int "x"\n')

    with pytest.raises(ProblemError, match="'x' was put where there was an integer"):
        plain(found.node)
    with pytest.raises(ProblemError, match="line 1: this is not base64 of a text"):
        documents("a: !!binary '5'\n")
