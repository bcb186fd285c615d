"""What the API server asks the operator, on a server that is there for one test."""

import pytest
from checked import operator
from sites import Site, SiteSpec

import kubewright as kw
from kubewright.testing import operator_test


def site(name: str) -> Site:
    """Return a site as a user would write it."""
    return Site(metadata=kw.ObjectMeta(name=name), spec=SiteSpec(title="Birds"))


async def test_a_site_has_a_text() -> None:
    """The server stores what the defaulter made of it."""
    async with operator_test(operator) as test:
        stored = await test.client.create(site("birds"))

        assert stored.spec.text == "Soon: Birds"


async def test_a_reserved_name_is_refused_with_its_field() -> None:
    """As the schema refuses what it can."""
    async with operator_test(operator) as test:
        with pytest.raises(kw.InvalidError, match="the name is reserved") as refused:
            await test.client.create(site("www"))

        assert [cause.field for cause in refused.value.causes] == ["metadata.name"]
