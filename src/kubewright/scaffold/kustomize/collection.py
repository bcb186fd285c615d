"""`Collection`: resources in order, no two of them the same object."""

from collections.abc import Callable, Iterable, Iterator

from kubewright.scaffold.kustomize.identity import Identity
from kubewright.scaffold.kustomize.node import is_empty
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource

__all__ = ["Collection"]


class Collection:
    """Resources in the order in which they were added."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._resources: list[Resource] = list(resources)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._resources)

    def __len__(self) -> int:
        return len(self._resources)

    def add(self, resources: Iterable[Resource]) -> None:
        """Add *resources* at the end.

        Raises:
            ProblemError: One of them is there already.
        """
        known = {_key(one.identity): one for one in self._resources}
        for one in resources:
            other = known.setdefault(_key(one.identity), one)
            if other is not one:
                raise ProblemError(
                    f"{one.identity} is there twice{_places(other, one)}; remove one of them"
                )
            self._resources.append(one)

    def check(self) -> None:
        """Check that all objects still differ.

        Raises:
            ProblemError: Two have become the same.
        """
        Collection().add(self._resources)

    def find(self, matches: Callable[[Identity], bool]) -> list[Resource]:
        """Return what is, or once was, such an object."""
        return [one for one in self._resources if any(map(matches, one.identities))]

    def get(self, identity: Identity) -> Resource:
        """Return the resource that is, or once was, the object *identity*.

        Raises:
            ProblemError: There is none, or more than one.
        """
        found = self.find(identity.equals)
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(str(one.identity) for one in found)
            raise ProblemError(f"{identity} could be each of these: {several}")
        raise ProblemError(f"there is no {identity}{self._similar(identity)}")

    def replace(self, old: Resource, new: Resource) -> None:
        """Put *new* in the place of *old*."""
        self._resources[self._resources.index(old)] = new

    def keep(self, wanted: Callable[[Resource], bool]) -> None:
        """Drop all resources that are not *wanted*."""
        self._resources = [one for one in self._resources if wanted(one)]

    def drop_deleted(self) -> None:
        """Drop what patches have deleted or emptied."""
        self.keep(lambda one: not is_empty(one.node))

    def sort(self, key: Callable[[Resource], tuple[object, ...]]) -> None:
        """Put the resources in another order."""
        self._resources.sort(key=key)

    def _similar(self, identity: Identity) -> str:
        """Say what there is of this kind or name: often only one word is wrong."""
        _, name, _ = identity
        near = [
            one.original_identity
            for one in self._resources
            if one.original_identity.name == name or one.gvk.kind == identity.gvk.kind
        ]
        if not near:
            return ""
        return "; there is " + ", ".join(map(str, near[:5]))


def _key(identity: Identity) -> tuple[object, ...]:
    return (identity.gvk, identity.name, identity.effective_namespace)


def _places(*resources: Resource) -> str:
    places = [one.place for one in resources if one.place]
    return f" ({' and '.join(places)})" if places else ""
