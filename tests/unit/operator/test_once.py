"""Children that are made once."""

import kubewright as kw
from kubewright.kinds.core.v1 import Secret
from kubewright.operator.apply import Applier
from kubewright.operator.children import Family
from kubewright.operator.context import Means
from kubewright.operator.once import create_once
from kubewright.operator.wishes import Wishes
from tests.unit.operator.world import World, world


def means_of(w: World) -> Means:
    client = w.cluster.client
    family = Family(client, {})
    applier = Applier(client, family, field_owner="shops")
    wishes = Wishes([], [], w.cluster.cache.informer(Secret))
    return Means("shops", w.cluster, family, applier, w.clock, wishes)


async def test_of_two_who_make_it_one_succeeds_and_the_other_gets_that() -> None:
    """A cache that lags behind must not cost the password that is in use."""
    wanted = Secret(metadata=kw.ObjectMeta(name="a", namespace="default"))

    def fill(secret: Secret) -> None:
        secret.string_data["n"] = "1" if not wanted.string_data else "2"

    async with world() as w:
        first = await create_once(means_of(w), wanted, fill)
        second = await create_once(means_of(w), wanted, lambda one: one.string_data.update(n="2"))

    assert (first.changed, second.changed) == (True, False)
    assert first.live.data == second.live.data == {"n": b"1"}
    assert wanted.string_data == {}
    assert first.live.metadata.managed_fields[0].manager == "shops"
