"""The options of ``kubewright run`` that are for roles."""

from typing import TYPE_CHECKING, Any

from kubewright.errors import ConfigError

if TYPE_CHECKING:
    from kubewright.ansible import Settings

__all__ = ["settings_for"]


def settings_for(*, reconcile_period: str | None, **given: Any) -> "Settings | None":
    """Return the settings that the user asks for; ``None`` if none of the options was given.

    Args:
        reconcile_period: A duration in text.
        given: Fields of `Settings`; ``None`` for those that were not given.

    Raises:
        ConfigError: One of them cannot be.
    """
    fields = {name: value for name, value in given.items() if value is not None}
    if reconcile_period is None and not fields:
        return None
    from kubewright.ansible import Settings
    from kubewright.api.times import parse_duration

    if reconcile_period is not None:
        try:
            fields["reconcile_period"] = parse_duration(reconcile_period).total_seconds()
        except ValueError as error:
            raise ConfigError(
                f"--reconcile-period: {error}: write one such as 30s or 10h"
            ) from None
    return Settings(**fields)
