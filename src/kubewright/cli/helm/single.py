"""One chart as an operator, as the options of ``kubewright helm run`` say."""

from pathlib import Path

from kubewright.api.kind_reference import Kind
from kubewright.api.names import check_dns_label, check_dns_subdomain
from kubewright.errors import ConfigError
from kubewright.helm import HelmOperator, Watch, load_chart

__all__ = ["single_chart"]


def single_chart(place: Path, *, group: str, version: str, kind: str) -> HelmOperator:
    """Return the operator for the chart in *place*.

    Raises:
        ConfigError: There is no chart, or there can be no such kind.
    """
    if not group:
        raise ConfigError("--group is empty: custom kinds need one, such as example.com")
    try:
        check_dns_subdomain(group)
        check_dns_label(version)
        check_dns_label(kind.lower())
        named = Kind(f"{group}/{version}", kind)
    except ValueError as error:
        raise ConfigError(f"there can be no such kind: {error}") from None
    chart = load_chart(place)
    return HelmOperator([Watch(kind=named, chart=chart)], name=f"{chart.name}-operator")
