"""`Grant`: what one run may do through the proxy, for as long as it lasts."""

from typing import TYPE_CHECKING, Any

import msgspec

from kubewright.ansible.proxy.owner import Owner

if TYPE_CHECKING:
    from kubewright.ansible.children import Children
    from kubewright.client import Client

__all__ = ["Grant"]


class Grant(msgspec.Struct, eq=False):
    """The way of one run to the API server.

    Attributes:
        token: What the run shows; nobody else knows it.
        client: Where its requests go.
        owner: The object that it is for.
        children: What belongs to the object, which learns what the run writes and reads.
        inject_owners: Whether what it makes gets the object as its owner.
    """

    token: str
    client: "Client"
    owner: Owner
    children: "Children"
    inject_owners: bool = True

    def note_answer(self, document: dict[str, Any]) -> None:
        """Note an object in an answer to the run."""
        if self.owner.owns(document):
            self.children.note(document)
