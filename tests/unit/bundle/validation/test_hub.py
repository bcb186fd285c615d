"""What public catalogs ask."""

from typing import Any

import pytest

from kubewright.bundle.validation.hub import check_capabilities, check_categories, check_hub
from tests.unit.bundle.sample import CSV_PATH, bundle, changed
from tests.unit.bundle.validation.saying import said

ICON = {"base64data": "aGk=", "mediatype": "image/png"}
MARKS = ("metadata", "annotations")


def test_a_whole_one_passes() -> None:
    """Who has said everything is not asked again."""
    assert said(check_hub(changed(CSV_PATH, "spec", "icon", value=[ICON]))) == []
    assert said(check_capabilities(bundle())) == said(check_categories(bundle())) == []


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("provider",), {}, "spec.provider.name is missing: who provides it?"),
        (("version",), None, "spec.version is missing"),
        (("maintainers",), [{"name": "Ann"}], "a maintainer needs both a name and an email"),
        (("maintainers",), [{"name": "Ann", "email": "ann"}], "'ann' is not an address"),
        (("links",), [{"url": "https://a.b"}], "a link needs both a name and a url"),
        (("links",), [{"name": "a", "url": "a.b"}], "'a.b' is not a URL: does it begin with https"),
        (("icon",), [ICON, ICON], "spec.icon should have one entry"),
        (
            ("icon",),
            [{"base64data": ""}],
            "spec.icon needs both base64data and mediatype, or leave it",
        ),
        (
            ("icon",),
            [{**ICON, "mediatype": "image/bmp"}],
            "the icon is 'image/bmp', and should be one",
        ),
        (("icon",), [{**ICON, "base64data": "#"}], "the base64data of the icon is not base64"),
    ],
)
def test_what_is_missing_is_found(where: tuple[str, ...], value: Any, message: str) -> None:
    """The catalog would refuse it a day later."""
    found = said(check_hub(changed(CSV_PATH, "spec", *where, value=value)))

    assert [one for one in found if message in one and one.startswith("error")]


def test_an_icon_is_only_wished_for() -> None:
    """Not everybody has one."""
    [found] = said(check_hub(bundle()))

    assert found.endswith("spec.icon is missing")
    assert found.startswith("warning")


def test_levels_and_categories_are_known_ones() -> None:
    """Catalogs filter by them."""
    level = changed(CSV_PATH, *MARKS, "capabilities", value="Magic")
    category = changed(CSV_PATH, *MARKS, "categories", value="Database, Magic")

    assert (
        "'Magic' is not one of Basic Install, Seamless Upgrades"
        in said(check_capabilities(level))[0]
    )
    [found] = said(check_categories(category))
    assert "'Magic' is not a category. There are AI/Machine Learning, " in found


def test_without_a_csv_there_is_nothing_to_say() -> None:
    """Another validator says that it is missing."""
    none = bundle(**{CSV_PATH: None})

    for check in (check_hub, check_capabilities, check_categories):
        assert said(check(none)) == []
