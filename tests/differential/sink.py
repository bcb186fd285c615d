"""One custom resource with something of everything, in two versions, and one with CEL rules."""

from typing import Any

from tests.conformance.crds import object_of

TEXT: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer"}
OPEN: dict[str, Any] = {"x-kubernetes-preserve-unknown-fields": True}
MAP: dict[str, Any] = {"type": "object", "additionalProperties": TEXT}
ATOMIC: dict[str, Any] = {"x-kubernetes-map-type": "atomic"}


def list_of(items: dict[str, Any], kind: str | None = None, *keys: str) -> dict[str, Any]:
    """Return the schema of a list of the x-kubernetes-list-type *kind*."""
    found: dict[str, Any] = {"type": "array", "items": items}
    if kind:
        found["x-kubernetes-list-type"] = kind
    if keys:
        found["x-kubernetes-list-map-keys"] = list(keys)
    return found


PORT = object_of(name=TEXT, port={**COUNT, "default": 80}, value=TEXT, inner=object_of(a=COUNT))
CONDITION = {**object_of(type=TEXT, status=TEXT), "required": ["type"]}
STATUS = object_of(
    replicas=COUNT, selector=TEXT, conditions=list_of(CONDITION, "map", "type"), free=MAP
)
SPEC = object_of(
    granular=object_of(a=COUNT, b=TEXT, c=object_of(x=COUNT, y=TEXT)),
    atomic={**object_of(a=COUNT, b=TEXT), **ATOMIC},
    map=MAP,
    atomicMap={**MAP, **ATOMIC},
    set=list_of(TEXT, "set"),
    numbers=list_of(COUNT, "set"),
    ports=list_of({**PORT, "required": ["name"]}, "map", "name", "port"),
    atoms=list_of(object_of(a=COUNT, b={**TEXT, "default": "q"})),
    explicit=list_of(TEXT, "atomic"),
    defaulted={**TEXT, "default": "d"},
    nest={
        **object_of(x={**COUNT, "default": 1}, y={**TEXT, "nullable": True}, z=TEXT),
        "default": {"z": "zz"},
    },
    nullable={**TEXT, "nullable": True},
    nullableDefault={**TEXT, "nullable": True, "default": "n"},
    nullableObject={**object_of(a=COUNT), "nullable": True},
    open={"type": "object", **OPEN},
    half={**object_of(known=COUNT, deep=object_of(a=COUNT)), **OPEN},
    free={**OPEN},
    either={"x-kubernetes-int-or-string": True},
    embedded={"type": "object", "x-kubernetes-embedded-resource": True, **OPEN},
    number={"type": "number", "minimum": 0, "maximum": 100, "exclusiveMaximum": True},
    word={**TEXT, "maxLength": 2, "pattern": "^[a-z]*$"},
    choice={**TEXT, "enum": ["a", "b"]},
    time={**TEXT, "format": "date-time"},
    replicas={**COUNT, "format": "int32"},
    flag={"type": "boolean"},
)
# Kubernetes cannot tell who owns what when one version lacks a field of the other (see known.py).
STRICT = object_of(
    **{
        **SPEC["properties"],
        "granular": {**SPEC["properties"]["granular"], "required": ["a"], "minProperties": 2},
        "map": {**MAP, "maxProperties": 1},
        "set": {**list_of({**TEXT, "maxLength": 1}, "set"), "maxItems": 2},
        "ports": list_of(
            {
                **object_of(
                    name=TEXT,
                    port={**COUNT, "default": 80, "maximum": 100},
                    value={**TEXT, "enum": ["a"]},
                    inner=object_of(a={**COUNT, "minimum": 2}),
                ),
                "required": ["name"],
            },
            "map",
            "name",
            "port",
        ),
        "atoms": list_of({**object_of(a={**COUNT, "minimum": 2}, b=TEXT), "required": ["a"]}),
        "defaulted": {**TEXT, "default": "other", "enum": ["other", "d"]},
        "number": {"type": "number", "multipleOf": 0.5},
        "word": {**TEXT, "minLength": 2, "pattern": "^a"},
        "nullable": TEXT,
        "replicas": {**COUNT, "maximum": 3},
    }
)
SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}


def rule(text: str, **more: Any) -> dict[str, Any]:
    """Return an entry of x-kubernetes-validations."""
    return {"rule": text, **more}


def ruled(schema: dict[str, Any], *rules: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* with *rules*."""
    return {**schema, "x-kubernetes-validations": list(rules)}


RULES = ruled(
    object_of(
        low=ruled(COUNT, rule("self < 80", messageExpression="self > 100 ? 'huge' : string(self)")),
        high=ruled(
            COUNT, rule("self >= oldSelf", message="may only grow", reason="FieldValueForbidden")
        ),
        fixed=ruled({**TEXT, "maxLength": 10}, rule("self == oldSelf")),
        words=ruled(
            {**list_of({**TEXT, "maxLength": 10}, "set"), "maxItems": 5},
            rule("self.all(one, one.size() < 3)", message="short words"),
            rule(
                "oldSelf.all(one, one in self)",
                messageExpression="oldSelf.filter(one, !(one in self))[0]",
            ),
        ),
        pairs={
            **list_of(
                ruled(
                    {
                        **object_of(name={**TEXT, "maxLength": 10}, count=COUNT),
                        "required": ["name"],
                    },
                    rule(
                        "!has(self.count) || self.count % 2 == 0",
                        fieldPath=".count",
                        reason="FieldValueInvalid",
                    ),
                    rule("!has(oldSelf.count) || has(self.count)", message="count stays"),
                ),
                "map",
                "name",
            ),
            "maxItems": 5,
        },
        map=ruled(
            {**MAP, "maxProperties": 4},
            rule("self.all(key, key != 'b')"),
            rule(
                "size(self) >= (oldSelf.hasValue() ? size(oldSelf.value()) : 0)",
                optionalOldSelf=True,
            ),
        ),
        either=ruled(
            {"x-kubernetes-int-or-string": True},
            rule("type(self) == int ? self < 5 : self.startsWith('a')"),
        ),
        half=ruled({**TEXT, "maxLength": 10, "nullable": True}, rule("self.matches('^[a-z]*$')")),
        division=ruled(COUNT, rule("10 / self > 1", messageExpression="string(10 / self)")),
        embedded=ruled(
            {**object_of(spec=object_of(a=COUNT)), "x-kubernetes-embedded-resource": True},
            rule("self.metadata.name.startsWith('a')"),
        ),
    ),
    rule(
        "!has(self.low) || !has(self.high) || self.low <= self.high",
        message="low over high",
        fieldPath=".low",
    ),
    rule("has(self.fixed) || !has(oldSelf.fixed)", message="fixed stays"),
)
GROUP = "differential.example.com"


def definition(kind: str, *versions: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD."""
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": list(versions),
        },
    }


def _version(name: str, spec: dict[str, Any], *, storage: bool, **more: Any) -> dict[str, Any]:
    schema = object_of(spec=spec, status=STATUS)
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": schema},
        **more,
    }


BOTH: dict[str, Any] = {"subresources": {"status": {}, "scale": SCALE}}
SINK = definition(
    "Sink",
    _version("v1", SPEC, storage=True, **BOTH),
    _version("v2", STRICT, storage=False, **BOTH),
)
RULED = definition("Ruled", _version("v1", RULES, storage=True))
