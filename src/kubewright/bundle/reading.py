"""`Bundle`: the files of a bundle, read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kubewright.bundle.annotations import CHANNELS, DEFAULT_CHANNEL, PACKAGE
from kubewright.bundle.document import Document, mapping, read_documents, text
from kubewright.bundle.finding import Finding, Level
from kubewright.errors import ConfigError

__all__ = ["CSV", "Bundle", "read_bundle"]

CSV: str = "ClusterServiceVersion"
_MANIFESTS = "manifests/"
_METADATA = "metadata/"
_ENDS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle.

    Attributes:
        root: Its folder, as messages should name it.
        files: Its texts, by their paths in that folder.
        manifests: The objects in ``manifests/``.
        metadata: The documents in ``metadata/``.
        findings: What could not be read.
    """

    root: str
    files: Mapping[str, str]
    manifests: tuple[Document, ...] = ()
    metadata: tuple[Document, ...] = ()
    findings: tuple[Finding, ...] = field(default=())

    @property
    def csvs(self) -> list[Document]:
        """The ClusterServiceVersions; a sound bundle has one."""
        return [one for one in self.manifests if one.kind == CSV]

    @property
    def csv(self) -> Document | None:
        """The ClusterServiceVersion, if there is one."""
        return next(iter(self.csvs), None)

    @property
    def crds(self) -> list[Document]:
        """The CustomResourceDefinitions."""
        return [one for one in self.manifests if one.kind == "CustomResourceDefinition"]

    @property
    def annotations(self) -> Document | None:
        """The document with the annotations; another program may have named its file otherwise."""
        return self._metadata(lambda one: isinstance(one.content.get("annotations"), dict))

    @property
    def dependencies(self) -> Document | None:
        """What ``metadata/dependencies.yaml`` says, if it is there."""
        return self._metadata(lambda one: "dependencies" in one.content)

    @property
    def properties(self) -> Document | None:
        """What ``metadata/properties.yaml`` says, if it is there."""
        return self._metadata(lambda one: "properties" in one.content)

    @property
    def package(self) -> str:
        """The package, or an empty string."""
        return self._annotation(PACKAGE)

    @property
    def channels(self) -> list[str]:
        """The channels."""
        return [one.strip() for one in self._annotation(CHANNELS).split(",") if one.strip()]

    @property
    def default_channel(self) -> str:
        """The default channel, or an empty string."""
        return self._annotation(DEFAULT_CHANNEL)

    def _annotation(self, key: str) -> str:
        found = self.annotations
        return text(found.at("annotations", key)).strip() if found else ""

    def _metadata(self, wanted: Callable[[Document], bool]) -> Document | None:
        return next((one for one in self.metadata if wanted(one)), None)


def read_bundle(root: str, files: Mapping[str, str]) -> Bundle:
    """Read a bundle; a file that is not YAML is a finding, and does not hide the others.

    Args:
        root: Its folder, for messages.
        files: Its texts, by their paths in the folder, with slashes.
    """
    findings: list[Finding] = []
    manifests = _read(root, files, _MANIFESTS, findings)
    metadata = _read(root, files, _METADATA, findings)
    return Bundle(root, files, tuple(manifests), tuple(metadata), tuple(findings))


def _read(
    root: str, files: Mapping[str, str], below: str, findings: list[Finding]
) -> list[Document]:
    found: list[Document] = []
    for path in sorted(files):
        name = path.removeprefix(below)
        if not path.startswith(below) or "/" in name or name.startswith("."):
            continue
        place = f"{root}/{path}"
        if not name.endswith(_ENDS):
            continue
        try:
            found += read_documents(place, files[path])
        except ConfigError as error:
            said = str(error).removeprefix(f"{place}: ")
            findings.append(Finding(Level.ERROR, said, place))
    return [one for one in found if mapping(one.content)]
