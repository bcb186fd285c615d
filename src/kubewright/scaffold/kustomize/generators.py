"""ConfigMaps and Secrets that are made of literals and files."""

from base64 import b64encode
from collections.abc import Callable, Iterator

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Generator, GeneratorOptions
from kubewright.scaffold.kustomize.node import Mapping, texts_in
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource
from kubewright.scaffold.kustomize.scalar import Scalar, text

__all__ = ["absorb", "generated"]

Read = Callable[[str], str]
_LINE = 70  # the length of a line of base64
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def generated(
    kind: str, generator: Generator, options: GeneratorOptions, *, read: Read
) -> Resource:
    """Return the ConfigMap or Secret that *generator* describes.

    Args:
        kind: ``ConfigMap`` or ``Secret``.
        generator: What it is made of.
        options: What holds for all of them.
        read: Returns the text of a file.

    Raises:
        ProblemError: The name is missing, or a source is malformed or missing.
    """
    if not generator.name:
        raise ProblemError("name is missing")
    node: Mapping = {"apiVersion": text("v1"), "kind": text(kind)}
    node["metadata"] = {"name": text(generator.name)}
    if generator.namespace:
        node["metadata"]["namespace"] = text(generator.namespace)
    _fill(node, generator, read)
    own = generator.options
    resource = Resource(node)
    resource.set_texts("labels", options.labels | own.labels)
    resource.set_texts("annotations", options.annotations | own.annotations)
    if options.immutable or own.immutable:
        node["immutable"] = Scalar("true", "bool")
    resource.needs_hash = not (options.disable_name_suffix_hash or own.disable_name_suffix_hash)
    resource.behavior = generator.behavior
    return resource


def _fill(node: Mapping, generator: Generator, read: Read) -> None:
    data: dict[str, str] = {}
    for name, value in _pairs(generator, read):
        if name in data:
            raise ProblemError(f"{name!r} is there twice; keep one of them")
        data[name] = value
    if node["kind"].text == "Secret":
        node["type"] = text(generator.type or "Opaque")
        node["data"] = {name: text(_base64(data[name])) for name in sorted(data)}
    else:
        _fill_config_map(node, data)


def _fill_config_map(node: Mapping, data: dict[str, str]) -> None:
    for name in sorted(data):
        is_text = data[name].isascii() or not _has_surrogates(data[name])
        field, value = ("data", data[name]) if is_text else ("binaryData", _base64(data[name]))
        node.setdefault(field, {})[name] = text(value)


def _has_surrogates(value: str) -> bool:
    return any("\udc80" <= sign <= "\udcff" for sign in value)


def _base64(value: str) -> str:
    """Return *value* in base64, in lines if it is long: people look at such files."""
    encoded = b64encode(value.encode("utf-8", "surrogateescape")).decode()
    if len(encoded) < _LINE:
        return encoded
    lines = (encoded[at : at + _LINE] for at in range(0, len(encoded), _LINE))
    return "".join(line + "\n" for line in lines)


def _pairs(generator: Generator, read: Read) -> Iterator[tuple[str, str]]:
    for path in [*generator.envs, *([generator.env] if generator.env else [])]:
        yield from _environment(read(path))
    yield from map(_literal, generator.literals)
    for source in generator.files:
        name, path = _file(source)
        yield name, read(path)


def _environment(content: str) -> Iterator[tuple[str, str]]:
    lines = content.removeprefix("\ufeff").removesuffix("\n").split("\n")
    for line in lines:
        stripped = line.removesuffix("\r").lstrip(_SPACE)
        if stripped and not stripped.startswith("#"):
            name, _, value = stripped.partition("=")
            yield name, value


def _literal(source: str) -> tuple[str, str]:
    name, equals, value = source.partition("=")
    if not name or not equals:
        raise ProblemError(f"the literal {source!r} should be NAME=VALUE")
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return name, value


def _file(source: str) -> tuple[str, str]:
    match source.split("="):
        case [path]:
            return path.rstrip("/").rpartition("/")[2], path
        case [name, path] if name and path:
            return name, path
    raise ProblemError(f"the file {source!r} should be PATH or NAME=PATH")


def absorb(resources: Collection, made: Resource) -> None:
    """Add a generated object, or merge it into the one of that name, as it says.

    Raises:
        ProblemError: It is there and should not be, or should be there and is not.
    """
    there = resources.find(made.identity.equals)
    if len(there) > 1:
        several = ", ".join(str(one.identity) for one in there)
        raise ProblemError(f"{made.identity} could go into each of these: {several}")
    if made.behavior not in ("merge", "replace"):
        if there:
            raise ProblemError(
                f"{made.identity} is there already; set behavior: merge or replace, or another name"
            )
        resources.add([made])
    elif not there:
        raise ProblemError(
            f"there is no {made.identity} to {made.behavior}; remove the behavior, or mend the name"
        )
    else:
        _take_over(made, there[0])
        resources.replace(there[0], made)


def _take_over(made: Resource, old: Resource) -> None:
    """Give *made* the name and the metadata of *old*, and its data if they are merged."""
    made.set_texts("labels", old.labels | made.labels)
    made.set_texts("annotations", old.annotations | made.annotations)
    made.rename(old.name)
    made.move(old.namespace)
    if made.behavior == "merge":
        for field in ("data", "binaryData"):
            data = texts_in(old.node, field) | texts_in(made.node, field)
            made.root.pop(field, None)
            if data:
                made.root[field] = {name: text(data[name]) for name in sorted(data)}
    made.needs_hash = made.needs_hash and old.needs_hash
    made.previous, made.behavior = list(old.previous), old.behavior
    made.prefixes, made.suffixes = list(old.prefixes), list(old.suffixes)
    made.variables = list(old.variables)
