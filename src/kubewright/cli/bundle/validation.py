"""The commands ``kubewright bundle validate`` and ``kubewright catalog validate``."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from kubewright.bundle.catalog import check_catalog, read_catalog
from kubewright.bundle.validation import OPTIONAL, selected, validate
from kubewright.bundle.validation.community import INDEX, INDEX_TEXT
from kubewright.bundle.validation.platforms import PLATFORMS, PROBLEM, images_of
from kubewright.bundle.validation.removed import parse_release
from kubewright.cli.bundle.findings import report
from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.cli.bundle.source import read_source
from kubewright.errors import ConfigError

__all__ = ["Options", "list_optional", "validate_bundle", "validate_catalog"]

_VALUES = ("k8s-version", INDEX)
_IGNORED = ("container-tools",)  # nothing here runs docker to look into images


class Options(NamedTuple):
    """What the user wants; see ``kubewright bundle validate --help``."""

    source: str
    select: str = ""
    values: tuple[str, ...] = ()
    output: str = "text"
    use_http: bool = False


def validate_bundle(options: Options) -> int:
    """Check a bundle; return the exit status.

    Raises:
        ConfigError: There is no such folder or validator.
    """
    try:
        wanted = selected(options.select)
    except ValueError as error:
        raise ConfigError(f"--select-optional: {error}") from None
    values = _read_values(options.values)
    bundle = read_source(options.source, use_http=options.use_http).bundle
    if any(one.name == "multiarch" for one in wanted):
        values |= _platforms(images_of(bundle), use_http=options.use_http)
    found = validate(bundle, wanted, values)
    return report(found, output=options.output, passed=f"{bundle.root} is valid")


def list_optional() -> int:
    """Print the optional validators; return the exit status."""
    width = max(len(one.name) for one in OPTIONAL)
    for one in OPTIONAL:
        suite = f"suite={one.suite}" if one.suite else ""
        print(f"name={one.name:<{width}}  {suite:<23}  {one.about}")  # noqa: T201  # the result
    return 0


def validate_catalog(folder: Path, *, output: str = "text") -> int:
    """Check a catalog; return the exit status.

    Raises:
        ConfigError: There is no such folder, or a file in it cannot be read.
    """
    place = place_of(folder)
    texts = read_texts(folder, what="catalog")
    catalog = read_catalog({f"{place}/{path}": text for path, text in texts.items()})
    if not catalog.entries:
        raise ConfigError(f"{place} has no YAML or JSON files with entries of a catalog")
    return report(list(check_catalog(catalog)), output=output, passed=f"{place} is valid")


def _platforms(images: Iterable[str], *, use_http: bool) -> dict[str, str]:
    """Ask registries for which platforms images are; not to get an answer is a value, too."""
    from kubewright.cli.registry.reading import architectures_of

    found: dict[str, str] = {}
    for one in images:
        try:
            [known] = architectures_of([one], use_http=use_http).values()
        except ConfigError as error:
            found[f"{PROBLEM}{one}"] = str(error)
        else:
            found[f"{PLATFORMS}{one}"] = ",".join(sorted(known))
    return found


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--optional-values: cannot read {path}: {error}") from None


def _read_values(values: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in (part for value in values for part in value.split(",")):
        key, equals, value = one.partition("=")
        if equals and key in _IGNORED:
            continue
        if not equals or key not in _VALUES:
            raise ConfigError(
                f"--optional-values: {one!r} should be k8s-version=1.25 or another release, or"
                f" {INDEX}=bundle.Dockerfile"
            )
        if key == INDEX:
            found |= {INDEX: value, INDEX_TEXT: _text(value)}
            continue
        try:
            parse_release(value)
        except ValueError:
            raise ConfigError(
                f"--optional-values: {value!r} is not a release of Kubernetes, such as 1.25"
            ) from None
        found[key] = value
    return found
