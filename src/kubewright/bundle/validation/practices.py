"""What makes an operator easy to live with: requests, channels, names, descriptions."""

from collections.abc import Iterator

from kubewright.bundle.document import Document, at, items, text, words
from kubewright.bundle.finding import Finding, error, warning
from kubewright.bundle.reading import Bundle
from kubewright.bundle.semver import Version

__all__ = ["check_practices"]

_CHANNELS = ("candidate", "fast", "stable")
_INSTALL = ("spec", "install", "spec")


def check_practices(bundle: Bundle) -> Iterator[Finding]:
    """Yield what could be better."""
    csv = bundle.csv
    if csv is None:
        return
    yield from _check_requests(csv)
    yield from _check_descriptions(csv)
    yield from _check_channels(bundle)
    yield from _check_rights(csv)
    _, _, version = csv.name.partition(".v")
    if Version.find(version) is None:
        yield warning(
            csv,
            ("metadata", "name"),
            f"{csv.name!r} should be called <operator>.v<version>, such as shop.v0.1.0",
        )


def _check_requests(csv: Document) -> Iterator[Finding]:
    deployments = items(csv.at(*_INSTALL, "deployments"))
    if not deployments:
        yield error(csv, _INSTALL, "it has no deployments")
    for place, deployment in enumerate(deployments):
        path = ("spec", "template", "spec", "containers")
        for at_, one in enumerate(items(at(deployment, *path))):
            missing = [
                key for key in ("cpu", "memory") if at(one, "resources", "requests", key) is None
            ]
            if missing:
                yield warning(
                    csv,
                    (*_INSTALL, "deployments", place, *path, at_),
                    f"the container {at(one, 'name')} requests no {' and no '.join(missing)}: some"
                    " clusters refuse such pods",
                )


def _check_descriptions(csv: Document) -> Iterator[Finding]:
    for part in ("owned", "required"):
        for place, one in enumerate(items(csv.at("spec", "customresourcedefinitions", part))):
            if not text(at(one, "description")):
                where = ("spec", "customresourcedefinitions", part, place)
                yield warning(csv, where, f"{at(one, 'name')} has no description")


def _check_channels(bundle: Bundle) -> Iterator[Finding]:
    found = bundle.annotations
    names = dict.fromkeys([*bundle.channels, *filter(None, [bundle.default_channel])])
    odd = [one for one in names if not one.startswith(_CHANNELS)]
    if found and odd:
        yield warning(
            found, ("annotations",), f"channels usually begin with {', '.join(_CHANNELS)}, unlike"
            f" {', '.join(odd)}"
        )  # fmt: skip


def _check_rights(csv: Document) -> Iterator[Finding]:
    for part in ("permissions", "clusterPermissions"):
        for place, account in enumerate(items(csv.at(*_INSTALL, part))):
            for at_, rule in enumerate(items(at(account, "rules"))):
                crds = {"customresourcedefinitions", "*"} & set(words(at(rule, "resources")))
                makes = {"create", "patch", "*"} & set(words(at(rule, "verbs")))
                if "apiextensions.k8s.io" in items(at(rule, "apiGroups")) and crds and makes:
                    yield warning(
                        csv,
                        (*_INSTALL, part, place, "rules", at_),
                        "the operator may make CRDs: leave that to OLM, and name other operators in"
                        " metadata/dependencies.yaml",
                    )
