"""The file ``watches.yaml``: which chart each kind is installed by."""

from kubewright.crd.manifest import to_yaml
from kubewright.errors import ConfigError
from kubewright.scaffold.listing import with_item
from kubewright.scaffold.project import ProjectResource

__all__ = ["FILE", "with_watch"]

FILE: str = "watches.yaml"


def with_watch(text: str, resource: ProjectResource, chart: str) -> str:
    """Return the file *text* with the kind *resource*, if it is not there yet.

    Args:
        text: The file; its comments and other entries stay as they are.
        resource: The kind.
        chart: The folder of its chart.

    Raises:
        ConfigError: The file is not a list of kinds.
    """
    names = {"group": resource.api_group, "version": resource.version, "kind": resource.kind}
    for one in _entries(text):
        if isinstance(one, dict) and names.items() <= one.items():
            if one.get("chart") == chart:
                return text
            raise ConfigError(
                f"{FILE} has the kind {resource.kind} already, with the chart {one.get('chart')}."
                " Change that by hand, or remove the entry"
            )
    entry = "".join(
        f"{key}: {_scalar(value)}\n" for key, value in {**names, "chart": chart}.items()
    )
    return with_item(text, entry, place=FILE)


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
