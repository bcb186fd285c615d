"""Models and resources of the user's own: their constructors know the fields."""

from datetime import datetime
from typing import Literal, assert_type

import kubewright as kw


class ShopSpec(kw.Model):
    owner: str
    size: int = 1
    tags: list[str] = []
    address: str | None = kw.field(default=None, name="addressV4")
    opened: datetime = kw.field(name="openedAt")
    extra: dict[str, int] = kw.field(default_factory=dict)


class ShopStatus(kw.Model):
    phase: Literal["Open", "Closed"] = "Closed"


@kw.resource(
    group="example.com",
    version="v1",
    columns=[kw.Column("Phase", ".status.phase")],
    scale=kw.Scale(".spec.size", ".status.size"),
)
class Shop(kw.Resource):
    spec: ShopSpec
    status: ShopStatus = kw.field(default_factory=ShopStatus)

    @property
    def is_large(self) -> bool:
        return self.spec.size > 10


def what_fits(opened: datetime) -> None:
    spec = ShopSpec(owner="ann", opened=opened)
    shop = Shop(metadata=kw.ObjectMeta(name="corner", labels={"a": "b"}), spec=spec)

    assert_type(Shop, type[Shop])
    assert_type(shop, Shop)
    assert_type(shop.is_large, bool)
    assert_type(shop.spec, ShopSpec)
    assert_type(shop.spec.size, int)
    assert_type(shop.spec.tags, list[str])
    assert_type(shop.spec.address, str | None)
    assert_type(shop.spec.opened, datetime)
    assert_type(shop.spec.extra, dict[str, int])
    assert_type(shop.status.phase, Literal["Open", "Closed"])
    assert_type(shop.key, kw.ObjectKey)
    assert_type(shop.metadata.labels, dict[str, str])
    assert_type(shop.metadata.name, str)
    assert_type(shop.metadata.deletion_timestamp, datetime | None)
    assert_type(shop.metadata.owner_references, list[kw.OwnerReference])


def what_does_not(opened: datetime, shop: Shop) -> None:
    ShopSpec()  # E: Missing named argument "owner"  # E: Missing named argument "opened"
    ShopSpec(owner="ann")  # E: Missing named argument "opened"
    ShopSpec("ann", opened=opened)  # E: Too many positional arguments for "ShopSpec"
    ShopSpec(owner="ann", opened=opened, colour="red")  # E: Unexpected keyword argument "colour"
    ShopSpec(owner="ann", openedAt=opened)  # E: Unexpected keyword argument "openedAt"
    ShopSpec(owner="ann", opened=opened, size="big")  # E: "size" to "ShopSpec" has incompatible
    ShopSpec(owner="ann", opened=opened, tags=None)  # E: "tags" to "ShopSpec" has incompatible
    ShopStatus(phase="Ajar")  # E: Argument "phase" to "ShopStatus" has incompatible type
    Shop()  # E: Missing named argument "spec" for "Shop"
    Shop(ShopSpec(owner="ann", opened=opened))  # E: Too many  # E: Missing named argument "spec"
    shop.status.phase = "Ajar"  # E: Incompatible types in assignment
    _ = shop.spec.colour  # E: "ShopSpec" has no attribute "colour"
    kw.field("a")  # E: No overload variant of "field" matches


class Odd(kw.Model):
    size: int = "big"  # E: Incompatible types in assignment
    count: int = kw.field(default="big")  # E: Incompatible types in assignment
    names: list[str] = kw.field(default_factory=dict[str, str])  # E: "default_factory"


kw.resource(group="example.com", version="v1")(ShopSpec)  # E: cannot be "type[ShopSpec]"
kw.resource(version="v1")  # E: Missing named argument "group" for "resource"
kw.resource(group="example.com", version="v1", scope="Galaxy")  # E: Argument "scope"


def what_is_said_of_objects(shop: Shop, conditions: list[kw.Condition]) -> None:
    assert_type(kw.find_condition(conditions, "Ready"), kw.Condition | None)
    assert_type(kw.has_finalizer(shop, "example.com/a"), bool)
    assert_type(kw.add_finalizer(shop, "example.com/a"), bool)
    assert_type(kw.owner_reference(shop), kw.OwnerReference)
    assert_type(kw.controller_of(shop), kw.OwnerReference | None)
    kw.owner_reference(shop.spec)  # E: Argument 1 to "owner_reference" has incompatible type
