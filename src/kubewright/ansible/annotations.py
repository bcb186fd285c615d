"""`Annotations`: what an object says about its own runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from kubewright.ansible.settings import Settings, check_verbosity, number
from kubewright.ansible.watches import Watch
from kubewright.api.times import parse_duration
from kubewright.api.unstructured import Unstructured
from kubewright.errors import ConfigError

if TYPE_CHECKING:
    from kubewright.client.events import EventRecorder

__all__ = ["PREFIX", "Annotations"]

PREFIX: str = "ansible.sdk.operatorframework.io/"
_PERIOD, _ARTIFACTS, _VERBOSITY = "reconcile-period", "max-runner-artifacts", "verbosity"


class Annotations:
    """The annotations of an object that change how it is run; those nobody can use have no effect.

    Args:
        found: What they say, checked.
    """

    def __init__(self, found: Mapping[str, float]) -> None:
        self._found = found

    @classmethod
    def of(cls, obj: Unstructured, recorder: "EventRecorder") -> Self:
        """Return those of *obj*; what is wrong with one becomes an event."""
        found: dict[str, float] = {}
        for name in (_PERIOD, _ARTIFACTS, _VERBOSITY):
            text = obj.metadata.annotations.get(f"{PREFIX}{name}")
            if text is None:
                continue
            try:
                found[name] = _read(name, text)
            except (ConfigError, ValueError) as error:
                recorder.event(obj, reason="BadAnnotation", type="Warning", message=str(error))
        return cls(found)

    def period(self, watch: Watch, settings: Settings) -> float | None:
        """Return the seconds after which it is looked at without a reason; ``None`` for never."""
        default = (
            settings.reconcile_period
            if watch.reconcile_period is None
            else (watch.reconcile_period)
        )
        return self._found.get(_PERIOD, default) or None

    def artifacts(self, watch: Watch) -> int:
        """Return of how many runs the artifacts are kept."""
        return int(self._found.get(_ARTIFACTS, watch.max_runner_artifacts))

    def verbosity(self, watch: Watch, settings: Settings) -> int:
        """Return how much Ansible prints."""
        default = settings.verbosity if watch.verbosity is None else watch.verbosity
        return int(self._found.get(_VERBOSITY, default))


def _read(name: str, text: str) -> float:
    if name == _PERIOD:
        try:
            found = parse_duration(text).total_seconds()
        except ValueError:
            found = -1
        if found < 0:
            raise ConfigError(f"{PREFIX}{name} is {text!r}: write a duration such as 30s")
        return found
    count = number(text, f"{PREFIX}{name}")
    return check_verbosity(count, f"{PREFIX}{name}") if name == _VERBOSITY else max(0, count)
