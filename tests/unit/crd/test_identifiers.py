"""Python names for what a CRD calls otherwise."""

import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.api.resource import Resource
from kubewright.crd.identifiers import Names, class_name, field_name, is_regular, item_name


@pytest.mark.parametrize(
    ("wire", "name"),
    [("size", "size"), ("maxSize", "max_size"), ("clusterIP", "cluster_ip"), ("podIPs", "pod_ips"),
     ("podIPsNow", "pod_ips_now"), ("HTTPServer", "http_server"), ("a-b.c", "a_b_c"),
     ("class", "class_"), ("str", "str_"), ("3d", "field_3d"), ("", "field"), ("é", "field"),
     ("_x", "x"), ("ipv4", "ipv4"), ("v1Beta", "v1_beta"), ("metadata", "metadata")],
)  # fmt: skip
def test_a_field_is_called_as_a_person_would(wire: str, name: str) -> None:
    """Abbreviations and their plurals are words."""
    assert field_name(wire) == name


def test_what_a_resource_has_already_is_avoided() -> None:
    """A field called key would hide the key of the object."""
    assert field_name("key", Resource) == "key_"
    assert field_name("key") == "key"


@pytest.mark.parametrize(
    ("owner", "name"),
    [("ShopPorts", "ShopPort"), ("ShopAddresses", "ShopAddress"), ("ShopPolicies", "ShopPolicy"),
     ("ShopTLS", "ShopTLSItem"), ("ShopTls", "ShopTlsItem"), ("ShopStatus", "ShopStatusItem"),
     ("ShopMatches", "ShopMatch"), ("ShopCaches", "ShopCache"), ("ShopPodIPs", "ShopPodIPsItem"),
     ("ShopData", "ShopDataItem"), ("ShopDatabases", "ShopDatabase"), ("shops", "shop")],
)  # fmt: skip
def test_an_item_is_called_in_the_singular(owner: str, name: str) -> None:
    """People call a class Port; where English is irregular, Item is not wrong."""
    assert item_name(owner) == name


@settings(deadline=None)
@given(st.text())
def test_every_name_becomes_an_identifier(wire: str) -> None:
    """Property names are any text at all."""
    name = field_name(wire)

    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    assert class_name("Shop", wire).isidentifier()


def test_regular_is_what_msgspec_would_call_it() -> None:
    """Only the others need a name of their own."""
    assert is_regular("max_size", "maxSize")
    assert not is_regular("cluster_ip", "clusterIP")


def test_a_name_is_given_out_once() -> None:
    """The second gets a number."""
    names = Names("A")

    assert [names.take("A"), names.take("B"), names.take("A")] == ["A2", "B", "A3"]
