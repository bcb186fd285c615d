"""CEL rules: x-kubernetes-validations, in the words and the limits of Kubernetes."""

from typing import Any

import pytest

from tests.conformance.crds import CRDS, Installer, crd, object_of, version
from tests.conformance.wire import Wire

pytestmark = [pytest.mark.crd, pytest.mark.since("1.31", reason="CEL as it is today")]
TEXT = {"type": "string", "maxLength": 64}
NUMBER = {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT, "maxItems": 10}
MAP = {"type": "object", "additionalProperties": TEXT, "maxProperties": 10}
BOX = object_of(a=NUMBER, b=TEXT)
FIELDS: dict[str, Any] = {
    "n": NUMBER,
    "m": NUMBER,
    "f": {"type": "number"},
    "t": TEXT,
    "u": TEXT,
    "flag": {"type": "boolean"},
    "list": TEXTS,
    "numbers": {"type": "array", "items": NUMBER, "maxItems": 10},
    "set": {**TEXTS, "x-kubernetes-list-type": "set"},
    "keyed": {
        "type": "array",
        "maxItems": 10,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        "items": {**BOX, "required": ["a"]},
    },
    "map": MAP,
    "box": BOX,
    "either": {"x-kubernetes-int-or-string": True},
    "moment": {"type": "string", "format": "date-time"},
    "span": {"type": "string", "format": "duration"},
    "bytes": {"type": "string", "format": "byte", "maxLength": 64},
    "my-name": TEXT,
    "in": TEXT,
    "nullable": {**TEXT, "nullable": True},
}


def ruled(*rules: dict[str, Any] | str) -> dict[str, Any]:
    """Return a schema of all the fields with *rules*."""
    full = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
    return {**object_of(**FIELDS), "x-kubernetes-validations": full}


# rule, a spec that keeps it, a spec that breaks it
RULES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("self.n <= self.m", {"n": 1, "m": 2}, {"n": 3, "m": 2}),
    ("self.n % 2 == 0 && self.n / 2 < 5", {"n": 8}, {"n": 7}),
    ("self.f > 0.5", {"f": 0.6}, {"f": 0.5}),
    ("double(self.n) < self.f", {"n": 1, "f": 1.5}, {"n": 2, "f": 1.5}),
    ("!has(self.t) || self.t != ''", {}, {"t": ""}),
    ("has(self.t) == has(self.u)", {"t": "a", "u": "b"}, {"t": "a"}),
    ("self.flag ? self.n > 0 : self.n < 0", {"flag": False, "n": -1}, {"flag": True, "n": -1}),
    ("self.t.startsWith('ab') && self.t.endsWith('z')", {"t": "abz"}, {"t": "abc"}),
    ("self.t.contains('b')", {"t": "abc"}, {"t": "ac"}),
    ("self.t.matches('^[a-c]+$')", {"t": "abc"}, {"t": "abx"}),
    ("self.t.size() == 3", {"t": "äöü"}, {"t": "äö"}),
    ("size(self.list) > 1", {"list": ["a", "b"]}, {"list": ["a"]}),
    ("self.list.all(x, x.size() > 1)", {"list": ["aa", "bb"]}, {"list": ["aa", "b"]}),
    ("self.list.exists(x, x == 'a')", {"list": ["b", "a"]}, {"list": ["b"]}),
    ("self.list.exists_one(x, x == 'a')", {"list": ["a", "b"]}, {"list": ["a", "a"]}),
    ("self.list.filter(x, x != 'a').size() == 1", {"list": ["a", "b"]}, {"list": ["a"]}),
    ("self.numbers.map(x, x * 2).sum() == 12", {"numbers": [1, 2, 3]}, {"numbers": [1, 2]}),
    ("self.numbers.isSorted()", {"numbers": [1, 2]}, {"numbers": [2, 1]}),
    ("self.numbers.min() > 0 && self.numbers.max() < 9", {"numbers": [1, 8]}, {"numbers": [0, 8]}),
    ("self.list.indexOf('b') == 1", {"list": ["a", "b"]}, {"list": ["b"]}),
    ("'a' in self.list", {"list": ["a"]}, {"list": ["b"]}),
    ("self.list[0] == 'a'", {"list": ["a"]}, {"list": ["b"]}),
    ("self.list + ['c'] == ['a', 'b', 'c']", {"list": ["a", "b"]}, {"list": ["b", "a"]}),
    ("self.set == ['a', 'b']", {"set": ["b", "a"]}, {"set": ["a"]}),
    ("self.keyed.all(x, x.a > 0)", {"keyed": [{"a": 1}]}, {"keyed": [{"a": 1}, {"a": 0}]}),
    ("self.map.all(k, self.map[k] != k)", {"map": {"a": "b"}}, {"map": {"a": "a"}}),
    ("'a' in self.map && self.map['a'] == 'b'", {"map": {"a": "b"}}, {"map": {"b": "a"}}),
    ("self.map.exists(k, k.startsWith('a'))", {"map": {"ab": ""}}, {"map": {"b": ""}}),
    ("has(self.box.a) && self.box.a == 1", {"box": {"a": 1}}, {"box": {}}),
    (
        "type(self.either) == int ? self.either > 1 : self.either != ''",
        {"either": 2},
        {"either": ""},
    ),
    (
        "self.moment > timestamp('2026-01-01T00:00:00Z')",
        {"moment": "2026-02-01T00:00:00Z"},
        {"moment": "2025-02-01T00:00:00Z"},
    ),
    (
        "self.moment.getFullYear() == 2026",
        {"moment": "2026-02-01T00:00:00Z"},
        {"moment": "2025-02-01T00:00:00Z"},
    ),
    ("self.span < duration('1h')", {"span": "30m"}, {"span": "2h"}),
    ("self.span.getMinutes() == 30", {"span": "30m"}, {"span": "31m"}),
    ("self.bytes == b'abc'", {"bytes": "YWJj"}, {"bytes": "YWJk"}),
    ("self.my__dash__name == 'a'", {"my-name": "a"}, {"my-name": "b"}),
    ("self.__in__ == 'a'", {"in": "a"}, {"in": "b"}),
    ("self.t.lowerAscii() == 'abc'", {"t": "AbC"}, {"t": "AbX"}),
    ("self.t.split(',').size() == 2", {"t": "a,b"}, {"t": "a"}),
    ("self.t.replace('a', 'b') == 'bb'", {"t": "ab"}, {"t": "ac"}),
    ("self.t.substring(1, 3) == 'bc'", {"t": "abcd"}, {"t": "abdc"}),
    ("self.t.trim() == 'a'", {"t": " a "}, {"t": "b "}),
    ("self.list.join('-') == 'a-b'", {"list": ["a", "b"]}, {"list": ["b", "a"]}),
    ("self.t.find('[0-9]+') == '12'", {"t": "a12b"}, {"t": "ab"}),
    ("self.t.findAll('[0-9]').size() == 2", {"t": "1a2"}, {"t": "1a"}),
    ("self.t.charAt(0) == 'x'", {"t": "xy"}, {"t": "yx"}),
    (
        "isURL(self.t) && url(self.t).getHostname() == 'a.b'",
        {"t": "https://a.b/c"},
        {"t": "https://c.d"},
    ),
    (
        "isQuantity(self.t) && quantity(self.t).isGreaterThan(quantity('1Mi'))",
        {"t": "1Gi"},
        {"t": "1Ki"},
    ),
    ("isIP(self.t) && ip(self.t).family() == 4", {"t": "10.0.0.1"}, {"t": "::1"}),
    (
        "isCIDR(self.t) && cidr(self.t).containsIP('10.0.0.1')",
        {"t": "10.0.0.0/8"},
        {"t": "11.0.0.0/8"},
    ),
    ("!format.dns1123Label().validate(self.t).hasValue()", {"t": "abc"}, {"t": "A_b"}),
    (
        "isSemver(self.t) && semver(self.t).isLessThan(semver('2.0.0'))",
        {"t": "1.2.3"},
        {"t": "2.1.0"},
    ),
    ("string(self.n) == self.t", {"n": 5, "t": "5"}, {"n": 5, "t": "6"}),
    ("int(self.t) > 5", {"t": "6"}, {"t": "5"}),
    ("[1, 2].exists(x, x == self.n)", {"n": 2}, {"n": 3}),
    ("self.?box.?a.orValue(7) == 7", {}, {"box": {"a": 1}}),
    ("!has(self.nullable) || self.nullable != 'x'", {"nullable": None}, {"nullable": "x"}),
    ("self.list.transformList(i, v, i == 0, v) == ['a']", {"list": ["a", "b"]}, {"list": ["b"]}),
]


@pytest.mark.parametrize(("rule", "good", "bad"), RULES, ids=[row[0] for row in RULES])
def test_a_rule_holds_and_is_broken(
    install: Installer, rule: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    """The operator, macro or function does what the language says."""
    # Six rules to a kind, each on a property of its own: a new kind costs a real server seconds.
    number = [row[0] for row in RULES].index(rule)
    widgets = install.shared(version(schema=rules_around(number)))
    name = f"r{number}"

    kept = widgets.create("good", spec={name: good})
    broken = widgets.create("bad", spec={name: bad})

    kept.ok(201)
    [(reason, field, message)] = broken.causes()
    assert (reason, field) == ("FieldValueInvalid", f"spec.{name}")
    assert message.endswith(f": failed rule: {rule}"), message


def rules_around(number: int) -> dict[str, Any]:
    """Return a schema with a property for each of the six rules among which is this one."""
    first = number - number % 6
    near = enumerate(RULES[first : first + 6], start=first)
    return object_of(**{f"r{place}": ruled(row[0]) for place, row in near})


def test_the_message_of_a_rule_is_what_is_said(install: Installer) -> None:
    """Either a text, or an expression that makes one; the expression wins."""
    widgets = install.shared(
        version(
            schema=ruled(
                {"rule": "self.n < 5", "message": "n is too large"},
                {"rule": "self.m < 5", "messageExpression": "'m may not be ' + self.t"},
                {
                    "rule": "self.f < 5.0",
                    "message": "plain",
                    "messageExpression": "'f of ' + self.u",
                },
            )
        )
    )

    causes = widgets.create(spec={"n": 6, "m": 6, "f": 6, "t": "six", "u": "u"}).causes()

    said = [message.partition(": ")[2].rpartition("}: ")[2] for *_, message in causes]
    assert [text.partition('": ')[2] or text for text in said] == [
        "n is too large",
        "m may not be six",
        "f of u",
    ]


def test_reason_and_field_path_can_be_chosen(install: Installer) -> None:
    """So a client can act on them."""
    schema = ruled(
        {"rule": "self.n < 5", "reason": "FieldValueForbidden", "fieldPath": ".n"},
        {"rule": "self.m < 5", "reason": "FieldValueRequired", "fieldPath": ".box.a"},
        {"rule": "has(self.t)", "reason": "FieldValueDuplicate"},
    )
    widgets = install.shared(version(schema=schema))

    causes = widgets.create(spec={"n": 6, "m": 6}).causes()

    assert [(reason, field) for reason, field, _ in causes] == [
        ("FieldValueForbidden", "spec.n"),
        ("FieldValueRequired", "spec.box.a"),
        ("FieldValueDuplicate", "spec"),
    ]


def test_a_rule_on_a_value_sees_the_value(install: Installer) -> None:
    """On scalars, elements and entries, at their own path."""
    even = {"rule": "self % 2 == 0", "message": "odd"}
    schema = object_of(
        n={**NUMBER, "x-kubernetes-validations": [even]},
        list={
            "type": "array",
            "maxItems": 9,
            "items": {**NUMBER, "x-kubernetes-validations": [even]},
        },
        map={
            "type": "object",
            "maxProperties": 9,
            "additionalProperties": {**NUMBER, "x-kubernetes-validations": [even]},
        },
    )
    widgets = install.shared(version(schema=schema))

    causes = widgets.create(spec={"n": 1, "list": [2, 3], "map": {"a": 4, "b": 5}}).causes()

    assert {field for _, field, _ in causes} == {"spec.n", "spec.list[1]", "spec.map[b]"}


def test_the_root_sees_the_name(install: Installer) -> None:
    """Of the metadata only name and generateName are known to rules."""
    whole = object_of(spec=object_of(n=NUMBER))
    whole["x-kubernetes-validations"] = [
        {"rule": "self.metadata.name.startsWith('w')", "message": "call it w"}
    ]
    widgets = install.shared(version() | {"schema": {"openAPIV3Schema": whole}})

    [(_, field, message)] = widgets.create("a").causes()

    widgets.create("wa").ok(201)
    assert field in ("", "<nil>")
    assert message.endswith("call it w")


def test_a_transition_rule_runs_on_updates_only(api: Wire, install: Installer) -> None:
    """OldSelf is the value before; without one the rule is not asked."""
    grow = {"rule": "self >= oldSelf", "message": "may not shrink"}
    once = {"rule": "self == oldSelf", "message": "is immutable"}
    schema = object_of(
        n={**NUMBER, "x-kubernetes-validations": [grow]},
        t={**TEXT, "x-kubernetes-validations": [once]},
    )
    widgets = install.shared(version(schema=schema))
    widgets.create(spec={"n": 1}).ok(201)
    path = widgets.path("a")

    api.patch(path, {"spec": {"n": 2}}).ok()
    [(_, field, message)] = api.patch(path, {"spec": {"n": 1}}).causes()
    api.patch(path, {"spec": {"t": "first"}}).ok()
    [(_, other, _)] = api.patch(path, {"spec": {"t": "second"}}).causes()

    assert (field, other) == ("spec.n", "spec.t")
    assert message == "Invalid value: 1: may not shrink"


def test_an_optional_old_self_runs_always(api: Wire, install: Installer) -> None:
    """It can tell a create from an update."""
    rule = {
        "rule": "oldSelf.hasValue() ? self == oldSelf.value() : self > 0",
        "optionalOldSelf": True,
        "message": "positive once",
    }
    widgets = install.shared(
        version(schema=object_of(n={**NUMBER, "x-kubernetes-validations": [rule]}))
    )

    widgets.create("bad", spec={"n": 0}).causes()
    widgets.create("a", spec={"n": 1}).ok(201)

    [(_, field, _)] = api.patch(widgets.path("a"), {"spec": {"n": 2}}).causes()
    assert field == "spec.n"


def test_elements_of_keyed_lists_have_an_old_self(api: Wire, install: Installer) -> None:
    """They are found by their key, not by their place."""
    item = {**BOX, "required": ["a"]}
    item["x-kubernetes-validations"] = [{"rule": "self.b == oldSelf.b", "message": "b is fixed"}]
    schema = object_of(keyed={**FIELDS["keyed"], "items": item})
    widgets = install.shared(version(schema=schema))
    widgets.create(spec={"keyed": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}).ok(201)

    swapped = {"spec": {"keyed": [{"a": 2, "b": "y"}, {"a": 1, "b": "x"}, {"a": 3, "b": "z"}]}}
    changed = {"spec": {"keyed": [{"a": 1, "b": "other"}]}}
    api.patch(widgets.path("a"), swapped).ok()
    [(_, field, _)] = api.patch(widgets.path("a"), changed).causes()

    assert field == "spec.keyed[0]"


def test_an_error_at_run_time_is_a_refusal(install: Installer) -> None:
    """A rule that cannot be judged does not hold."""
    widgets = install.shared(version(schema=ruled("self.list[5] == 'a'")))

    [(_, field, message)] = widgets.create(spec={"list": []}).causes()

    assert field == "spec"
    assert "index out of bounds: 5" in message
    assert "self.list[5] == 'a'" in message


def test_rules_wait_for_the_schema(install: Installer) -> None:
    """A value of the wrong type is told once, and the rules are not asked about it."""
    widgets = install.shared(version(schema=ruled("self.n < 5")))

    causes = widgets.create(spec={"n": "x"}).causes()

    assert ("FieldValueTypeInvalid", "spec.n") in [one[:2] for one in causes]
    assert not any("failed rule" in message for *_, message in causes)


UNBOUNDED = {"type": "array", "items": {"type": "string"}}

# what is wrong -> schema, and what is said
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a syntax error": (ruled("self.n <"), "compilation failed: ERROR: <input>:1:9: Syntax error"),
    "an unknown field": (ruled("self.none == 1"), "undefined field 'none'"),
    "types that do not fit": (ruled("self.n == self.t"), "found no matching overload for '_==_'"),
    "no boolean": (ruled("self.n"), "cel expression must evaluate to a bool"),
    "an empty rule": (ruled({"rule": " "}), "rule is not specified"),
    "an unknown function": (ruled("self.t.dance()"), "undeclared reference to 'dance'"),
    "a rule that costs too much": (
        {
            **object_of(l=UNBOUNDED),
            "x-kubernetes-validations": [
                {"rule": "self.l.all(x, self.l.all(y, self.l.all(z, x + y + z != '')))"}
            ],
        },
        "estimated rule cost exceeds budget by factor of",
    ),
    "a message with a line break": (
        ruled({"rule": "self.n < 5", "message": "a\nb"}),
        "must not contain line breaks",
    ),
    "a field path that leads nowhere": (
        ruled({"rule": "self.n < 5", "fieldPath": ".none"}),
        'Invalid value: ".none": must be a valid path',
    ),
    "an unknown reason": (
        ruled({"rule": "self.n < 5", "reason": "Because"}),
        'Unsupported value: "Because": supported values: "FieldValueDuplicate",',
    ),
    "an old self inside of a set": (
        object_of(
            set={
                **TEXTS,
                "x-kubernetes-list-type": "atomic",
                "items": {**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
            }
        ),
        "oldSelf cannot be used on the uncorrelatable portion of the schema",
    ),
    "a message expression that is no text": (
        ruled({"rule": "self.n < 5", "messageExpression": "self.n"}),
        "messageExpression must evaluate to a string",
    ),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_rule_that_cannot_work_is_refused_with_the_crd(api: Wire, wrong: str) -> None:
    """It is found before the first object."""
    schema, said = REFUSED[wrong]

    causes = api.post(CRDS, crd(version(schema=schema))).causes()

    assert any(said in message for *_, message in causes), causes
