from kubewright._serve.intake import Intake


class Client:
    """Sends a request of *size* bytes, and takes them back when it has to."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self.size = 0
        self.gave_way = False

    def send(self, size: int) -> None:
        self._intake.begin(self)
        self.size += size
        self._intake.change(size)

    def give_way(self) -> None:
        self.gave_way = True
        self._intake.change(-self.size)


def test_the_oldest_gives_way_to_what_is_too_much() -> None:
    """Whoever stalls is older than whoever sends."""
    intake = Intake(100)
    first, second, third = clients = [Client(intake) for _ in range(3)]

    for client in clients:
        client.send(40)
    assert [client.gave_way for client in clients] == [True, False, False]

    second.send(40)
    assert [client.gave_way for client in (second, third)] == [True, False]
    assert intake.held == third.size == first.size


def test_whole_requests_do_not_give_way() -> None:
    """They are being answered, and that ends."""
    intake = Intake(100)
    whole, coming = Client(intake), Client(intake)
    whole.send(90)
    intake.end(whole)

    coming.send(20)

    assert (whole.gave_way, coming.gave_way) == (False, True)
    assert intake.held == 90
