"""`Chart`: the files of a Helm chart, in a folder or an archive, and what is said in them."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from kubewright.application.documents import document, documents, is_too_large, line_of
from kubewright.errors import ConfigError
from kubewright.helm.files import chart_files, check_paths

__all__ = ["Chart", "load_chart"]

_TEXTS = ("apiVersion", "name", "version", "appVersion", "kubeVersion", "type", "description")
_OWN = frozenset({"Chart.yaml", "Chart.lock", "values.yaml", "values.schema.json"})
_LOOKUP = re.compile(rb"\blookup\b")
_REVISION = re.compile(rb"\.Release\.Revision\b")
_APIS = re.compile(rb"\.APIVersions\b")
_CAPABILITY = re.compile(rb"\.APIVersions\.Has\s+[\"`]([^\"`]+)[\"`]")
_KUBE_VERSION = re.compile(rb"\.KubeVersion\b")
_NO_NAME = re.compile(r"[/\\\0]|^\.+$")
_DEFINITION = re.compile(r"^(?:charts/[^/]+/)*crds/.+\.(?:ya?ml|json)$")
_RANDOM = re.compile(
    rb"\b(rand\w+|gen(CA|PrivateKey|SelfSigned|Signed)\w*|uuidv4|now|shuffle|bcrypt|htpasswd)\b"
)


class Chart:
    """The files of one chart, with those of the charts that it depends on.

    Args:
        place: Where it was found, for messages.
        files: Its files by path; ``Chart.yaml`` is one of them.

    Raises:
        ConfigError: ``Chart.yaml`` or ``values.yaml`` cannot be read, or a name leads out of the
            chart; the message says where.
    """

    def __init__(self, place: str, files: Mapping[str, bytes]) -> None:
        check_paths(place, list(files))
        self.place: str = place
        self.files: dict[str, bytes] = dict(sorted(files.items()))
        self.metadata: dict[str, Any] = self._metadata()
        self.values: dict[str, Any] = self._mapping("values.yaml")

    @property
    def name(self) -> str:
        """The name of the chart."""
        return str(self.metadata["name"])

    @property
    def version(self) -> str:
        """The version of the chart."""
        return str(self.metadata.get("version") or "")

    @cached_property
    def digest(self) -> str:
        """Identifies all its files: what is rendered from another digest may differ."""
        found = hashlib.sha256()
        for path, data in self.files.items():
            found.update(f"{path}\0{len(data)}\0".encode())
            found.update(data)
        return found.hexdigest()

    @cached_property
    def asks_cluster(self) -> bool:
        """Whether a template reads objects of the cluster with ``lookup``."""
        return self._says(_LOOKUP)

    @cached_property
    def asks_revision(self) -> bool:
        """Whether a template uses the number of the release."""
        return self._says(_REVISION)

    @cached_property
    def asks_version(self) -> bool:
        """Whether a template uses the version of Kubernetes."""
        return self._says(_KUBE_VERSION)

    @cached_property
    def is_random(self) -> bool:
        """Whether two renders may differ, since a template makes passwords or asks for the time."""
        return self._says(_RANDOM)

    @cached_property
    def asks_apis(self) -> bool:
        """Whether a template asks what the cluster serves."""
        return self._says(_APIS)

    @cached_property
    def asks_any_api(self) -> bool:
        """Whether a template asks for API versions whose names it makes up as it goes."""
        texts = (data for _, data in self.templates(everywhere=True))
        return any(_APIS.search(_CAPABILITY.sub(b"", data)) for data in texts)

    @cached_property
    def asked_apis(self) -> tuple[str, ...]:
        """The API versions and kinds that templates ask the cluster for by name."""
        texts = (data for _, data in self.templates(everywhere=True))
        found = {name.decode() for data in texts for name in _CAPABILITY.findall(data)}
        return tuple(sorted(found))

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """The CRDs in the folders ``crds``, of the chart and of those that it depends on."""
        found = []
        for path, data in self.files.items():
            if _DEFINITION.match(path):
                try:
                    found += [one for one in documents(data) if isinstance(one, dict)]
                except yaml.YAMLError as error:
                    raise self._unreadable(path, error) from error
        return found

    def templates(self, *, everywhere: bool = False) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the text of each template.

        Args:
            everywhere: With those of the charts that it depends on.
        """
        for path, data in self.files.items():
            parts = PurePosixPath(path).parts
            if parts[0] == "templates" or (everywhere and "templates" in parts):
                yield path, data

    def record(self) -> dict[str, Any]:
        """Return the chart as Helm stores it with a release."""
        templates = [_encoded(path, data) for path, data in self.templates()]
        files = [
            _encoded(path, data)
            for path, data in self.files.items()
            if path not in _OWN and PurePosixPath(path).parts[0] not in {"templates", "charts"}
        ]
        schema = self.files.get("values.schema.json")
        return {
            "metadata": self.metadata,
            "lock": self._lock(),
            "templates": templates,
            "values": self.values,
            "schema": None if schema is None else b64encode(schema).decode(),
            "files": files,
        }

    def write_to(self, folder: Path) -> Path:
        """Write all files below *folder*, and return the folder of the chart."""
        root = folder / self.name
        for path, data in self.files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return root

    def _says(self, pattern: re.Pattern[bytes]) -> bool:
        return any(pattern.search(one) for _, one in self.templates(everywhere=True))

    def _lock(self) -> Any:
        text = self.files.get("Chart.lock")
        return None if text is None else document(text)

    def _metadata(self) -> dict[str, Any]:
        if "Chart.yaml" not in self.files:
            raise ConfigError(
                f"there is no chart in {self.place}: it has no Chart.yaml. Name the folder or the"
                " .tgz of a chart; `helm create` makes one."
            )
        found = self._mapping("Chart.yaml")
        if not found.get("name"):
            raise ConfigError(f"the Chart.yaml of {self.place} does not say the name of the chart")
        plain = yaml.load(self.files["Chart.yaml"], Loader=yaml.BaseLoader)  # noqa: S506  # texts
        name = plain["name"]
        # It is the name of the folder in which the chart is rendered.
        if not isinstance(name, str) or _NO_NAME.search(name):
            raise ConfigError(
                f"the Chart.yaml of {self.place} names the chart {name!r:.60}: write a name without"
                " slashes, such as shop"
            )
        return found | {name: plain[name] for name in _TEXTS if name in found}

    def _mapping(self, path: str) -> dict[str, Any]:
        try:
            found = document(self.files.get(path, b""))
        except yaml.YAMLError as error:
            raise self._unreadable(path, error) from error
        if found is not None and not isinstance(found, dict):
            raise ConfigError(f"{self.place}/{path} is not a mapping, but {type(found).__name__}")
        if is_too_large(found):
            raise ConfigError(
                f"{self.place}/{path} is nested too deeply, or too large with what is behind its"
                " aliases"
            )
        return found or {}

    def _unreadable(self, path: str, error: yaml.YAMLError) -> ConfigError:
        what = getattr(error, "problem", None) or error
        return ConfigError(f"{self.place}/{path}:{line_of(error)} is not YAML: {what}")


def load_chart(place: Path) -> Chart:
    """Read the chart in a folder or an archive.

    Raises:
        ConfigError: There is none, or it cannot be read.
    """
    if not (place.is_dir() or place.is_file()):
        raise ConfigError(
            f"there is no chart {place}. Name the folder or the .tgz of a chart; `helm pull` and"
            " `helm create` make them."
        )
    return Chart(str(place), chart_files(place))


def _encoded(path: str, data: bytes) -> dict[str, str]:
    return {"name": path, "data": b64encode(data).decode()}
