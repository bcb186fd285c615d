"""What would be lost with a CRD."""

from kubewright.applyset import Found, members_of
from kubewright.applyset.guarding import Guard, Instances
from kubewright.applyset.removing import Remover
from kubewright.errors import InUseError
from tests.unit.applyset.objects import SHOPS, Bench, bench, crd, shop


async def found(b: Bench) -> list[Found]:
    """Return the CRD, with more objects than are worth a line."""
    await b.apply(crd(), parent=None)
    await b.apply(*(shop(name) for name in "abcd"), parent=None)
    definitions, _ = await Remover(b.client, None).named(members_of([crd()]))
    return [one for one in definitions if isinstance(one, Found)]


async def test_the_message_names_some_of_the_objects() -> None:
    """Whoever reads it may know them, and then knows why it was refused."""
    async with bench() as b:
        _, (failure,) = await Guard(b.client, "members").instances(await found(b))

        assert isinstance(failure.error, InUseError)
        assert str(failure.error) == (
            "4 objects of it would go, too, such as shop.example.com/a in default,"
            " shop.example.com/b in default, shop.example.com/c in default"
        )


async def test_who_allows_it_gets_the_objects_and_members_are_not_among_them() -> None:
    """Members are deleted in their turn."""
    async with bench() as b:
        definitions = await found(b)
        shops = await b.client.list("shops.example.com")
        members = {one.metadata.uid for one in shops}
        wanted: list[tuple[Instances, set[str], int, int]] = [
            ("all", set(), 4, 0),
            ("all", members, 0, 0),
            ("members", members, 0, 0),
            ("none", members, 0, 1),
        ]

        for allowed, going, instances, failures in wanted:
            answer = await Guard(b.client, allowed).instances(definitions, going)
            assert len(answer[0].get(SHOPS, [])) == instances
            assert len(answer[1]) == failures
