"""Random values for a schema: most of them fit, some do not."""

from typing import Any

from hypothesis import strategies as st

Strategy = st.SearchStrategy[Any]

WORDS = st.sampled_from(["a", "b", "c", "", "abc", "A", "é", "1", "2020-01-01T00:00:00Z"])
NUMBERS = st.sampled_from([0, 1, 2, 3, 5, 80, 443, -1, 2**31, 2**53])
FRACTIONS = st.sampled_from([0.5, 1.5, -0.25, 1e3])
SCALARS = st.one_of(WORDS, NUMBERS, FRACTIONS, st.booleans(), st.none())
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["a", "b", "x", "é"]), inner, max_size=2),
    ),
    max_leaves=4,
)


def mostly(usual: Strategy, *others: Strategy, weight: int = 12) -> Strategy:
    """Return *usual* most of the time."""
    return st.integers(0, weight).flatmap(
        lambda choice: st.one_of(*others) if choice == weight else usual
    )


def values(schema: dict[str, Any], *, wrong: bool = True) -> Strategy:
    """Return values for *schema*; now and then one that does not fit, unless not *wrong*."""
    fitting = _fitting(schema, wrong=wrong)
    return mostly(fitting, ANYTHING, weight=20) if wrong else fitting


def _fitting(schema: dict[str, Any], *, wrong: bool) -> Strategy:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return st.one_of(WORDS, NUMBERS)
    if schema.get("x-kubernetes-embedded-resource"):
        return _embedded()
    kind = schema.get("type")
    if kind == "object":
        return _objects(schema, wrong=wrong)
    if kind == "array":
        return st.lists(values(schema["items"], wrong=wrong), max_size=3)
    scalars = {
        "string": WORDS,
        "integer": NUMBERS,
        "number": st.one_of(NUMBERS, FRACTIONS),
        "boolean": st.booleans(),
    }
    found = scalars.get(kind or "", ANYTHING)
    return st.one_of(found, st.none()) if schema.get("nullable") else found


def _objects(schema: dict[str, Any], *, wrong: bool) -> Strategy:
    if "additionalProperties" in schema:
        inner = values(schema["additionalProperties"], wrong=wrong)
        return st.dictionaries(st.sampled_from(["a", "b", "é"]), inner, max_size=3)
    fields = {name: values(one, wrong=wrong) for name, one in schema.get("properties", {}).items()}
    required = {name: fields.pop(name) for name in schema.get("required", ())}
    if schema.get("x-kubernetes-preserve-unknown-fields") or wrong:
        fields["unknown"] = ANYTHING
    return mostly(
        _some(required, fields), st.fixed_dictionaries({}, optional={**required, **fields})
    )


def _some(required: dict[str, Strategy], optional: dict[str, Strategy]) -> Strategy:
    """Return objects with few of the *optional* fields: a small object shows a difference best."""
    few = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True)
    return few.flatmap(
        lambda names: (
            st.fixed_dictionaries({**required, **{one: optional[one] for one in names}})
            if optional
            else st.fixed_dictionaries(required)
        )
    )


def _embedded() -> Strategy:
    """Return objects within objects; one thing is wrong at most: Go says which it met first."""
    metadata = st.fixed_dictionaries(
        {}, optional={"name": WORDS, "labels": st.just({"a": "b"}), "unknown": WORDS}
    )
    right = {
        "apiVersion": st.sampled_from(["v1", "apps/v1"]),
        "kind": st.sampled_from(["Pod", "lower"]),
        "metadata": metadata,
        "spec": ANYTHING,
    }
    wrong = {
        "apiVersion": st.sampled_from(["", "a/b/c", 1, None]),
        "kind": st.sampled_from(["", 1, None, "x y"]),
        "metadata": st.one_of(
            ANYTHING,
            st.fixed_dictionaries({"creationTimestamp": WORDS}),
            st.fixed_dictionaries({"finalizers": ANYTHING}),
            st.fixed_dictionaries({"labels": ANYTHING}),
        ),
    }
    return st.one_of(
        st.fixed_dictionaries({}, optional=right),
        *(st.fixed_dictionaries({**right, name: one}) for name, one in wrong.items()),
    )


LABELS = st.dictionaries(st.sampled_from(["l", "m"]), st.sampled_from(["1", "2"]), max_size=2)
WRONG_LABELS = st.sampled_from([{"a b": "1"}, {"l": "é"}, {"l": 1}, {"l": None}, {"/": "x"}, []])
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "labels": mostly(LABELS, WRONG_LABELS),
        "annotations": mostly(LABELS, WRONG_LABELS),
        "finalizers": mostly(
            st.sampled_from([["x.io/a"], ["x.io/a", "x.io/b"], [], ["x.io/b"]]),
            st.sampled_from([["no slash"], ["x"], [""], None, ["orphan", "foregroundDeletion"]]),
        ),
    },
)
