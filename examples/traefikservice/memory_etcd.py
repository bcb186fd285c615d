"""An etcd in memory, for tests."""

from collections.abc import Collection, Mapping

from etcd import Etcd, Value

__all__ = ["KilledError", "MemoryEtcd"]

LIMIT = 128
"""Operations in a transaction, as etcd has it by default."""


class KilledError(Exception):
    """The program ends here."""


class MemoryEtcd(Etcd):
    """What etcd does with keys, without a network.

    Args:
        lives: How many transactions are done before the program is killed.
    """

    def __init__(self, lives: int = 1000) -> None:
        super().__init__(["http://memory"])
        self.values: dict[str, Value] = {}
        self.revision = 1
        self.lives = lives

    async def read(self, *keys: str) -> dict[str, Value]:
        """Return what stands there; see `Etcd.read`."""
        return {
            key: value
            for key, value in self.values.items()
            if any(key == one or (one.endswith("/") and key.startswith(one)) for one in keys)
        }

    async def commit(
        self, puts: Mapping[str, str], deletes: Collection[str], *, unless: Mapping[str, int]
    ) -> int:
        """Do all of it or nothing; see `Etcd.commit`."""
        assert len(puts) + len(deletes) <= LIMIT
        assert len(unless) <= LIMIT
        assert not puts.keys() & set(deletes)
        if self.lives == 0:
            raise KilledError
        self.lives -= 1
        if any(self.at(key) != revision for key, revision in unless.items()):
            return 0
        self.revision += 1
        self.values.update({key: Value(puts[key], self.revision) for key in puts})
        for key in deletes:
            self.values.pop(key, None)
        return self.revision

    def at(self, key: str) -> int:
        """Return the revision of *key*; 0 if it is not there."""
        return self.values[key].revision if key in self.values else 0

    def texts(self) -> dict[str, str]:
        """Return all keys and their values."""
        return {key: value.text for key, value in self.values.items()}
