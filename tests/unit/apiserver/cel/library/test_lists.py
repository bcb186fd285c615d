"""Functions of lists and sets."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule


@pytest.mark.parametrize(
    "source",
    [
        "[1, 2, 2].isSorted() && !['b', 'a'].isSorted() && [1].isSorted()",
        "[1, 2].sum() == 3 && [1.5].sum() == 1.5 && [1u].sum() == 1u",
        "[duration('1h'), duration('1m')].sum() == duration('61m') && dyn([1.5, 2.5]).sum() == 4.0",
        "[3, 1, 2].max() == 3 && ['b', 'a'].min() == 'a'",
        "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
        "[1, 2].includes(1) && 'a'.includes('a') && !['a'].includes('b')",
        "[1, 2, 3].slice(1, 3) == [2, 3] && [1, 2].reverse() == [2, 1]",
        "[[1], [2, 3]].flatten() == [1, 2, 3] && dyn([[[1]], [[2]]]).flatten(2) == [1, 2]",
        "['b', 'a'].sort() == ['a', 'b'] && [3, 1, 2].sortBy(x, -x) == [3, 2, 1]",
        "lists.range(3) == [0, 1, 2] && [1, 2, 1].distinct() == [1, 2]",
        "sets.contains([1, 2], [2]) && !sets.contains([1], [2]) && sets.contains([1], [])",
        "sets.equivalent([1, 2, 1], [2, 1]) && sets.intersects([1, 2], [2, 3])",
    ],
)
def test_claims_about_lists_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("[].max()", "max called on empty list"),
        ("[1].slice(1, 5)", "cannot slice(1, 5), list is length 1"),
        ("[1].slice(-1, 0)", "cannot slice(-1, 0), negative indexes not supported"),
        ("[[1]].flatten(-1)", "level must be non-negative"),
        ("dyn([[1]]).sum()", "no such overload: sum(list)"),
        ("lists.range(99999999999)", "operation cancelled: actual cost limit exceeded"),
    ],
)
def test_what_lists_cannot_do(source: str, text: str) -> None:
    """The texts are the server's."""
    with pytest.raises(EvaluationError) as caught:
        compile_rule(source, {}, result=None).evaluate({})

    assert str(caught.value) == text
