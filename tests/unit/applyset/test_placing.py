"""The namespace of objects that name none."""

import pytest

from kubewright.applyset import members_of
from kubewright.applyset.placing import placed
from kubewright.errors import ConfigError
from tests.unit.applyset.objects import bench, config, crd, named, shop


async def test_only_what_belongs_in_a_namespace_gets_that_of_the_client() -> None:
    """As kubectl does it; a kind that comes with the set is looked up in its CRD."""
    stray = named("v1", "Namespace", "a", namespace="nonsense")
    unknown = named("example.com/v9", "Unknown", "a")
    documents = [config(where=""), config("b", where="c"), shop(where=""), crd(), stray, unknown]
    async with bench() as b:
        members = await placed(b.client, members_of(documents))

        assert [one.name.key.namespace for one in members] == [
            "default",
            "c",
            "default",
            "",
            "",
            "",
        ]


async def test_an_object_that_is_there_twice_is_noticed_if_one_names_no_namespace() -> None:
    """Both would be written at the same time, and chance would say which one stays."""
    documents = [config(where="", v="1"), config(where="default", v="2")]
    async with bench() as b:
        with pytest.raises(ConfigError, match=r"configmap/settings in default is there twice"):
            await b.apply(*documents)
