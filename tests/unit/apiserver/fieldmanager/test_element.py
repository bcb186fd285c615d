import pytest

from kubewright.apiserver.fieldmanager import element


def test_steps_are_written_as_go_writes_them() -> None:
    """Two servers must agree on the text of a step, since it is how steps are compared."""
    assert element.key(("name",), ("web",)) == 'k:{"name":"web"}'
    assert element.key(("b", "a"), (1, "<&>")) == 'k:{"a":"\\u003c\\u0026\\u003e","b":1}'
    assert element.value(True) == "v:true"
    assert element.value(1) == element.value(1.0) == "v:1"


@pytest.mark.parametrize(
    ("step", "written"),
    [
        ('k:{"b": 1, "a": "x"}', 'k:{"a":"x","b":1}'),
        ('v: "é" ', 'v:"é"'),
        ("i:07", "i:7"),
        ("f:a:b", "f:a:b"),
        ("r:unknown", None),
    ],
)
def test_steps_of_others_are_rewritten(step: str, written: str | None) -> None:
    """Clients may space and order keys as they like; unknown kinds are left out."""
    assert element.canonical(step) == written


@pytest.mark.parametrize("step", ["", "f", "field", "k:[1]", "k:{", "i:x"])
def test_malformed_step_is_refused(step: str) -> None:
    """A step that cannot be parsed must not be guessed."""
    with pytest.raises(element.StepError):
        element.canonical(step)


def test_steps_sort_by_kind_and_value() -> None:
    """Ports sort as numbers, not as text."""
    steps = ["i:1", 'v:"a"', "v:9", 'k:{"p":443}', 'k:{"p":80}', 'k:{"p":true}', "f:z", "."]

    ordered = sorted(steps, key=element.order)

    assert ordered == [
        ".",
        "f:z",
        'k:{"p":80}',
        'k:{"p":443}',
        'k:{"p":true}',
        "v:9",
        'v:"a"',
        "i:1",
    ]


def test_steps_are_shown_to_people() -> None:
    """Conflict messages name fields in this notation."""
    steps = ["f:spec", 'k:{"port":80,"name":"a\\"b"}', 'v:"x"', "i:3"]

    assert [element.text(step) for step in steps] == [
        ".spec",
        '[name="a\\"b",port=80]',
        '[="x"]',
        "[3]",
    ]


def test_long_steps_are_not_remembered() -> None:
    """A client that sends thousands of steps of a megabyte must not fill the cache."""
    remembered = [element._key, element._value, element._order]
    before = [cache.cache_info().currsize for cache in remembered]
    long = "x" * 100_000

    assert element.value(long) == f'v:"{long}"'
    assert element.key(("name",), (long,)) == f'k:{{"name":"{long}"}}'
    assert element.order(f"f:{long}") == (0, long)

    assert [cache.cache_info().currsize for cache in remembered] == before
