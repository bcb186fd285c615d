from datetime import timedelta

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.application.diagnosis import Patient
from kubewright.client import Client, Config
from tests.unit.application.diagnosis.ward import installed


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """A custom kind."""


def test_times_are_judged_by_the_clock_of_the_server() -> None:
    """A laptop that is an hour off must not call every lease expired."""
    clock = VirtualClock()
    client = Client(Config(server="https://127.0.0.1:1"), clock=clock)

    patient = Patient(client, ahead=timedelta(hours=1))

    assert patient.now == clock.now() + timedelta(hours=1)


def test_the_suspects_are_what_an_operator_needs_to_become_ready() -> None:
    """What follows from a missing CRD is told with it."""
    operator = kw.Operator("shop")

    @operator.reconciler(Shop)
    async def reconcile(shop: Shop, ctx: kw.Context) -> None:
        """Do nothing."""

    client = Client(Config(server="https://127.0.0.1:1"))

    assert Patient(client, operator=operator, installation=installed()).suspects == (
        "crd/shops.example.com",
        "serviceaccount/shop in namespace shops",
    )
    operator.validator(Shop)(lambda shop: None)
    assert Patient(client, operator=operator, installation=installed()).suspects[-1] == (
        "secret/shop-webhook-server-cert in namespace shops"
    )
    assert Patient(client).suspects == ()
    assert Patient(client).account is None
