"""The file ``watches.yaml``: what is run for each kind."""

from collections.abc import Mapping

from kubewright.crd.manifest import to_yaml
from kubewright.errors import ConfigError
from kubewright.scaffold.listing import with_item
from kubewright.scaffold.project import ProjectResource

__all__ = ["FILE", "with_watch"]

FILE: str = "watches.yaml"


def with_watch(text: str, resource: ProjectResource, runs: Mapping[str, str]) -> str:
    """Return the file *text* with the kind *resource*, if it is not there yet.

    Args:
        text: The file; its comments and other entries stay as they are.
        resource: The kind.
        runs: What is run for it, such as ``{"chart": "helm-charts/shop"}``.

    Raises:
        ConfigError: The file is not a list of kinds, or has something else for this one.
    """
    names = {"group": resource.api_group, "version": resource.version, "kind": resource.kind}
    for one in _entries(text):
        if isinstance(one, dict) and names.items() <= one.items():
            if runs.items() <= one.items():
                return text
            raise ConfigError(
                f"{FILE} has the kind {resource.kind} already, with {_said(one, names)}."
                " Change that by hand, or remove the entry"
            )
    entry = "".join(f"{key}: {_scalar(value)}\n" for key, value in {**names, **runs}.items())
    return with_item(text, entry, place=FILE)


def _said(entry: Mapping[str, object], names: Mapping[str, str]) -> str:
    """Return what *entry* has beside the names of its kind."""
    others = [f"the {key} {value}" for key, value in entry.items() if key not in names]
    return others[0] if others else "nothing to run for it"


def _entries(text: str) -> list[object]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{FILE}:{line}: this is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{FILE} is not YAML: {error}") from None
    return found if isinstance(found, list) else []


def _scalar(text: str) -> str:
    return to_yaml({"a": text}).removeprefix("---\na: ").rstrip("\n")
