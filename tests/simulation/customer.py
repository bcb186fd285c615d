"""A user who creates, changes and deletes things all day, at random."""

import random

from kubewright.kinds.core.v1 import Event
from tests.simulation.shops import GROUP
from tests.simulation.world import World

FEW, MANY = 4, 12


class Customer:
    """Does one thing after the other; the same ones for the same seed.

    Args:
        world: Where.
        seed: Where chance comes from.
    """

    def __init__(self, world: World, seed: int) -> None:
        self.acts: int = 0
        """How many things were done."""
        self._world = world
        self._chance = random.Random(seed)

    async def act(self) -> None:
        """Do something."""
        self.acts += 1
        w, chance = self._world, self._chance
        names = sorted(w.wanted)
        act = chance.choice([self._build, self._change, self._close, self._meddle, self._price])
        if len(names) < FEW:
            act = self._build
        elif len(names) >= MANY and act == self._build:
            act = self._close
        await act(chance.choice(names) if names else "")

    async def be_busy(self, seconds: float, *, every: tuple[float, float]) -> None:
        """Do things for so long, with pauses of between so many seconds."""
        end = self._world.clock.monotonic() + seconds
        while (left := end - self._world.clock.monotonic()) > 0:
            await self.act()
            await self._world.pass_time(min(left, self._chance.uniform(*every)))

    async def tidy(self) -> None:
        """Remove old events, which a real server forgets after an hour."""
        for event in await self._world.user.list(Event):
            await self._world.user.delete(event)

    async def _build(self, name: str) -> None:
        # Names come again, for new objects.
        there = {one["metadata"]["name"] for one in self._world.site.objects("shops", GROUP)}
        free = [f"shop-{number}" for number in range(2 * MANY)]
        name = self._chance.choice([one for one in free if one not in there])
        await self._world.build(name, **self._size())

    async def _change(self, name: str) -> None:
        await self._world.change(name, **self._size())

    async def _close(self, name: str) -> None:
        await self._world.close(name)

    async def _meddle(self, name: str) -> None:
        sign = f"{name}-{self._chance.randrange(3)}"
        if self._chance.random() < 0.5:
            await self._world.steal(sign)
        else:
            await self._world.deface(sign)

    async def _price(self, name: str) -> None:
        await self._world.set_price(str(self._chance.randrange(100)))

    def _size(self) -> dict[str, int]:
        return {"size": self._chance.randrange(1, 100), "signs": self._chance.randrange(4)}
