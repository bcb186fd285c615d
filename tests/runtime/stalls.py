"""The operator of the webhook tests: a stall costs ten for each unit of its size; two versions."""

import kubewright as kw

LARGEST = 1_000_000
PRICE = 10


class StallSpec(kw.Model):
    size: int = 1
    """How large it is."""
    price: int = 0
    """What it costs; filled in."""


@kw.resource(group="example.com", version="v1")
class Stall(kw.Resource):
    """A stall on the market."""

    spec: StallSpec = kw.field(default_factory=StallSpec)


class WideStallSpec(kw.Model):
    width: int = 1
    """How large it is, in another word."""
    price: int = 0
    """What it costs; filled in."""


@kw.resource(group="example.com", version="v2", kind="Stall", storage=False)
class WideStall(kw.Resource):
    """A stall on the market, in another version."""

    spec: WideStallSpec = kw.field(default_factory=WideStallSpec)


operator = kw.Operator("stalls")
conversion = operator.conversion(Stall)


@conversion.to_hub(WideStall)
def to_stall(wide: WideStall) -> Stall:
    """Return the stall in the version that is stored."""
    return Stall(spec=StallSpec(size=wide.spec.width, price=wide.spec.price))


@conversion.from_hub(WideStall)
def to_wide_stall(stall: Stall) -> WideStall:
    """Return the stall in the other version."""
    return WideStall(spec=WideStallSpec(width=stall.spec.size, price=stall.spec.price))


@operator.defaulter(Stall)
def set_price(stall: Stall) -> None:
    """Fill in what it costs."""
    stall.spec.price = PRICE * stall.spec.size


@operator.validator(Stall)
def check_size(stall: Stall, ctx: kw.AdmissionContext[Stall]) -> None:
    """Refuse what is larger than the market."""
    if stall.spec.size > LARGEST:
        ctx.refuse("spec.size", f"must be at most {LARGEST}", value=stall.spec.size)
