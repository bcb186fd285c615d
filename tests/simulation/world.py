"""A world in one event loop: a server, processes that work, a user who wants things, and time."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.requests import Request
from kubewright.application.install import install_crds
from kubewright.client import Client
from kubewright.embedded import InProcessTransport
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import Faults
from kubewright.testing.faults import Fault
from tests.simulation.clock import ProcessClock
from tests.simulation.landlord import Landlord
from tests.simulation.process import Process
from tests.simulation.shops import FINALIZER, GROUP, NAME, Shop, prices, shop
from tests.simulation.site import Site

PATIENCE = 1800.0
"""Virtual seconds within which everything must be right again: longer than the longest silence."""


class Traced:
    """Faults that note every request, and what happened to it."""

    def __init__(self, clock: VirtualClock, faults: Faults | None = None) -> None:
        self.faults = faults
        self.count: int = 0
        """How many requests were sent."""
        self.injected: int = 0
        """To how many of them something happened."""
        self.trace: list[tuple[float, str, Fault | None]] | None = []
        self._clock = clock

    def choose(self, request: Request) -> Fault | None:
        """Ask for a fault, and note what comes of it."""
        fault = self.faults.choose(request) if self.faults is not None else None
        self.count += 1
        self.injected += fault is not None
        if self.trace is not None:
            said = f"{request.method} {request.target}"
            self.trace.append((self._clock.monotonic(), said, fault))
        return fault


class Remains(NamedTuple):
    """What may be left when a process has ended: nothing that was not there before."""

    tasks: int
    sleepers: int
    watchers: int


@dataclass
class World:
    """All there is."""

    clock: VirtualClock
    server_clock: ProcessClock
    site: Site
    landlord: Landlord
    user: Client
    wanted: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The shops that should exist: their size and how many signs they have."""
    price: str = ""

    # --- What the user does; nothing goes wrong on the way ---

    async def set_price(self, price: str) -> None:
        """Change the price list of all shops."""
        await self.user.apply(prices(price), force=True)
        self.price = price

    async def build(self, name: str, *, size: int = 1, signs: int = 1) -> None:
        """Create a shop, once the last one of that name is closed."""
        while await self.user.find(Shop, name) is not None:
            await self.pass_time(1.0)
        await self.user.create(shop(name, size=size, signs=signs))
        self.wanted[name] = size, signs

    async def change(self, name: str, *, size: int, signs: int) -> None:
        """Change a shop."""
        await self.user.patch(Shop, name, {"spec": {"size": size, "signs": signs}})
        self.wanted[name] = size, signs

    async def close(self, name: str) -> None:
        """Delete a shop."""
        await self.user.delete(Shop, name)
        del self.wanted[name]

    async def steal(self, sign: str) -> None:
        """Take a sign away that the operator has put up."""
        await self.user.delete(ConfigMap, sign, missing_ok=True)

    async def deface(self, sign: str) -> None:
        """Change a sign that the operator has put up."""
        if await self.user.find(ConfigMap, sign) is not None:
            await self.user.patch(ConfigMap, sign, {"data": {"size": "none"}})

    # --- How it should be ---

    def problems(self) -> list[str]:
        """Return what is not as it should be."""
        if self.site.away:
            return ["the server is away"]
        shops = {one["metadata"]["name"]: one for one in self.site.objects("shops", GROUP)}
        found = [f"{name} should not exist" for name in shops.keys() - self.wanted.keys()]
        for name, wanted in self.wanted.items():
            found += [f"{name}: {text}" for text in self._of_shop(shops.get(name), *wanted)]
        found += self._of_signs(shops)
        alive = {one["metadata"]["uid"] for one in shops.values()}
        found += [f"no contract for {uid}" for uid in alive - self.landlord.open]
        return found + [f"a contract is left of {uid}" for uid in self.landlord.open - alive]

    def _of_shop(self, found: Any, size: int, signs: int) -> Iterator[str]:
        if found is None:
            yield "it does not exist"
            return
        metadata, status = found["metadata"], found.get("status") or {}
        if found["spec"] != {"size": size, "signs": signs}:
            yield f"its spec is {found['spec']}"
        if metadata.get("finalizers") != [FINALIZER]:
            yield f"its finalizers are {metadata.get('finalizers')}"
        if status.get("observedGeneration") != metadata["generation"]:
            yield f"of generation {metadata['generation']}, the status knows {status}"
        if (status.get("signs"), status.get("price")) != (signs, self.price):
            yield f"its status is {status}"
        ready = [one["status"] for one in status.get("conditions") or () if one["type"] == "Ready"]
        if ready != ["True"]:
            yield f"its condition is {ready}"

    def _of_signs(self, shops: dict[str, Any]) -> Iterator[str]:
        expected = {
            f"{name}-{number}": (name, size)
            for name, (size, signs) in self.wanted.items()
            for number in range(signs)
        }
        maps = {one["metadata"]["name"]: one for one in self.site.objects("configmaps")}
        signs = {name: one for name, one in maps.items() if "shop" in _labels(one)}
        yield from (f"the sign {name} is left" for name in signs.keys() - expected.keys())
        for name, (owner, size) in expected.items():
            sign = signs.get(name)
            if sign is None:
                yield f"the sign {name} is missing"
            elif owner in shops and _owners(sign) != [shops[owner]["metadata"]["uid"]]:
                yield f"the sign {name} belongs to {_owners(sign)}"
            elif sign.get("data") != {"size": str(size), "price": self.price}:
                yield f"the sign {name} says {sign.get('data')}"

    # --- What must never be ---

    @property
    def wrongs(self) -> list[str]:
        """Return all that must never happen, and did."""
        repeated = [
            f"{what} was done {count} times for {uid}"
            for what, counts in (("sign", self.landlord.signed), ("end", self.landlord.ended))
            for uid, count in counts.items()
            if count > 1
        ]
        return [*self.site.wrongs, *self.landlord.wrongs, *repeated]

    # --- Time ---

    async def pass_time(self, seconds: float) -> None:
        """Let everybody work for so long."""
        await self.clock.advance(seconds)

    async def converge(self, *processes: Process, within: float = PATIENCE) -> float:
        """Wait until all is as it should be, and stays so; return how long it took."""
        began = self.clock.monotonic()
        while problems := self.problems():
            waited = self.clock.monotonic() - began
            assert waited < within, f"after {waited:.0f} s: {'; '.join(problems)}"
            for process in processes:
                assert not process.ended, f"{process.name} has ended: {process.task}"
            await self.pass_time(1.0 if waited < 30 else 10.0)
        took = self.clock.monotonic() - began
        await self.pass_time(5.0)
        assert not self.problems(), f"it did not stay so: {self.problems()}"
        return took

    # --- Processes ---

    def process(self, name: str, faults: Faults | None = None) -> Process:
        """Start one more process."""
        made = Process(name, self.clock, self.site, landlord=self.landlord, faults=faults)
        made.start()
        return made

    async def stop(self, process: Process) -> None:
        """Stop *process*; raises what went wrong in it."""
        process.manager.stop()
        await self.clock.run(process.finish())

    def remains(self) -> Remains:
        """Return what there is at the moment."""
        return Remains(len(asyncio.all_tasks()), self.clock.sleepers, self.site.watchers)


def _labels(obj: dict[str, Any]) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


def _owners(obj: dict[str, Any]) -> list[str]:
    return [one["uid"] for one in obj["metadata"].get("ownerReferences") or ()]


@asynccontextmanager
async def world(*, seed: int = 0, folder: Path | None = None) -> AsyncIterator[World]:
    """Make a world in which nothing happens yet.

    Args:
        seed: Where all chance comes from, also that of jitter and back-off.
        folder: Where the server keeps its objects.
    """
    random.seed(seed)
    clock = VirtualClock()
    server_clock = ProcessClock(clock)
    site = Site(server_clock, folder=folder, lease=NAME)
    await site.start()
    settings = kw.Config(server="http://in-process", namespace="default")
    wire = InProcessTransport(site, user_agent="user", clock=clock)
    landlord = Landlord(clock, lambda uid: _objection(site, uid))
    try:
        async with Client(settings, transport=wire, field_owner="user", clock=clock) as user:
            await clock.run(install_crds(user, [Shop]))
            yield World(clock, server_clock, site, landlord, user)
    finally:
        await site.stop()


def _objection(site: Site, uid: str) -> str:
    """Return what speaks against a contract: only a finalizer makes sure that it is ended."""
    if site.away:
        return ""
    for one in site.objects("shops", GROUP):
        if one["metadata"]["uid"] == uid:
            held = FINALIZER in (one["metadata"].get("finalizers") or ())
            return "" if held else "its finalizer is not on it"
    return "there is no such shop"
