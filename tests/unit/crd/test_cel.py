"""CEL rules on fields and on whole models."""

import re
from typing import Annotated, Any

import pytest

from kubewright import crd as kw
from kubewright.api.model import Model, field
from kubewright.crd import schema_of
from kubewright.crd.cel import cel_name
from kubewright.errors import SchemaError

RULES = "x-kubernetes-validations"


def test_a_rule_says_all_that_it_was_given() -> None:
    """Each option of controller-gen's marker has its place."""
    rule = kw.Rule(
        "self > 0",
        message="m",
        message_expression="'e'",
        reason="FieldValueInvalid",
        field_path=".a",
        optional_old_self=True,
    )

    assert schema_of(Annotated[int, rule])[RULES] == [
        {
            "rule": "self > 0",
            "message": "m",
            "messageExpression": "'e'",
            "reason": "FieldValueInvalid",
            "fieldPath": ".a",
            "optionalOldSelf": True,
        }
    ]


def test_rules_keep_their_order() -> None:
    """The first that fails is the one that the user reads."""
    schema = schema_of(Annotated[int, kw.Rule("self > 0"), kw.Rule("self < 9")])

    assert [one["rule"] for one in schema[RULES]] == ["self > 0", "self < 9"]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (kw.Rule(" "), "the rule is empty"),
        (kw.Rule("a ||\nb"), "a rule of several lines needs a message"),
        (kw.Rule("a", reason="Because"), "the reason must be one of FieldValueInvalid, "),  # type: ignore[arg-type]  # that is the test
    ],
)
def test_a_rule_that_the_server_refuses_is_refused_here(rule: kw.Rule, why: str) -> None:
    """The server's message would name an index in a generated file."""
    with pytest.raises(SchemaError) as caught:
        schema_of(Annotated[int, rule])

    assert why in str(caught.value)


@kw.rules(
    kw.AtMostOneOf("one_way", "another_way"),
    kw.ExactlyOneOf("one_way", "namespace"),
    kw.AtLeastOneOf("oneWay", "another_way"),
)
class Ways(Model):
    one_way: str | None = None
    another_way: str | None = None
    namespace: str | None = None


def test_one_of_counts_fields_by_their_json_names() -> None:
    """Python's names are accepted and translated; reserved words are escaped."""
    assert schema_of(Ways)[RULES] == [
        {
            "rule": "(has(self.oneWay)?1:0)+(has(self.anotherWay)?1:0) <= 1",
            "message": "at most one of the fields in [oneWay anotherWay] may be set",
        },
        {
            "rule": "(has(self.oneWay)?1:0)+(has(self.__namespace__)?1:0) == 1",
            "message": "exactly one of the fields in [oneWay namespace] must be set",
        },
        {
            "rule": "has(self.oneWay)||has(self.anotherWay)",
            "message": "at least one of the fields in [oneWay anotherWay] must be set",
        },
    ]


@kw.rules(kw.Rule("self.namespace != ''"))
class Narrow(Ways):
    pass


def test_a_subclass_adds_to_the_rules_of_its_bases() -> None:
    """And does not give its own to them."""
    assert len(schema_of(Narrow)[RULES]) == 4
    assert len(schema_of(Ways)[RULES]) == 3


@pytest.mark.parametrize(
    ("marker", "why"),
    [
        (kw.ExactlyOneOf("a", "b"), "there is no field 'b'. The fields are: a"),
        (kw.ExactlyOneOf("a", "a"), "it takes the names of different fields"),
        (kw.AtMostOneOf(), "it takes the names of different fields"),
        (kw.MaxLength(3), "it fits string, and this is object"),
    ],
)
def test_a_rule_about_fields_that_are_not_there_is_refused(marker: Any, why: str) -> None:
    """A misspelled name would make a rule that never holds."""

    @kw.rules(marker)
    class Wrong(Model):
        a: str | None = None

    with pytest.raises(SchemaError) as caught:
        schema_of(Wrong)

    assert why in str(caught.value)


class Fixed(Model):
    given: Annotated[str, kw.Immutable()]
    once: Annotated[str | None, kw.Immutable()] = None


def test_an_optional_immutable_field_may_not_be_removed_either() -> None:
    """The rule on the field itself is not asked when the field is gone."""
    schema = schema_of(Fixed)
    on_field = [{"rule": "self == oldSelf", "message": "field is immutable"}]

    assert schema["properties"]["given"][RULES] == on_field
    assert schema["properties"]["once"][RULES] == on_field
    assert schema[RULES] == [
        {"rule": "!has(oldSelf.once) || has(self.once)", "message": "once is immutable"}
    ]


@pytest.mark.parametrize(
    ("name", "escaped"),
    [("a", "a"), ("a-b", "a__dash__b"), ("a.b", "a__dot__b"), ("a/b", "a__slash__b"),
     ("a__b", "a__underscores__b"), ("in", "__in__"), ("inner", "inner")],
)  # fmt: skip
def test_names_that_cel_cannot_spell_are_escaped(name: str, escaped: str) -> None:
    """The escapes are those of the Kubernetes documentation."""
    assert cel_name(name) == escaped


class Limits(Model):
    max_size: int = 1


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("self.min_replicas <= 3", "did you mean self.minReplicas, not self.min_replicas?"),
        ("1 < oldSelf.min_replicas", "did you mean oldSelf.minReplicas, not oldSelf.min_replicas?"),
        ("self.limits.max_size > 0", "did you mean self.limits.maxSize, not self.limits.max_size?"),
        ("self.cluster_ip != ''", "did you mean self.clusterIP, not self.cluster_ip?"),
    ],
)
def test_a_rule_in_python_names_is_refused_with_the_right_ones(rule: str, hint: str) -> None:
    """The server says only that there is no such field."""

    @kw.rules(kw.Rule(rule))
    class Replicas(Model):
        min_replicas: int = 1
        cluster_ip: str | None = field(default=None, name="clusterIP")
        limits: Limits | None = None

    with pytest.raises(SchemaError, match=re.escape(hint)):
        kw.schema_of(Replicas)


@pytest.mark.parametrize(
    "rule",
    [
        "self.minReplicas <= 3",
        "self.snake_case > 0",
        "self.minReplicas > 0 || 'self.min_replicas' == \"self.min_replicas\"",
        "self.labels.min_replicas == 'a'",
        "self.list_.all(x, x.min_replicas > 0)",
        "myself.min_replicas",
    ],
)
def test_a_rule_that_may_be_right_is_taken(rule: str) -> None:
    """Texts, maps and names of JSON with an underscore are no mistakes."""

    @kw.rules(kw.Rule(rule))
    class Replicas(Model):
        min_replicas: int = 1
        snake: int = field(default=1, name="snake_case")
        labels: dict[str, str] = {}

    assert kw.schema_of(Replicas)["x-kubernetes-validations"][0]["rule"] == rule
