"""Shops in three versions: what the tests of conversions convert."""

from typing import Any

import kubewright as kw
from kubewright import _json
from kubewright.api import Model, ObjectMeta
from kubewright.webhook.conversion import Conversion

GROUP = "example.com"


class SpecV1(Model):
    size: int = 0
    colour: str = ""
    shelves: list["Shelf"] = []


class Shelf(Model):
    name: str
    depth: int | None = None
    label: str | None = None


class StatusV1(Model):
    open: bool | None = None


@kw.resource(group=GROUP, version="v1", kind="Shop")
class ShopV1(kw.Resource):
    spec: SpecV1 = SpecV1()
    status: StatusV1 = StatusV1()


class SpecV2(Model):
    area: int = 0
    colour: str = ""
    shelves: list[Shelf] = []
    music: str | None = None


class StatusV2(Model):
    state: str | None = None


@kw.resource(group=GROUP, version="v2", kind="Shop", storage=False)
class ShopV2(kw.Resource):
    spec: SpecV2 = SpecV2()
    status: StatusV2 = StatusV2()


class SpecV3(Model):
    dimensions: dict[str, int] = {}


@kw.resource(group=GROUP, version="v3", kind="Shop", storage=False)
class ShopV3(kw.Resource):
    spec: SpecV3 = SpecV3()


@kw.resource(group=GROUP, version="v1", kind="Mall")
class Mall(kw.Resource):
    pass


def v2_to_v1(new: ShopV2) -> ShopV1:
    shelves = [Shelf(name=one.name, depth=one.depth) for one in new.spec.shelves]
    spec = SpecV1(size=new.spec.area, colour=new.spec.colour, shelves=shelves)
    opened = {"open": True, "closed": False}
    return ShopV1(spec=spec, status=StatusV1(open=opened.get(new.status.state or "")))


def v1_to_v2(hub: ShopV1) -> ShopV2:
    shelves = [Shelf(name=one.name, depth=one.depth) for one in hub.spec.shelves]
    spec = SpecV2(area=hub.spec.size, colour=hub.spec.colour, shelves=shelves)
    states = {True: "open", False: "closed", None: None}
    return ShopV2(spec=spec, status=StatusV2(state=states[hub.status.open]))


def v3_to_v1(new: ShopV3) -> ShopV1:
    return ShopV1(spec=SpecV1(size=new.spec.dimensions.get("size", 0)))


def v1_to_v3(hub: ShopV1) -> ShopV3:
    return ShopV3(spec=SpecV3(dimensions={"size": hub.spec.size}))


def shop_conversion(*, keep_lost_fields: bool = False) -> Conversion[ShopV1]:
    """Return the conversion of all three versions; v1 is the hub."""
    conversion = Conversion(ShopV1, keep_lost_fields=keep_lost_fields)
    conversion.to_hub(ShopV2)(v2_to_v1)
    conversion.from_hub(ShopV2)(v1_to_v2)
    conversion.to_hub(ShopV3)(v3_to_v1)
    conversion.from_hub(ShopV3)(v1_to_v3)
    return conversion


def metadata(name: str = "corner", **more: Any) -> ObjectMeta:
    """Return the metadata of an object that a server knows."""
    return ObjectMeta(name=name, namespace="town", uid="u-1", **more)


def document(version: str = "v2", *, name: str = "corner", **content: Any) -> dict[str, Any]:
    """Return a shop as a server sends it."""
    sent = {"name": name, "namespace": "town", "uid": "u-1"}
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Shop", "metadata": sent, **content}


def review(*objects: Any, wanted: str = "v1", version: str = "v1", **changed: Any) -> bytes:
    """Return the body of a ConversionReview."""
    request = {"uid": "r-1", "desiredAPIVersion": f"{GROUP}/{wanted}", "objects": list(objects)}
    api_version = f"apiextensions.k8s.io/{version}"
    sent = {"apiVersion": api_version, "kind": "ConversionReview", "request": request}
    return _json.encode(sent | changed)
