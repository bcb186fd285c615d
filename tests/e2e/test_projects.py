"""The samples that are projects are what the commands make, and what was written after that."""

import pytest

from tests.e2e.program import EXAMPLES
from tests.e2e.projects import (
    PROJECTS,
    UNTOUCHED,
    files_of,
    is_manifest,
    is_written,
    made_by_commands,
    run,
)

WITHOUT_CODE = ("_helm", "_ansible")


@pytest.mark.parametrize("sample", PROJECTS)
def test_what_nobody_has_touched_is_as_the_commands_make_it(sample: str) -> None:
    """If a template has changed, ``make golden`` writes it into the samples as well."""
    made = made_by_commands(sample)
    there = files_of(EXAMPLES / sample)

    untouched = [name for name in made if not is_written(sample, name) and not is_manifest(name)]
    assert {name: there.get(name) for name in untouched} == {name: made[name] for name in untouched}
    assert made.keys() <= there.keys()


@pytest.mark.parametrize("sample", PROJECTS)
def test_the_manifests_are_up_to_date(sample: str) -> None:
    """As `make lint` in the project checks it."""
    run(EXAMPLES / sample, "manifests", "--check")


@pytest.mark.parametrize("sample", [one for one in PROJECTS if one.endswith(WITHOUT_CODE)])
def test_nothing_was_added_to_samples_without_code(sample: str) -> None:
    """Only their charts and roles are written by somebody, and their rights are made of these."""
    made = made_by_commands(sample)
    there = files_of(EXAMPLES / sample)

    different = {name for name in made.keys() | there.keys() if made.get(name) != there.get(name)}
    assert different == {"README.md"}


def test_nothing_was_added_to_the_guestbook() -> None:
    """It is there to show what the commands make; CRD and role are theirs as well."""
    made = made_by_commands(UNTOUCHED)
    there = files_of(EXAMPLES / UNTOUCHED)

    different = {name for name in made.keys() | there.keys() if made.get(name) != there.get(name)}
    assert different == {"README.md"}
