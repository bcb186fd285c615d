"""Which validators run."""

from random import Random

import pytest

from kubewright.bundle import validate
from kubewright.bundle.scoring import score, wanted_tests
from kubewright.bundle.validation import OPTIONAL, selected
from kubewright.crd.manifest import from_yaml, to_yaml
from tests.unit.bundle.sample import CSV_PATH, bundle, changed, damaged, files


def test_the_default_ones_pass_a_sound_bundle() -> None:
    """And need no choice."""
    assert validate(bundle()) == []


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("", []),
        ("name=good-practices", ["good-practices"]),
        ("name in (capabilities,categories)", ["capabilities", "categories"]),
        ("name=multiarch", ["multiarch"]),
        ("!suite", ["operatorhub", "community", "multiarch"]),
        ("name=operatorhub/v2", ["operatorhubv2"]),
        ("name=standardcategories", ["categories"]),
        ("suite=operatorframework,name=capabilities", ["capabilities"]),
    ],
)
def test_they_are_selected_by_label(selector: str, names: list[str]) -> None:
    """As operator-sdk's are, by old and new names."""
    assert [one.name for one in selected(selector)] == names


@pytest.mark.parametrize("selector", ["name=nonsense", "suite=none", "name==", "name in a"])
def test_a_selector_without_a_validator_is_refused(selector: str) -> None:
    """Silence would be taken for a pass."""
    with pytest.raises(ValueError, match=r"."):
        selected(selector)


def test_each_finding_names_its_validator_and_comes_once() -> None:
    """Operatorhub has the others in it."""
    found = validate(changed(CSV_PATH, "spec", "provider", value={}), OPTIONAL)

    messages = [one.message for one in found]
    assert len(messages) == len(set(messages))
    [provider] = [one for one in found if "spec.provider.name" in one.message]
    assert provider.validator == "operatorhubv2"


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_in_a_file_is_judged(seed: int) -> None:
    """Validators are for files that are wrong: a crash tells nobody where."""
    random = Random(seed)
    path = random.choice(sorted(files()))
    [document] = from_yaml(files()[path])

    found = bundle(**{path: to_yaml(damaged(document, random))})

    assert validate(found, OPTIONAL) is not None
    assert len(score(found, wanted_tests(None))) == 6
