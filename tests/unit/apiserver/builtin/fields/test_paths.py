"""Paths of files."""

import pytest

from kubewright.apiserver.builtin.fields.paths import (
    descending,
    descending_unreserved,
    no_backsteps,
)


@pytest.mark.parametrize(("path", "count"), [("a/b", 0), ("a..b/c", 0), ("a/../b", 1), ("..", 1)])
def test_a_path_may_not_go_up(path: str, count: int) -> None:
    """Two dots inside a name are fine."""
    assert len(no_backsteps(path, "p")) == count


def test_a_descending_path_starts_where_it_is() -> None:
    """An absolute one would leave the volume."""
    assert [error.text for error in descending("/a/..", "p")] == [
        'Invalid value: "/a/..": must be a relative path',
        "Invalid value: \"/a/..\": must not contain '..'",
    ]


def test_names_with_two_dots_in_front_are_the_kubelets() -> None:
    """It keeps its own links there."""
    assert len(descending_unreserved("..data", "p")) == 1
    assert len(descending_unreserved("../data", "p")) == 1
