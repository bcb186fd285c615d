import pytest

import kubewright as kw
from kubewright.embedded.controllers.job.indexes import (
    ANNOTATION,
    first_pending,
    format_indexes,
    index_of,
    parse_indexes,
)
from kubewright.kinds.core.v1 import Pod


@pytest.mark.parametrize(
    ("text", "indexes"),
    [("", set()), ("0", {0}), ("1,3-5,7", {1, 3, 4, 5, 7}), ("8-20", {8, 9}), ("x,2", {2})],
)
def test_indexes_are_read_as_the_status_has_them(text: str, indexes: set[int]) -> None:
    """What is beyond the end of a Job that became smaller does not count."""
    assert parse_indexes(text, 10) == indexes


@pytest.mark.parametrize("text", ["", "0", "0,1", "0-2", "1,3-5,7", "9,10"])
def test_indexes_are_written_as_kubernetes_does(text: str) -> None:
    """Runs of two with a comma, longer ones with a dash."""
    assert format_indexes(parse_indexes(text, 100)) == text


@pytest.mark.parametrize(("text", "index"), [("3", 3), ("", None), ("-1", None), ("x", None)])
def test_a_pod_says_its_index(text: str, index: int | None) -> None:
    """One without a number has none."""
    pod = Pod(metadata=kw.ObjectMeta(name="a", annotations={ANNOTATION: text}))

    assert index_of(pod) == index


def test_the_lowest_free_indexes_come_first() -> None:
    """As in Kubernetes."""
    assert first_pending(2, 5, busy={0, 2}) == [1, 3]
    assert first_pending(9, 3, busy={0}) == [1, 2]
