"""The versions of a kind and the functions between them."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.errors import ConversionError, SchemeError
from kubewright.webhook.conversion import Conversion
from tests.unit.webhook.conversion.shops import (
    Mall,
    ShopV1,
    ShopV2,
    ShopV3,
    SpecV1,
    SpecV2,
    SpecV3,
    metadata,
    shop_conversion,
    v1_to_v2,
    v2_to_v1,
)


def test_a_spoke_becomes_a_hub_and_back() -> None:
    """The two functions of a spoke are used for their own direction."""
    conversion = shop_conversion()

    hub = conversion.convert(ShopV2(metadata=metadata(), spec=SpecV2(area=3)), ShopV1)
    back = conversion.convert(hub, ShopV2)

    assert hub == ShopV1(metadata=metadata(), spec=SpecV1(size=3))
    assert back == ShopV2(metadata=metadata(), spec=SpecV2(area=3))


def test_a_spoke_becomes_another_spoke_through_the_hub() -> None:
    """With n versions an author writes 2n functions, not n squared."""
    found = shop_conversion().convert(ShopV2(metadata=metadata(), spec=SpecV2(area=3)), ShopV3)

    assert found == ShopV3(metadata=metadata(), spec=SpecV3(dimensions={"size": 3}))


def test_an_object_of_the_wanted_version_is_returned_as_it_is() -> None:
    """Nothing is converted, so nothing is lost."""
    shop = ShopV2(spec=SpecV2(music="jazz"))

    assert shop_conversion().convert(shop, ShopV2) is shop


def test_the_decorators_return_the_function() -> None:
    """Authors call their functions from tests."""
    conversion = Conversion(ShopV1)

    assert conversion.to_hub(ShopV2)(v2_to_v1) is v2_to_v1
    assert conversion.from_hub(ShopV2)(v1_to_v2) is v1_to_v2


def test_versions_are_listed_hub_first() -> None:
    """What is served, written into CRDs and checked by tests comes from here."""
    conversion = shop_conversion()

    assert list(conversion.kinds) == ["example.com/v1", "example.com/v2", "example.com/v3"]
    assert conversion.spokes == (ShopV2, ShopV3)
    assert str(conversion.group_kind) == "Shop.example.com"


@pytest.mark.parametrize("word", ["to_hub", "from_hub"])
def test_another_kind_is_refused(word: str) -> None:
    """A shop never becomes a mall."""
    conversion = Conversion(ShopV1)

    with pytest.raises(SchemeError, match=r"example.com/v1 Mall is not a version of Shop"):
        getattr(conversion, word)(Mall)


def test_the_hub_is_no_spoke() -> None:
    """It would be converted to itself."""
    with pytest.raises(SchemeError, match="the hub has that version already"):
        Conversion(ShopV1).to_hub(ShopV1)


def test_two_classes_of_one_version_are_refused() -> None:
    """Nobody could tell which of them an object is."""

    @kw.resource(group="example.com", version="v2", kind="Shop")
    class Another(kw.Resource):
        pass

    with pytest.raises(SchemeError, match="another class has that version already"):
        shop_conversion().to_hub(Another)


def test_a_class_without_a_version_is_refused() -> None:
    """The error says what is missing, at the decorator."""

    class Bare(kw.Resource):
        pass

    with pytest.raises(SchemeError, match="has no group and version"):
        Conversion(ShopV1).to_hub(Bare)


def test_a_second_function_for_the_same_direction_is_refused() -> None:
    """One of them would never be called."""
    with pytest.raises(SchemeError, match=r"there is a to_hub for example.com/v2 Shop already"):
        shop_conversion().to_hub(ShopV2)(v2_to_v1)


def test_an_async_function_is_refused() -> None:
    """The server waits with a request in its hand, and a conversion has nothing to wait for."""

    async def convert(new: ShopV2) -> ShopV1:
        return v2_to_v1(new)

    decorate: Any = Conversion(ShopV1).to_hub(ShopV2)
    with pytest.raises(SchemeError, match="convert is async, and conversions cannot wait"):
        decorate(convert)


def test_something_that_is_no_function_is_refused() -> None:
    """As under a decorator that was meant for something else."""
    decorate: Any = Conversion(ShopV1).to_hub(ShopV2)

    for wrong in (3, ShopV1):
        with pytest.raises(SchemeError, match="decorates a function"):
            decorate(wrong)


@pytest.mark.parametrize("word", ["to_hub", "from_hub"])
def test_a_decorator_without_parentheses_says_so(word: str) -> None:
    """The function would be taken for a version."""
    decorate = getattr(Conversion(ShopV1), word)

    with pytest.raises(
        TypeError, match=rf"v2_to_v1 stands alone .*: write @conversion\.{word}\(Kind\)"
    ):
        decorate(v2_to_v1)


def test_a_kind_without_a_class_is_no_version() -> None:
    """Its objects have no fields that a function could convert, and parentheses are there."""
    decorate: Any = Conversion(ShopV1).to_hub

    with pytest.raises(SchemeError, match="is not a class"):
        decorate(kw.Kind("example.com/v2", "Shop"))


def test_a_spoke_with_one_function_is_found_before_anything_runs() -> None:
    """Otherwise objects could be written that nobody can read."""
    conversion = Conversion(ShopV1)
    conversion.to_hub(ShopV2)(v2_to_v1)

    with pytest.raises(SchemeError, match=r"declare @conversion.from_hub\(ShopV2\)"):
        conversion.check()
    with pytest.raises(ConversionError, match="has only one of its two functions"):
        conversion.convert(ShopV1(), ShopV2)


def test_a_hub_without_spokes_is_found() -> None:
    """A conversion of one version is a declaration that somebody forgot to finish."""
    with pytest.raises(SchemeError, match="has one version only"):
        Conversion(ShopV1).check()


def test_a_complete_conversion_passes_the_check() -> None:
    """The check is for authors, so it must not be in their way."""
    shop_conversion().check()


def test_an_object_of_another_kind_cannot_be_converted() -> None:
    """The error names what there is."""
    with pytest.raises(ConversionError, match=r"example.com/v1 Mall is none of the versions"):
        shop_conversion().convert(Mall(), ShopV1)
    with pytest.raises(ConversionError, match=r"example.com/v1 Mall is none of the versions"):
        shop_conversion().convert(ShopV1(), Mall)
