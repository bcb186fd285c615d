"""Whether the CRDs of a bundle are sound, and those that its ClusterServiceVersion names."""

from collections.abc import Iterator
from copy import deepcopy

from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.finding import Finding, error, warning
from kubewright.bundle.reading import Bundle

__all__ = ["check_definitions"]

_V1 = "apiextensions.k8s.io/v1"
Key = tuple[str, str, str]


def check_definitions(bundle: Bundle) -> Iterator[Finding]:
    """Yield what is wrong with the CRDs of a bundle."""
    for crd in bundle.crds:
        if crd.api_version == _V1:
            yield from _check_definition(crd)
        else:
            yield warning(
                crd,
                ("apiVersion",),
                f"no Kubernetes from 1.22 on knows {crd.api_version}: write {_V1}",
            )
    yield from _check_owned(bundle)


def _check_definition(crd: Document) -> Iterator[Finding]:
    """Yield what an API server would refuse about a CRD."""
    from kubewright.apiserver.customresource import definition

    content = {key: deepcopy(one) for key, one in crd.content.items() if key != "status"}
    names, versions = mapping(crd.at("spec", "names")), items(crd.at("spec", "versions"))
    if (
        not names
        or not versions
        or not all(isinstance(one, dict) and one.get("name") for one in versions)
    ):
        yield error(
            crd, ("spec",), "a CRD needs spec.names, and spec.versions with a name for each"
        )
        return
    try:
        definition.default(content)
        refused = definition.validate(content)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Servers decode a CRD first, and never get here with a list where a mapping should be.
        yield error(crd, ("spec",), "a field of this CRD has another type than it should")
        return
    for one in refused:
        if one.path.startswith("status"):
            continue  # a server fills it in
        yield error(crd, _path(one.path), f"an API server would refuse it: {one}")


def _path(said: str) -> tuple[str | int, ...]:
    """Return the path that an API server writes as ``spec.versions[0].name``."""
    found: list[str | int] = []
    for part in said.replace("]", "").split("."):
        name, *places = part.split("[")
        found += [name, *(int(one) if one.isdigit() else one for one in places)]
    return tuple(one for one in found if one != "")


def _check_owned(bundle: Bundle) -> Iterator[Finding]:
    csv = bundle.csv
    if csv is None:
        return
    there: dict[Key, Document] = {}
    for crd in bundle.crds:
        for key in _keys(crd):
            if key in there:
                yield error(crd, (), f"{_said(key)} is defined in {there[key].path}, too")
            there[key] = crd
    owned: dict[Key, int] = {}
    for place, one in enumerate(items(csv.at("spec", "customresourcedefinitions", "owned"))):
        group = text(at(one, "name")).partition(".")[2]
        key = (group, text(at(one, "version")), text(at(one, "kind")))
        where = ("spec", "customresourcedefinitions", "owned", place)
        if key in owned:
            yield error(csv, where, f"{_said(key)} is there twice")
        owned[key] = place
        if key not in there:
            yield error(
                csv, where, f"the operator owns {_said(key)}, and no CRD in manifests/ defines it"
            )
    kinds = {(group, kind) for group, _, kind in owned}
    for (group, version, kind), crd in there.items():
        if (group, kind) not in kinds:
            said = _said((group, version, kind))
            yield error(
                crd,
                (),
                f"it defines {said}, and the ClusterServiceVersion does not own that: add it to"
                " spec.customresourcedefinitions.owned",
            )


def _keys(crd: Document) -> list[Key]:
    group, kind = text(crd.at("spec", "group")), text(crd.at("spec", "names", "kind"))
    versions = [text(at(one, "name")) for one in items(crd.at("spec", "versions"))]
    return [(group, one, kind) for one in versions or [text(crd.at("spec", "version"))]]


def _said(key: Key) -> str:
    group, version, kind = key
    return f"{kind} of {group}/{version}"
