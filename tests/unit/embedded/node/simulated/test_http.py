import pytest

from kubewright.embedded.node.simulated.http import SimulatedConnection, answer_to

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_request_is_answered_with_the_name_of_the_pod() -> None:
    """So that one sees which of several has answered."""
    answer, rest, close = answer_to(GET + b"next", pod="web-1", image="nginx")

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"This is web-1: nginx, simulated by Kubewright.\n")
    assert (rest, close) == (b"next", False)


@pytest.mark.parametrize(
    ("image", "path", "status"),
    [
        ("nginx:1.27", "/index.html?a=b", b"200 OK"),
        ("docker.io/library/nginx", "/healthz", b"404 Not Found"),
        ("httpd", "/nothing", b"404 Not Found"),
        ("example.com/shop", "/anything", b"200 OK"),
    ],
)
def test_a_server_of_files_has_one_page_only(image: str, path: str, status: bytes) -> None:
    """A page that a plain nginx does not have must not be answered with success."""
    answer, _, _ = answer_to(f"GET {path} HTTP/1.1\r\n\r\n".encode(), pod="web", image=image)

    assert answer.startswith(b"HTTP/1.1 " + status + b"\r\n")


@pytest.mark.parametrize(
    ("data", "answered", "close"),
    [
        (b"GET / HT", False, False),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", False, False),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", True, False),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", True, True),
        (b"GET / HTTP/1.0\r\n\r\n", True, True),
        (b"hello\r\n\r\n", False, True),
        (b"x" * 100_000, False, True),
    ],
)
def test_what_is_incomplete_waits_and_what_is_no_http_ends(
    data: bytes, answered: bool, close: bool
) -> None:
    """No request can keep it busy."""
    answer, _, closes = answer_to(data, pod="a", image="b")

    assert (bool(answer), closes) == (answered, close)


def test_a_head_request_has_no_body() -> None:
    """Probes may use it."""
    answer, _, _ = answer_to(b"HEAD / HTTP/1.1\r\n\r\n", pod="a", image="b")

    assert answer.endswith(b"\r\n\r\n")


async def test_several_requests_are_answered_on_one_connection() -> None:
    """Clients keep connections."""
    connection = SimulatedConnection(pod="a", image="b")

    await connection.write(GET[:10])
    await connection.write(GET[10:] + GET)
    first, second = await connection.read(), await connection.read()
    await connection.end()

    assert first == second
    assert await connection.read() == b""
