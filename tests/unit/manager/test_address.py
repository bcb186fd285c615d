import pytest

from kubewright.errors import ConfigError
from kubewright.manager.address import BindAddress, bind_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":8080", BindAddress("", 8080)),
        ("127.0.0.1:0", BindAddress("127.0.0.1", 0)),
        ("localhost:8080", BindAddress("localhost", 8080)),
        ("[::1]:8081", BindAddress("::1", 8081)),
        ("[::]:8081", BindAddress("::", 8081)),
        ("0", None),
        ("", None),
    ],
)
def test_addresses_are_written_as_in_go(text: str, expected: BindAddress | None) -> None:
    """The flags of an operator keep their values when its language changes."""
    assert bind_address(text, option="metrics_bind_address") == expected


@pytest.mark.parametrize(
    "text", ["8080", "host", "a:b", ":65536", "::1:8080", ":-1", ":", "1.2.3.4:٣"]
)
def test_what_is_no_address_is_refused_with_the_way_to_write_one(text: str) -> None:
    """It is a flag: who wrote it reads the message in a crash loop."""
    with pytest.raises(ConfigError) as caught:
        bind_address(text, option="metrics_bind_address")

    assert str(caught.value) == (
        f"metrics_bind_address: {text!r} is not an address to listen on. Write host and port, such"
        " as ':8080', '127.0.0.1:8080' or '[::1]:8080', or '0' to listen on none."
    )
