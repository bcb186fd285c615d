"""Adds entries to the lists of a YAML file that people edit, and leaves the rest as it is."""

import re
from collections.abc import Sequence
from typing import Any

from kubewright.errors import ConfigError

__all__ = ["has_entry", "with_entry", "with_item"]


def has_entry(text: str, key: str, entry: str) -> bool:
    """Tell whether the list *key* of the document *text* has *entry*, which is YAML."""
    import yaml

    document = yaml.safe_load(text) or {}
    return yaml.safe_load(entry) in _list_in(document, key)


def with_entry(text: str, key: str, entry: str, *, place: str) -> str:
    r"""Return *text* with *entry* at the end of the list *key*, if it is not there yet.

    Comments and everything else stay as they are.

    Args:
        text: A YAML document that is a mapping.
        key: The list in it; it is added if it is missing.
        entry: The new entry as YAML, of one or more lines.
        place: The name of the file, for errors.

    Raises:
        ConfigError: The file is not YAML, the list is something else, or it is written in a way in
            which an entry cannot be added without changing what people wrote.

    Example:
        >>> print(with_entry("resources:\n- a.yaml\n", "resources", "b.yaml", place="f"), end="")
        resources:
        - a.yaml
        - b.yaml
    """
    import yaml

    try:
        if has_entry(text, key, entry):
            return text
        after = _added(text, key, entry)
    except (yaml.YAMLError, AttributeError, TypeError, RecursionError) as error:
        raise ConfigError(
            f"cannot add {entry!r} to {key} in {place}, which is not a YAML mapping with such a"
            f" list: {error}. Add it by hand."
        ) from None
    # YAML can be written in more ways than are known here, so what came of it is read again.
    if after is None or not _is_just_added(text, after, key, entry):
        raise ConfigError(
            f"cannot add {entry!r} to {key} in {place} and leave all else there as it is: add it"
            " by hand."
        )
    return after


def with_item(text: str, item: str, *, place: str) -> str:
    r"""Return *text*, a YAML document that is a list or says nothing, with *item* at its end.

    Args:
        text: The document; comments and everything else stay as they are.
        item: The new item as YAML, of one or more lines.
        place: The name of the file, for errors.

    Raises:
        ConfigError: The file is not YAML, not such a list, or written in an unusual way.

    Example:
        >>> print(with_item("# all\n- a: 1\n", "b: 2\nc: 3", place="f"), end="")
        # all
        - a: 1
        - b: 2
          c: 3
    """
    import yaml

    try:
        before = yaml.safe_load(text) or []
        after = _item_added(text, item)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{place} is not YAML: {error}. Mend it first") from None
    if after is None or not _is_now(text, after, [*before, yaml.safe_load(item)]):
        raise ConfigError(
            f"cannot add {item.splitlines()[0]!r} to {place}, which is not a list with an item on"
            " each line: add it by hand."
        )
    return after


def _item_added(text: str, item: str) -> str | None:
    """Return *text* with *item*, probably; ``None`` if it is not a usual list."""
    import yaml

    node = yaml.compose(text, Loader=yaml.SafeLoader)
    newline = _newline_of(text)
    if node is None:
        open_end = newline if text and not text.endswith("\n") else ""
        return text + open_end + newline.join([*_item(item, ""), ""])
    if not isinstance(node, yaml.SequenceNode):
        return None
    lines = _item(item, " " * node.start_mark.column)
    if node.value:
        return None if node.flow_style else _inserted(text, _end_of(node), lines, newline)
    start, end = node.start_mark.index, node.end_mark.index
    return text[:start] + newline.join(lines).lstrip() + text[end:]


def _newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _added(text: str, key: str, entry: str) -> str | None:
    """Return *text* with *entry*, probably; ``None`` if the list is written in an unusual way."""
    import yaml

    found = _find(yaml.compose(text, Loader=yaml.SafeLoader), key)
    newline = _newline_of(text)
    if found is None:
        open_end = newline if text and not text.endswith("\n") else ""
        return text + open_end + newline.join(["", f"{key}:", *_item(entry, ""), ""])
    name, value = found
    start, end = value.start_mark.index, value.end_mark.index
    if isinstance(value, yaml.SequenceNode) and value.value and not value.flow_style:
        lines = _item(entry, " " * value.start_mark.column)
        return _inserted(text, _end_of(value), lines, newline)
    items = _short_items(text, value)
    if items is None:
        return None
    indent = " " * name.start_mark.column
    lines = [line for one in (*items, entry) for line in _item(one, indent)]
    if start == end:
        return _inserted(text, end, lines, newline)
    head = text[:start].rstrip()
    return _inserted(
        head + re.sub(r"^[ \t]+(?=[\r\n]|$)", "", text[end:]), len(head), lines, newline
    )


def _is_just_added(before: str, after: str, key: str, entry: str) -> bool:
    """Tell whether *after* is *before* with *entry* in the list, and has the same comments."""
    import yaml

    try:
        old = yaml.safe_load(before) or {}
        wanted = {**old, key: [*_list_in(old, key), yaml.safe_load(entry)]}
    except (yaml.YAMLError, AttributeError, TypeError, RecursionError):
        return False
    return _is_now(before, after, wanted)


def _is_now(before: str, after: str, wanted: Any) -> bool:
    """Tell whether *after* says what is *wanted*, and has the comments of *before*."""
    import yaml

    try:
        return bool(yaml.safe_load(after) == wanted) and _comments(after) == _comments(before)
    except (yaml.YAMLError, RecursionError):
        return False


def _comments(text: str) -> list[str]:
    """Return the comments in *text*, which are between what YAML takes in."""
    import yaml

    found: list[str] = []
    end = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        found += re.findall(r"#[^\r\n]*", text[end : token.start_mark.index])
        end = max(end, token.end_mark.index)
    return found


def _list_in(document: Any, key: str) -> Sequence[Any]:
    found = document.get(key)
    if not isinstance(found, list | None):
        raise TypeError(f"{key} is not a list")
    return found or ()


def _find(document: Any, key: str) -> Any:
    """Return the nodes of *key* and of its value; ``None`` if the mapping has none."""
    if document is None:
        return None
    return next((pair for pair in document.value if pair[0].value == key), None)


def _short_items(text: str, node: Any) -> list[str] | None:
    """Return the items of a list of words on one line, as they are written; ``None`` if it is not.

    Nothing at all is such a list, too.
    """
    import yaml

    said = text[node.start_mark.index : node.end_mark.index]
    if said in {"", "~", "null"}:
        return []
    if not (isinstance(node, yaml.SequenceNode) and said.startswith("[") and "\n" not in said):
        return None
    if not all(isinstance(one, yaml.ScalarNode) for one in node.value):
        return None
    return [text[one.start_mark.index : one.end_mark.index] for one in node.value]


def _item(entry: str, indent: str) -> list[str]:
    first, *others = entry.splitlines()
    return [f"{indent}- {first}", *(f"{indent}  {line}" for line in others)]


def _end_of(node: Any) -> int:
    """Return where the last word in *node* ends; its own end may lie behind comments."""
    import yaml

    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    is_block = isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}
    return int(node.end_mark.index) - is_block  # a block ends behind its last line


def _inserted(text: str, at: int, lines: Sequence[str], newline: str) -> str:
    """Return *text* with *lines* below the one that has the place *at*."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end - (text[end - 1] == "\r")
    return text[:end] + newline + newline.join(lines) + (text[end:] or newline)
