"""The schema of a spec that holds the values of a chart."""

import json
from typing import Any, NamedTuple

from kubewright.crd.chart import ChartMetadata
from kubewright.crd.manifest import loader_for
from kubewright.crd.values.conversion import structural_schema
from kubewright.crd.values.inference import OPEN, inferred_schema
from kubewright.errors import ConfigError, SchemaError

__all__ = ["SpecSchema", "read_values", "spec_schema"]

_MOST = 20_000


class SpecSchema(NamedTuple):
    """The schema of a spec.

    Attributes:
        schema: The structural schema.
        source: The file that it was made from.
        notes: What it does not say although that file does.
    """

    schema: dict[str, Any]
    source: str
    notes: tuple[str, ...] = ()


def spec_schema(
    metadata: ChartMetadata, values: str, schema: str | None = None, *, folder: str = ""
) -> SpecSchema:
    """Return the schema of the values of a chart.

    Args:
        metadata: What the chart says of itself.
        values: Its file ``values.yaml``.
        schema: Its file ``values.schema.json``, if it has one.
        folder: Where these files are, for errors; ends with a slash.

    Raises:
        ConfigError: A file is broken; the message has its name and the line.
    """
    place = f"{folder}values.yaml"
    defaults = read_values(values, place=place)
    inferred = inferred_schema(values)
    if schema is None:
        return SpecSchema(_with_charts(inferred, metadata), "values.yaml")
    document = _read_schema(schema, f"{folder}values.schema.json")
    found, notes = structural_schema(document, defaults, inferred)
    return SpecSchema(_with_charts(found, metadata), "values.schema.json", notes)


def read_values(text: str, *, place: str = "values.yaml") -> dict[str, Any]:
    """Return the values in *text*.

    Raises:
        ConfigError: It is not a file of values; the message has its name and the line.
    """
    import yaml

    try:
        found = loader_for(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{place}:{line}: this is not YAML: {error.problem}") from None
    except (yaml.YAMLError, SchemaError, ValueError, TypeError, RecursionError) as error:
        raise ConfigError(f"{place} is not YAML: {error}") from None
    if found is not None and not isinstance(found, dict):
        raise ConfigError(f"{place}:1: values are a mapping, not a {type(found).__name__}")
    if _size(found) > _MOST:
        raise ConfigError(
            f"{place} has more than {_MOST:,} values, with those behind its aliases: more than a"
            " custom resource can hold"
        )
    return found or {}


def _size(value: Any) -> int:
    """Return how many values there are, up to a little more than the most that there may be."""
    left, size = [value], 0
    while left and size <= _MOST:
        one = left.pop()
        size += 1
        if isinstance(one, dict | list):
            left += one.values() if isinstance(one, dict) else one
    return size


def _read_schema(text: str, place: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{place}:{error.lineno}: this is not JSON: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"{place} is nested too deeply to be read") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{place}:1: a schema is an object, not a {type(found).__name__}")
    return found


def _with_charts(schema: dict[str, Any], metadata: ChartMetadata) -> dict[str, Any]:
    """Return *schema* with the values of the charts that the chart needs."""
    properties = schema.get("properties")
    if not properties or not metadata.dependencies:
        return schema
    subcharts = {one.key: f"Values of the chart {one.name}." for one in metadata.dependencies}
    shared = {"global": "Values for all charts."}
    if any(one.tags for one in metadata.dependencies):
        shared["tags"] = "Which groups of charts are switched on."
    more = {**shared, **subcharts}
    added = {name: {"type": "object", "description": text, **OPEN} for name, text in more.items()}
    # What the chart says of the values of others is only what it wants to be different.
    opened = {name: {**properties[name], **OPEN} for name in more if name in properties}
    return {**schema, "properties": {**added, **properties, **opened}}
