"""Markers stand in ``Annotated`` and leave the type of the field alone."""

from typing import Annotated, assert_type

import kubewright as kw

Name = Annotated[str, kw.MinLength(1), kw.MaxLength(63), kw.Pattern(r"^[a-z]+$")]


@kw.rules(kw.Rule("self.low <= self.high", message="low must not be above high"))
class Range(kw.Model):
    name: Name
    low: Annotated[int, kw.Minimum(0), kw.ExclusiveMaximum(10)] = 0
    high: Annotated[float | None, kw.MultipleOf(0.5), kw.Description("The end.")] = None
    ports: Annotated[list[kw.Int32], kw.MinItems(1), kw.Items(kw.Maximum(65535))] = []
    parts: Annotated[list[kw.Condition], kw.ListType("map"), kw.ListMapKey("type")] = []
    share: kw.IntOrString = "25%"
    uid: Annotated[str | None, kw.Immutable(), kw.Format("uuid")] = None


def what_fits(found: Range) -> None:
    assert_type(Range(name="a"), Range)
    assert_type(found.name, str)
    assert_type(found.low, int)
    assert_type(found.high, float | None)
    assert_type(found.ports, list[int])
    assert_type(found.parts, list[kw.Condition])
    assert_type(found.share, int | str)
    assert_type(found.uid, str | None)


def what_does_not() -> None:
    Range()  # E: Missing named argument "name" for "Range"
    Range(name=1)  # E: Argument "name" to "Range" has incompatible type "int"
    kw.Minimum("1")  # E: Argument 1 to "Minimum" has incompatible type "str"
    kw.MinLength(1.5)  # E: Argument 1 to "MinLength" has incompatible type "float"
    kw.Pattern()  # E: Missing positional argument "value" in call to "Pattern"
    kw.ListType("bag")  # E: Argument 1 to "ListType" has incompatible type
    kw.Type("text")  # E: Argument 1 to "Type" has incompatible type
    kw.Rule()  # E: Missing positional argument
    kw.Minimum(1).value = 2  # E: Property "value" defined in "Minimum" is read-only
