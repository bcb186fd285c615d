"""Where objects belong: those of kinds with namespaces in one, all others in none."""

from collections.abc import Iterable

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.applyset.member import Member, ObjectName, check_unique
from kubewright.applyset.reach import find_mapping
from kubewright.client import Client

__all__ = ["placed"]


async def placed(client: Client, members: Iterable[Member]) -> list[Member]:
    """Return *members* with the namespace of the client where they name none and need one.

    Whether a kind has namespaces is asked of the CRDs among them, and of the server.

    Raises:
        ConfigError: An object is there twice: once with its namespace, and once without.
    """
    everything = list(members)
    defined = {gvk: namespaced for one in everything for gvk, namespaced in one.defines}
    found = [await _placed(client, one, defined) for one in everything]
    check_unique(found)
    return found


async def _placed(client: Client, member: Member, defined: dict[GroupVersionKind, bool]) -> Member:
    gvk, key = member.name.gvk, member.name.key
    namespaced = defined.get(gvk)
    if namespaced is None:
        mapping = await find_mapping(client, gvk)
        if mapping is None:
            return member  # its apply fails, and says why
        namespaced = mapping.namespaced
    namespace = (key.namespace or client.namespace) if namespaced else ""
    if namespace == key.namespace:
        return member
    return Member(ObjectName(gvk, ObjectKey(namespace, key.name)), member.document)
