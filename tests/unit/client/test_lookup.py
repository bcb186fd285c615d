"""`Lookup`: discovery for those who ask by a name, and nothing of it for all others."""

import sys

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.kind import GroupVersionKind
from kubewright.client.lookup import Lookup
from tests.unit.client.discovery_server import DiscoveryServer


def lookup_on(server: DiscoveryServer) -> Lookup:
    """Return a lookup that asks *server*."""
    return Lookup(server, host="https://test", cache_dir=None, clock=VirtualClock())


async def test_both_questions_are_answered_by_one_discovery() -> None:
    """A name and a kind are looked up in what was read once."""
    server = DiscoveryServer()
    lookup = lookup_on(server)

    named = await lookup.resolve("deploy")
    asked = len(server.asked)
    found = await lookup.mapping(GroupVersionKind("apps", "v1", "Deployment"))

    assert named == found
    assert len(server.asked) == asked


def test_nothing_is_loaded_before_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever works with classes alone need not pay for it."""
    monkeypatch.setitem(sys.modules, "kubewright.client.discovery_cache", None)

    lookup = lookup_on(DiscoveryServer())

    with pytest.raises(ImportError):
        _ = lookup.discovery
