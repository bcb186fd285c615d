"""The base of a ClusterServiceVersion."""

import yaml

from kubewright.bundle.base import Metadata, base_text, new_base, with_owned
from tests.unit.bundle.sample import one


def test_it_says_what_is_known_and_asks_for_the_rest() -> None:
    """A catalog shows what is in here."""
    said = Metadata(
        "Shop", "Sells.", "Example", "https://example.com", ("a", "b"), {"Ann": "a@b.c"}
    )

    spec = new_base("shop", said)["spec"]
    bare = new_base("corner-shop", Metadata())["spec"]

    assert spec["provider"] == {"name": "Example", "url": "https://example.com"}
    assert spec["maintainers"] == [{"name": "Ann", "email": "a@b.c"}]
    assert spec["keywords"] == ["a", "b"]
    assert (bare["displayName"], bare["provider"]) == ("Corner Shop", {"name": "TODO"})


def test_the_modes_fit_what_the_operator_watches() -> None:
    """OLM would install it where it sees nothing."""

    def modes(*, namespaced: bool) -> list[str]:
        made = new_base("shop", Metadata(), namespaced=namespaced)
        return [each["type"] for each in made["spec"]["installModes"] if each["supported"]]

    assert modes(namespaced=False) == ["AllNamespaces"]
    assert modes(namespaced=True) == ["OwnNamespace", "SingleNamespace"]


def test_the_list_of_kinds_comes_and_goes() -> None:
    """With the kinds."""
    base = new_base("shop", Metadata())

    listed = with_owned(base, [one("CustomResourceDefinition")])

    owned = listed["spec"]["customresourcedefinitions"]["owned"]
    assert [each["kind"] for each in owned] == ["Shop"]
    assert with_owned(listed, []) == base


def test_it_is_written_with_a_word_about_it() -> None:
    """Who opens the file reads that it is theirs."""
    base = new_base("shop", Metadata())

    text = base_text(base)

    assert text.startswith("# What people read about this operator in a catalog: edit it.")
    assert yaml.safe_load(text) == base
