"""Whether the images of a bundle run on the platforms that it promises."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.finding import Finding, error, warning
from kubewright.bundle.images import containers_of
from kubewright.bundle.reading import Bundle

__all__ = ["PLATFORMS", "PROBLEM", "check_platforms", "images_of"]

PLATFORMS: str = "platforms:"
"""How the value begins, before the image, that says which platforms an image is for."""
PROBLEM: str = "problem:"
"""How the value begins, before the image, that says why nobody knows."""
_ARCH = "operatorframework.io/arch."
_SYSTEM = "operatorframework.io/os."
_MANAGER = "manager"
_PROXY = "kube-rbac-proxy"
_DEPLOYMENTS = ("spec", "install", "spec", "deployments")


def images_of(bundle: Bundle) -> list[str]:
    """Return the images of all containers, and those that are related."""
    csv = bundle.csv
    if csv is None:
        return []
    related = [text(at(one, "image")) for one in items(csv.at("spec", "relatedImages"))]
    found = [image for one in _deployments(csv) for image in _images(one)]
    return list(dict.fromkeys(filter(None, [*found, *related])))


def check_platforms(bundle: Bundle, options: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is wrong with the platforms of images.

    What an image is for comes with the options, see `PLATFORMS`: nothing here asks registries.
    """
    csv = bundle.csv
    if csv is None:
        return
    labels = mapping(csv.at("metadata", "labels"))
    promised = _promised(labels)
    known: dict[str, set[str]] = {}
    for image in images_of(bundle):
        if f"{PLATFORMS}{image}" in options:
            known[image] = set(options[f"{PLATFORMS}{image}"].split(","))
        else:
            why = options.get(f"{PROBLEM}{image}", "nobody has asked its registry")
            yield warning(csv, ("spec",), f"nobody knows the platforms of {image}: {why}")
    for image, platforms in known.items():
        for one in sorted(promised - platforms):
            yield error(
                csv, ("metadata", "labels"),
                f"the bundle is for {one}, and {image} is not: it is for"
                f" {', '.join(sorted(platforms))}. Without labels {_ARCH}… and {_SYSTEM}…, a"
                " bundle is for linux/amd64",
            )  # fmt: skip
    yield from _unpromised(csv, promised, known)
    yield from _unplaced(csv, known)


def _promised(labels: Mapping[str, Any]) -> set[str]:
    def listed(prefix: str, default: str) -> list[str]:
        found = [
            key.removeprefix(prefix)
            for key, value in labels.items()
            if key.startswith(prefix) and value == "supported"
        ]
        return found or [default]

    return {
        f"{system}/{arch}" for system in listed(_SYSTEM, "linux") for arch in listed(_ARCH, "amd64")
    }


def _unpromised(
    csv: Document, promised: set[str], known: Mapping[str, set[str]]
) -> Iterator[Finding]:
    """Yield platforms on which the manager runs, and which no label names."""
    managers = [image for one in _deployments(csv) for image in _managers(one)]
    offered = {one for image in managers for one in known.get(image, ())} - promised
    if offered:
        yield warning(
            csv, ("metadata", "labels"),
            f"the operator runs on {', '.join(sorted(offered))}, too, and no label says so:"
            f" {_ARCH}arm64: supported, and {_SYSTEM}linux: supported",
        )  # fmt: skip
    for image, platforms in known.items():
        lacking = sorted((offered | promised) - promised - platforms)
        if lacking and image not in managers:
            said = ", ".join(lacking)
            yield warning(csv, ("spec",), f"the operator runs on {said}, and {image} does not")


def _unplaced(csv: Document, known: Mapping[str, set[str]]) -> Iterator[Finding]:
    """Yield deployments that do not keep to the nodes on which their images run."""
    for number, one in enumerate(_deployments(csv)):
        where = (*_DEPLOYMENTS, number)
        asked = _affinity(mapping(at(one, "spec", "template", "spec")))
        for image in dict.fromkeys(_images(one)):
            platforms = known.get(image)
            if platforms is None or asked == platforms:
                continue
            has = f"asks for {', '.join(sorted(asked))}" if asked else "asks for no nodes"
            yield warning(
                csv, where,
                f"{image} is for {', '.join(sorted(platforms))}, and the node affinity of its"
                f" deployment {has}",
            )  # fmt: skip


def _affinity(pod: Mapping[str, Any]) -> set[str]:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = items(at(pod, "affinity", "nodeAffinity", required, "nodeSelectorTerms"))
    found: set[str] = set()
    for term in terms:
        values = {
            text(at(one, "key")): items(at(one, "values"))
            for one in items(at(term, "matchExpressions"))
            if at(one, "operator") == "In"
        }
        systems, arches = values.get("kubernetes.io/os", []), values.get("kubernetes.io/arch", [])
        found |= {f"{system}/{arch}" for system in systems for arch in arches}
    return found


def _deployments(csv: Document) -> list[Any]:
    return items(csv.at(*_DEPLOYMENTS))


def _images(deployment: Any) -> list[str]:
    found = containers_of({"spec": at(deployment, "spec")})
    return [text(at(one, "image")) for one in found if text(at(one, "image"))]


def _managers(deployment: Any) -> list[str]:
    """Return the images that are the operator itself: by name, or all but a well-known helper."""
    listed = items(at(deployment, "spec", "template", "spec", "containers"))
    named = [one for one in listed if at(one, "name") == _MANAGER]
    chosen = named or [one for one in listed if at(one, "name") != _PROXY]
    return [text(at(one, "image")) for one in chosen]
