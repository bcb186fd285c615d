"""Which objects of a bundle newer versions of Kubernetes do not know any more."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubewright.bundle.document import at, items, text
from kubewright.bundle.finding import Finding, error, warning
from kubewright.bundle.reading import Bundle
from kubewright.bundle.semver import Version

__all__ = ["check_removed", "parse_release", "removed_in"]


class _Removal(NamedTuple):
    api_version: str
    kinds: tuple[str, ...]
    release: str


_REMOVED = (
    _Removal("apiextensions.k8s.io/v1beta1", ("CustomResourceDefinition",), "1.22"),
    _Removal("scheduling.k8s.io/v1beta1", ("PriorityClass",), "1.22"),
    _Removal("rbac.authorization.k8s.io/v1beta1", (), "1.22"),
    _Removal("apiregistration.k8s.io/v1beta1", (), "1.22"),
    _Removal("admissionregistration.k8s.io/v1beta1", (), "1.22"),
    _Removal("coordination.k8s.io/v1beta1", (), "1.22"),
    _Removal("extensions/v1beta1", (), "1.22"),
    _Removal("networking.k8s.io/v1beta1", (), "1.22"),
    _Removal("storage.k8s.io/v1beta1", (), "1.22"),
    _Removal("certificates.k8s.io/v1beta1", (), "1.22"),
    _Removal("batch/v1beta1", ("CronJob",), "1.25"),
    _Removal("discovery.k8s.io/v1beta1", ("EndpointSlice",), "1.25"),
    _Removal("events.k8s.io/v1beta1", ("Event",), "1.25"),
    _Removal("autoscaling/v2beta1", ("HorizontalPodAutoscaler",), "1.25"),
    _Removal("policy/v1beta1", ("PodDisruptionBudget", "PodSecurityPolicy"), "1.25"),
    _Removal("node.k8s.io/v1beta1", ("RuntimeClass",), "1.25"),
    _Removal("autoscaling/v2beta2", ("HorizontalPodAutoscaler",), "1.26"),
)


def parse_release(text: str) -> Version:
    """Return a release of Kubernetes such as ``1.25``, ``v1.25`` or ``1.25.3``.

    Raises:
        ValueError: It is none.
    """
    parts = text.removeprefix("v").split(".")
    return Version.parse(".".join([*parts, "0", "0"][: max(3, len(parts))]))


def removed_in(bundle: Bundle, release: str) -> list[str]:
    """Return the kinds of objects in *bundle* that are gone since *release*."""
    found = [(one, _find(one.api_version, one.kind)) for one in bundle.manifests]
    return [
        f"{one.kind} of {one.api_version}"
        for one, removal in found
        if removal is not None and removal.release == release
    ]


def check_removed(bundle: Bundle, options: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is gone in newer releases of Kubernetes.

    It is an error where a release is meant in which it is gone: by ``spec.minKubeVersion``, or by
    the option ``k8s-version``.
    """
    meant = _meant(bundle, options)
    for one in bundle.manifests:
        if (removal := _find(one.api_version, one.kind)) is not None:
            tell = (
                error if any(each >= parse_release(removal.release) for each in meant) else warning
            )
            yield tell(
                one,
                ("apiVersion",),
                _said(removal, one.kind),
            )
    csv = bundle.csv
    for place, owned in enumerate(
        items(csv.at("spec", "customresourcedefinitions", "owned")) if csv else []
    ):
        for at_, one in enumerate(items(at(owned, "resources"))):
            removal = _find(text(at(one, "version")), text(at(one, "kind")))
            if csv and removal is not None:
                where = ("spec", "customresourcedefinitions", "owned", place, "resources", at_)
                yield warning(
                    csv,
                    where,
                    _said(removal, text(at(one, "kind"))),
                )


def _said(removal: _Removal, kind: str) -> str:
    return f"Kubernetes {removal.release} has no {kind} of {removal.api_version} any more"


def _find(api_version: str, kind: str) -> _Removal | None:
    return next(
        (
            one
            for one in _REMOVED
            if one.api_version == api_version and (not one.kinds or kind in one.kinds)
        ),
        None,
    )


def _meant(bundle: Bundle, options: Mapping[str, str]) -> list[Version]:
    csv = bundle.csv
    least = Version.find(csv.at("spec", "minKubeVersion")) if csv else None
    wanted = [parse_release(options["k8s-version"])] if options.get("k8s-version") else []
    return [*wanted, *([least] if least else [])]
