"""Random CustomResourceDefinitions, most of whose schemas have something wrong."""

from typing import Any

from hypothesis import strategies as st

from tests.differential.values import ANYTHING, Strategy, mostly

NAMES = st.sampled_from(["a", "b", "c"])
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array"])
RULES = st.sampled_from(
    [
        "true",
        "self > 1",
        "self.a == 1",
        "has(self.a)",
        "size(self) < 3",
        "self ==",
        "1 + 'a'",
        "self == oldSelf",
        "self.all(x, x > 1)",
        "self.all(x, self.all(y, x == y))",
        "missing",
        "self.matches('[')",
        "self.a.b == self.c",
        "oldSelf.hasValue()",
        "type(self) == int",
        "",
    ]
)
MESSAGES = st.sampled_from(["text", "", "two\nlines", " "])
RULE = st.fixed_dictionaries(
    {"rule": RULES},
    optional={
        "message": MESSAGES,
        "messageExpression": st.sampled_from(["'a'", "1", "self.a", "string(self)", "", "'"]),
        "reason": st.sampled_from(["FieldValueInvalid", "FieldValueForbidden", "Wrong"]),
        "fieldPath": st.sampled_from([".a", ".a.b", ".missing", "a", "", "['a']", ".a[0]"]),
        "optionalOldSelf": st.booleans(),
    },
)
SMALL = st.sampled_from([0, 1, 2, 5, -1])
KEYWORDS: dict[str, Strategy] = {
    "default": ANYTHING,
    "nullable": st.booleans(),
    "format": st.sampled_from(["date-time", "byte", "ipv4"]),
    "pattern": st.sampled_from(["^a", "[", "a*", "(?=a)"]),
    "minLength": SMALL,
    "maxLength": SMALL,
    "minimum": SMALL,
    "maximum": SMALL,
    "exclusiveMinimum": st.booleans(),
    "multipleOf": SMALL,
    "minItems": SMALL,
    "maxItems": SMALL,
    "uniqueItems": st.booleans(),
    "minProperties": SMALL,
    "maxProperties": SMALL,
    "required": st.lists(NAMES, min_size=1, max_size=2),
    "enum": st.lists(ANYTHING, min_size=1, max_size=3),
    "title": st.just("a title"),
    "description": st.just("a description"),
    "example": ANYTHING,
    "additionalProperties": st.booleans(),
    "x-kubernetes-int-or-string": st.booleans(),
    "x-kubernetes-preserve-unknown-fields": st.booleans(),
    "x-kubernetes-embedded-resource": st.booleans(),
    "x-kubernetes-list-type": st.sampled_from(["set", "map", "atomic", "wrong"]),
    "x-kubernetes-map-type": st.sampled_from(["granular", "atomic", "wrong"]),
    "x-kubernetes-list-map-keys": st.lists(NAMES, min_size=1, max_size=2),
    "x-kubernetes-validations": st.lists(RULE, min_size=1, max_size=2),
    "$ref": st.just("#/definitions/a"),
    "type": TYPES,
}
FITTING = {
    "string": ["default", "nullable", "format", "pattern", "minLength", "maxLength", "enum"],
    "integer": ["default", "nullable", "format", "minimum", "maximum", "multipleOf", "enum"],
    "number": ["default", "minimum", "maximum", "exclusiveMinimum"],
    "boolean": ["default", "nullable"],
    "array": [
        "minItems",
        "maxItems",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "default",
    ],
    "object": [
        "required",
        "minProperties",
        "maxProperties",
        "x-kubernetes-map-type",
        "default",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "nullable",
    ],
}


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    """Draw a schema: a type, keywords that go with it, and now and then one that does not."""
    kind = draw(TYPES if depth else st.sampled_from(["string", "integer", "boolean"]))
    found: dict[str, Any] = {"type": kind}
    if kind == "object" and draw(st.integers(0, 3)) == 0:
        found["additionalProperties"] = draw(schemas(depth=depth - 1))
    elif kind == "object":
        names = draw(st.lists(NAMES, max_size=3, unique=True))
        found["properties"] = {name: draw(schemas(depth=depth - 1)) for name in names}
    elif kind == "array":
        found["items"] = draw(schemas(depth=depth - 1))
    for name in draw(st.lists(st.sampled_from(FITTING[kind]), max_size=2, unique=True)):
        found[name] = draw(KEYWORDS[name])
    if draw(st.integers(0, 5)) == 0:
        found["x-kubernetes-validations"] = draw(KEYWORDS["x-kubernetes-validations"])
    if draw(st.integers(0, 8)) == 0:
        _spoil(draw, found, depth)
    return found


def _spoil(draw: st.DrawFn, found: dict[str, Any], depth: int) -> None:
    """Add a keyword that may not fit, or take the type away."""
    choice = draw(st.integers(0, 5))
    inner = schemas(depth=0) if depth else st.just({"required": ["a"]})
    if choice == 0:
        del found["type"]
    elif choice == 1:
        found[draw(st.sampled_from(["allOf", "anyOf", "oneOf"]))] = [draw(inner)]
    elif choice == 2:
        found["not"] = draw(inner)
    else:
        name = draw(st.sampled_from(sorted(KEYWORDS.keys() - {"format"})))
        found[name] = draw(KEYWORDS[name])


COLUMNS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["A", ""]), "type": st.sampled_from(["string", "date", "wrong"])},
        optional={
            "jsonPath": st.sampled_from([".spec.a", "spec", ".spec.a[*]", "{.a}", ""]),
            "format": st.sampled_from(["int32", "wrong"]),
            "priority": SMALL,
        },
    ),
    max_size=2,
)
SUBRESOURCES = st.fixed_dictionaries(
    {},
    optional={
        "status": st.just({}),
        "scale": st.fixed_dictionaries(
            {},
            optional={
                "specReplicasPath": st.sampled_from([".spec.a", "spec", ".status.a", ".a"]),
                "statusReplicasPath": st.sampled_from([".status.a", ".spec.a", ""]),
                "labelSelectorPath": st.sampled_from([".status.b", ".x", ""]),
            },
        ),
    },
)
SELECTABLE = st.lists(
    st.fixed_dictionaries(
        {"jsonPath": st.sampled_from([".spec.a", ".spec.b", ".metadata.name", "a", ""])}
    ),
    max_size=2,
)


@st.composite
def versions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw one version of a CRD."""
    root: dict[str, Any] = {"type": "object", "properties": {"spec": draw(schemas())}}
    if draw(st.integers(0, 12)) == 0:
        root = draw(schemas())
    optional = {
        "subresources": SUBRESOURCES,
        "additionalPrinterColumns": COLUMNS,
        "selectableFields": SELECTABLE,
        "deprecated": st.booleans(),
        "deprecationWarning": MESSAGES,
    }
    more = draw(st.lists(st.sampled_from(sorted(optional)), max_size=1, unique=True))
    return {
        "name": draw(
            mostly(st.sampled_from(["v1", "v2", "v1beta1"]), st.sampled_from(["", "V1", "1"]))
        ),
        "served": draw(mostly(st.just(True), st.just(False))),
        "storage": draw(mostly(st.just(True), st.just(False))),
        "schema": {"openAPIV3Schema": root},
        **{name: draw(optional[name]) for name in more},
    }


SPEC_CHANGES: dict[str, Strategy] = {
    "scope": st.sampled_from(["Cluster", "wrong", ""]),
    "group": st.sampled_from(["", "nodots", "x.k8s.io", "A.b"]),
    "preserveUnknownFields": st.booleans(),
    "conversion": st.sampled_from(
        [
            {"strategy": "None"},
            {"strategy": "Webhook"},
            {"strategy": "wrong"},
            {"strategy": "None", "webhook": {}},
        ]
    ),
    "names": st.fixed_dictionaries(
        {
            "plural": st.sampled_from(["things", "Things", ""]),
            "kind": st.sampled_from(["Thing", "thing!", ""]),
        },
        optional={
            "singular": st.sampled_from(["thing", "A"]),
            "shortNames": st.lists(st.sampled_from(["t", "T", ""]), max_size=2),
            "categories": st.lists(st.sampled_from(["all", "A!"]), max_size=2),
            "listKind": st.sampled_from(["ThingList", "Thing", "x"]),
        },
    ),
}


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a CRD named things.example.com."""
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": draw(
            mostly(st.lists(versions(), min_size=1, max_size=1), st.lists(versions(), max_size=2))
        ),
    }
    if draw(st.integers(0, 6)) == 0:
        name = draw(st.sampled_from(sorted(SPEC_CHANGES)))
        spec[name] = draw(SPEC_CHANGES[name])
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": spec,
    }
