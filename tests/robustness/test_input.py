"""Input of every kind, at every endpoint: each request gets an answer, and none is our failure."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.apiserver.meta.selector_problem import label_selector_problem
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.schema.formats import CHECKS
from kubewright.apiserver.schema.tree import Schema
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response
from tests.robustness.wire import APPLY, CONFIG_MAPS, JSON_PATCH, MERGE, Obj, Wire

STRATEGIC = "application/strategic-merge-patch+json"
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "x", "\0é😀", [], {}, [None, {}], {"a": {"b": [None]}},
)  # fmt: skip
WORDS = ("a", "", "1", "10Mi", "5%", "/a", "$(A)", "é", "2020-01-01T00:00:00Z", "10.0.0.0/8", "*")
NUMBERS = (0, 1, -1, 80, 65536, 2**31, 2**63, 10**25)
QUERIES = (
    "", "limit=-1", "limit=99999999999999999999", "limit=x", "limit=1&continue=x", "continue=e30",
    "resourceVersion=-1", "resourceVersion=00", "resourceVersion=99999999999999999999",
    "resourceVersion=%D9%A1", "resourceVersionMatch=Exact&resourceVersion=1", "pretty=1",
    "labelSelector=a+in+(b", "labelSelector=%00", "labelSelector=!", "fieldSelector=%5C",
    "fieldSelector=a%3Db", "watch=1&timeoutSeconds=-1", "watch&timeoutSeconds=1e9",
    "watch=1&timeoutSeconds=9999999999", "watch=1&resourceVersion=1", "sendInitialEvents=1",
    "includeObject=x", "%ff=%fe", "&&=&", "dryRun=x", "fieldManager=%00", "fieldValidation=x",
    "dryRun=All", "fieldManager=m&force=1", "propagationPolicy=x", "gracePeriodSeconds=x",
)  # fmt: skip
ACCEPTS = (
    "", "*/*", ",,;;=", "x/y", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=Table;v=;g=",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
)  # fmt: skip
CALLS = (
    ("POST", "application/json"), ("POST", "application/yaml"), ("PUT", "application/json"),
    ("POST", "application/vnd.kubernetes.protobuf"), ("PATCH", JSON_PATCH), ("PATCH", MERGE),
    ("PATCH", STRATEGIC), ("PATCH", APPLY), ("DELETE", "application/json"), ("GET", ""),
    ("HEAD", ""), ("OPTIONS", ""), ("TRACE", ""),
)  # fmt: skip


class Inventor:
    """Makes up requests."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def value(self, schema: Schema | None, depth: int = 0) -> Any:
        """Return something that fits a schema, more or less."""
        chance = self._chance
        if schema is None or chance.random() < 0.03:
            return chance.choice(ODD)
        if schema.properties:
            kept = 0.6 if depth < 3 else 0.15
            return {
                name: self.value(child, depth + 1)
                for name, child in schema.properties.items()
                if depth < 9 and (name in schema.required or chance.random() < kept)
            }
        if schema.additional is not None:
            return {chance.choice(WORDS): self.value(schema.additional, depth + 1)}
        if schema.items is not None:
            return [self.value(schema.items, depth + 1) for _ in range(chance.randrange(3))]
        return chance.choice(NUMBERS if schema.type == "integer" else (*WORDS, *NUMBERS, True))

    def requests(self, resource: Resource, schema: Schema) -> Iterator[Request]:
        """Yield a request of every sort for a resource."""
        chance = self._chance
        base = f"/apis/{resource.group}" if resource.group else "/api"
        inside = "/namespaces/default" if resource.namespaced else ""
        path = f"{base}/{resource.version}{inside}/{resource.plural}"
        for method, media in CALLS:
            obj: Any = self.value(schema)
            if isinstance(obj, dict) and chance.random() < 0.9:
                obj |= {"metadata": {"name": "a"}, "kind": resource.kind}
                obj["apiVersion"] = resource.api_version
            body = json.dumps(self._operations(obj) if media == JSON_PATCH else obj).encode()
            if chance.random() < 0.1:
                body = chance.choice((b"", b"\xff", b"[", b"null", b"k8s\0\xff", body[:-1]))
            sub = chance.choice(("", "", *(f"/{name}" for name in resource.subresources)))
            target = path if method == "POST" and not sub else f"{path}/a{sub}"
            if method in ("GET", "DELETE") and chance.random() < 0.5:
                target = path
            query = "fieldManager=m" if media == APPLY else chance.choice(QUERIES)
            headers = {"content-type": media, "accept": chance.choice(ACCEPTS)}
            yield Request(method, target, query, headers, body, trusted=True)

    def _operations(self, obj: Any) -> Any:
        chance = self._chance
        paths = ("", "/", "/spec", "/metadata/labels/a", "/metadata/finalizers/-", "/~2", None, 3)
        names = ("add", "replace", "remove", "test", "move", "copy", "x", None)
        return [
            {
                "op": chance.choice(names),
                "path": chance.choice(paths),
                "from": chance.choice(paths),
                "value": chance.choice((obj, *ODD)),
            }
            for _ in range(chance.randrange(4))
        ]


@pytest.mark.parametrize("seed", range(3))
async def test_no_input_is_a_failure_of_ours(api: APIServer, seed: int) -> None:
    """Every resource, every method, every format, with values that fit and that do not."""
    inventor = Inventor(seed)
    versions = [found for group in api.registry.groups.values() for found in group.values()]
    statuses: dict[int, int] = {}

    for resource in [one for version in versions for one in version.values()]:
        for request in inventor.requests(resource, resource.schema()):
            answer = await api.handle(request)
            if isinstance(answer, Response):
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
                assert b"Internal error" not in answer.body, (request, answer.body[:300])
            else:
                await answer.chunks.aclose()  # type: ignore[union-attr]  # a stream

    assert {200, 201, 400, 404, 405, 406, 422} <= statuses.keys()


BOMB = "\n".join(
    ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    + [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
)
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
DOCUMENTS: dict[str, bytes] = {
    "bomb": f"{HEAD}{BOMB}".encode(),
    "bomb below": f"{HEAD}data: {{{BOMB.replace(chr(10), ', ')}}}".encode(),
    "itself": f"{HEAD}data: &x {{a: *x}}".encode(),
    "a python object": f"{HEAD}data: !!python/object:os.system {{a: b}}".encode(),
    "odd keys": f"{HEAD}data: {{1: a, null: b, [c]: d, {{e: f}}: g, 1.5: h}}".encode(),
    "a set": f"{HEAD}data: !!set {{a, b}}".encode(),
    "no number": f"{HEAD}data: {{a: .nan}}".encode(),
    "a long number": f"{HEAD}x: {'9' * 5000}".encode(),
    "half a character": f'{HEAD}data: {{a: "\\ud800"}}'.encode(),
    "no UTF-8": f"{HEAD}data: ".encode() + b"{a: \xff}",
    "deep": f"{HEAD}x: {'[' * 10_000}{']' * 10_000}".encode(),
    "deep JSON": b'{"x":' * 10_000 + b"1" + b"}" * 10_000,
    "NaN": b'{"metadata":{"name":"a"},"data":{"a":NaN}}',
    "huge": b'{"metadata":{"name":"a","generation":' + b"9" * 5000 + b"}}",
    "lone surrogate": b'{"metadata":{"name":"a"},"data":{"a":"\\ud800"}}',
    "3 MB": b'{"metadata":{"name":"a"},"data":{"a":"' + b"x" * 3_100_000 + b'"}}',
    "many warnings": json.dumps({f"k{n}": 1 for n in range(20_000)}).encode(),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("media", ["application/json", "application/yaml", APPLY, JSON_PATCH])
async def test_hostile_documents_are_answered_in_order(wire: Wire, name: str, media: str) -> None:
    """None of them is expanded, executed or believed."""
    method, target = (
        ("POST", CONFIG_MAPS) if "patch" not in media else ("PATCH", f"{CONFIG_MAPS}/a")
    )
    query = "?fieldManager=m" if media == APPLY else ""

    answer = await wire.ask(method, f"{target}{query}", DOCUMENTS[name], media=media)

    assert answer.status in (200, 201, 400, 404, 413, 415, 422, 500), answer
    assert "Internal error" not in str(answer.body)
    assert (await wire.ask("GET", CONFIG_MAPS)).status == 200


PATTERNS = ("^(a+)+$", "(x+x+)+y", "^(a|aa)+$", "(a?){40}a{40}$", "^([a-z0-9]+)*$", "a*b")


@pytest.mark.parametrize("pattern", PATTERNS)
async def test_no_pattern_stops_the_server(wire: Wire, pattern: str) -> None:
    """Neither in a schema nor in a rule: real servers match in linear time, too."""
    rule = {"rule": f"self.matches('{pattern}')", "message": "no"}
    text: Obj = {"type": "string", "maxLength": 100}
    spec = {
        "type": "object",
        "properties": {
            "a": {**text, "pattern": pattern},
            "b": {**text, "x-kubernetes-validations": [rule]},
        },
    }
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "slows", "singular": "slow", "kind": "Slow"}
    definition = {
        "metadata": {"name": "slows.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": names,
            "versions": [version],
        },
    }
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert (await wire.ask("POST", path, definition)).status == 201

    slow: Obj = {"apiVersion": "example.com/v1", "kind": "Slow", "metadata": {"name": "a"}}
    for key in ("a", "b"):
        for value in ("a" * 99 + "!", "x" * 99 + "!"):
            body = {**slow, "spec": {key: value}}
            answer = await wire.ask("POST", "/apis/example.com/v1/slows", body)
            assert answer.status == 422, answer


LONG = ("a" * 50_000, "1" * 50_000, " " * 50_000, "a." * 25_000, "1h" * 25_000, "-" * 50_000)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_no_format_takes_the_square_of_its_text(name: str) -> None:
    """A text of fifty thousand characters is nothing special."""
    for text in LONG:
        assert CHECKS[name](text) in (True, False)


def test_no_selector_takes_the_square_of_its_text() -> None:
    """They come in the address, which may be a megabyte long."""
    for text in LONG:
        label_selector_problem(text)
