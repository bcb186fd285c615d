"""Reads a YAML file of a project, and says what is wrong with it and where."""

import re
from typing import Any

from kubewright.errors import ConfigError

__all__ = ["document_in", "fault_of"]

_MISSING = re.compile(r"Object missing required field `([^`]+)`(?: - at `\$\.?([^`]*)`)?")
_OTHER = re.compile(r"(.*) - at `\$\.([^`]*)`", re.DOTALL)
_EXAMPLES = {
    "domain": "domain: example.com",
    "projectName": "projectName: shop",
    "repo": "repo: shop",
    "kind": "kind: Shop",
    "version": "version: v1",
}


def document_in(text: str, place: str) -> dict[str, Any]:
    """Return the mapping in *text*.

    Raises:
        ConfigError: There is none; the message names the file *place*, and the line.
    """
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{place}:{line}: this is not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{place} is not YAML: {error}") from None
    if found is None:
        raise ConfigError(f"{place} is empty. Put back what was in it, for instance with git")
    if not isinstance(found, dict):
        raise ConfigError(f"{place} is not a mapping: it should begin with `domain:`")
    return found


def fault_of(error: str) -> str:
    """Return what msgspec says is wrong with a document, with what to do about it.

    Example:
        >>> fault_of("Object missing required field `kind` - at `$.resources[0]`")
        'resources[0] has no kind. Add one, such as `kind: Shop`, or undo what was edited by hand'
    """
    if found := _MISSING.fullmatch(error):
        name, where = found[1], found[2] or "it"
        example = _EXAMPLES.get(name)
        add = f"Add one, such as `{example}`, or" if example else "Add it, or"
        return f"{where} has no {name}. {add} undo what was edited by hand"
    if found := _OTHER.fullmatch(error):
        said, where = found[1].replace("`", ""), found[2]
        return f"{where}: {said[:1].lower()}{said[1:]}. Undo what was edited by hand"
    return error
