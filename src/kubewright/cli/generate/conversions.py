"""How a project converts between versions, which is not in the files of its CRDs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubewright.cli.generate.revision import files_at, is_revision
from kubewright.cli.generate.source import Found, Source
from kubewright.crd.manifest import from_yaml
from kubewright.crd.reading import name_of
from kubewright.errors import ConfigError, SchemaError
from kubewright.scaffold.manifests import CONVERSION

__all__ = ["with_conversions"]

_CRDS = "config/crd"
_YAML = frozenset({".yaml"})


def with_conversions(found: Found, source: Source) -> Found:
    """Return CRDs of a project with the conversions that its overlay adds when it is deployed."""
    said = {name_of(one): one["spec"]["conversion"] for one in _patches(source)}
    crds = {name: _with_conversion(crd, said.get(name)) for name, crd in found.crds.items()}
    return found._replace(crds=crds)


def _with_conversion(crd: dict[str, Any], conversion: Any) -> dict[str, Any]:
    if conversion is None or crd["spec"].get("conversion"):
        return crd
    return crd | {"spec": crd["spec"] | {"conversion": conversion}}


def _patches(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the patches that say how versions are converted.

    Raises:
        ConfigError: The file cannot be read.
    """
    revision, colon, path = source.text.rpartition(":")
    root, slash, _ = f"{path}/".partition(f"{_CRDS}/")
    if not slash or (root and not root.endswith("/")):
        return
    place = f"{revision}{colon}{root}{CONVERSION}"
    try:
        documents = from_yaml(_text(place))
    except (OSError, UnicodeDecodeError, SchemaError) as error:
        raise ConfigError(f"cannot read {place}: {error}") from error
    for one in documents:
        spec = one.get("spec")
        if isinstance(spec, dict) and "conversion" in spec:
            yield one


def _text(place: str) -> str:
    """Return what is in a file, or in one of a revision; nothing if there is none."""
    if Path(place).is_file():
        return Path(place).read_text(encoding="utf-8")
    if not is_revision(place):
        return ""
    try:
        return "".join(data.decode() for _, data in files_at(place, _YAML))
    except ConfigError:
        return ""  # a project without conversions
