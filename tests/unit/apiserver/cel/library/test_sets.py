"""Lists as sets."""

import pytest

from tests.unit.apiserver.cel.evaluating import result


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("sets.contains([1, 2], [2.0])", True),
        ("sets.contains([], [])", True),
        ("sets.contains([1], [1, 2])", False),
        ("sets.equivalent([1, 1, 2], [2, 1])", True),
        ("sets.equivalent([1], [1, 2])", False),
        ("sets.intersects([1, 2], [2, 3])", True),
        ("sets.intersects([], [1])", False),
        ("sets.contains([[1]], [[1]])", True),
    ],
)
def test_order_and_repetition_do_not_matter(source: str, value: bool) -> None:
    """Numbers compare by amount."""
    source = source.replace("2.0", "dyn(2.0)").replace("([1, 2], [dyn", "(dyn([1, 2]), [dyn")

    assert result(source) == value
