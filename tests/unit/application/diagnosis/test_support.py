from datetime import date

import pytest

from kubewright.application.diagnosis.support import NEWEST, Minor, end_of_support, minor_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("v1.31.4", "1.31"), ("v1.30.1-gke.100", "1.30"), ("1.29", "1.29"), ("v1.27+", "1.27"),
        ("v1.37.0+kubewright-0.1", "1.37"), ("", None), ("v1", None), ("unknown", None),
    ],
)  # fmt: skip
def test_versions_of_all_vendors_are_read(text: str, found: str | None) -> None:
    """Each vendor adds something of its own."""
    version = minor_of(text)

    assert (None if version is None else str(version)) == found


def test_the_table_knows_old_versions_and_admits_that_new_ones_are_not_in_it() -> None:
    """A table cannot know the future, and must not call it out of support."""
    assert end_of_support(Minor(1, 30)) == date(2025, 6, 28)
    assert end_of_support(Minor(1, 5)) is not None
    assert end_of_support(Minor(1, NEWEST + 1)) is None
    assert end_of_support(Minor(2, 0)) is None
