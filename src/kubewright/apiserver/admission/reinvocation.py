"""Plugins that want to see what others changed after them: the chain's second round."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from kubewright.apiserver.registry.strategy import Obj


@dataclass(slots=True)
class Turn:
    """What one plugin did with a write, in both rounds.

    Attributes:
        invoked: The webhooks or policies that were called and want to see later changes.
        again: Those of them that have missed a change.
        output: The object after the plugin's last call.
    """

    invoked: list[Hashable] = field(default_factory=list)
    again: set[Hashable] = field(default_factory=set)
    output: Obj | None = None

    def add(self, key: Hashable) -> None:
        """Note that *key* was called and wants to see later changes."""
        if key not in self.invoked:
            self.invoked.append(key)


class Reinvocation:
    """Whether the mutating part of the chain must run a second time for a write.

    Attributes:
        is_wanted: Whether a webhook or policy has changed the object.
        is_second: Whether the second round runs.
    """

    __slots__ = ("_turns", "is_second", "is_wanted")

    def __init__(self) -> None:
        self.is_wanted: bool = False
        self.is_second: bool = False
        self._turns: dict[str, Turn] = {}

    def begin(self, plugin: str, obj: Obj | None) -> Turn:
        """Return the turn of *plugin*; a change of *obj* since the last one makes all due again."""
        turn = self._turns.setdefault(plugin, Turn())
        if self.is_second and obj != turn.output:
            turn.again.update(turn.invoked)
        return turn

    def note_change(self, turn: Turn) -> None:
        """Note that a webhook or policy of *turn* has changed the object."""
        self.is_wanted = True
        turn.again.update(turn.invoked)

    def skips(self, turn: Turn, key: Hashable) -> bool:
        """Whether *key* is not called in this round: it has seen every change already."""
        return self.is_second and key not in turn.again
