"""Looks again at what a run has read besides its own objects."""

from typing import TYPE_CHECKING

from kubewright.ansible.children import Children, digest_of_answer
from kubewright.api.requests import Request
from kubewright.errors import Attempt

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["changed_reading"]


async def changed_reading(client: "Client", children: Children) -> str:
    """Return the path of something that a run would find otherwise now; empty if there is none."""
    for read in children.reads.values():
        place = read.place
        verb = "get" if place.name else "list"
        attempt = Attempt(verb, place.resource, place.group, "", place.namespace, place.name)
        target = f"{read.path}?{read.query}" if read.query else read.path
        answer = await client.rest.transport.send(Request("GET", target, attempt))
        if digest_of_answer(answer.status, answer.body) != read.digest:
            return read.path
    return ""
