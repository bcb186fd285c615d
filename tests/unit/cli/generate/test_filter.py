"""Which CRDs are meant."""

import pytest

from kubewright.cli.generate.filter import chosen
from kubewright.errors import ConfigError
from tests.unit.cli.generate.crds import shop_crd

CRDS = {
    one["metadata"]["name"]: one
    for one in (shop_crd(), shop_crd("stores"), shop_crd("shops", "other.example.com"))
}


@pytest.mark.parametrize(
    ("groups", "kinds", "names"),
    [
        ((), (), list(CRDS)),
        (("example.com",), (), ["shops.example.com", "stores.example.com"]),
        ((), ("Shop",), ["shops.example.com", "shops.other.example.com"]),
        ((), ("stores",), ["stores.example.com"]),
        (("other.example.com",), ("Shop", "Store"), ["shops.other.example.com"]),
    ],
)
def test_groups_and_kinds_are_chosen(
    groups: tuple[str, ...], kinds: tuple[str, ...], names: list[str]
) -> None:
    """Kinds also by the plural, as people type it for kubectl."""
    assert list(chosen(CRDS, groups=groups, kinds=kinds)) == names


@pytest.mark.parametrize(
    ("groups", "kinds", "message"),
    [
        ((), ("Shp",), "--kind Shp: there is none here. Did you mean Shop?"),
        ((), ("store",), "--kind store: there is none here. Did you mean Store?"),
        ((), ("Xyz",), "--kind Xyz: there is none here, but Shop, Store"),
        (
            ("example.co",),
            (),
            "--group example.co: there is none here. Did you mean example.com?",
        ),
        (
            ("other.example.com",),
            ("Store",),
            "no CRD has both a group and a kind that were named: other.example.com, and Store",
        ),
    ],
)
def test_what_is_not_there_is_said(
    groups: tuple[str, ...], kinds: tuple[str, ...], message: str
) -> None:
    """An empty folder would be found an hour later."""
    with pytest.raises(ConfigError) as caught:
        chosen(CRDS, groups=groups, kinds=kinds)

    assert str(caught.value) == message
