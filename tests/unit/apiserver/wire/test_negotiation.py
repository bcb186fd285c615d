"""Accept headers."""

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.negotiation import PLAIN, Accepted, Form, accepted

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1"
DISCOVERY = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io"


@pytest.mark.parametrize(
    ("header", "forms", "want"),
    [
        ("", (), PLAIN),
        ("*/*", (), PLAIN),
        ("application/json; charset=utf-8", (), PLAIN),
        ("application/yaml", (), Accepted(yaml=True)),
        ("text/html, application/*;q=0.9", (), PLAIN),
        ("application/vnd.kubernetes.protobuf, application/json", (), PLAIN),
        (TABLE, ("table",), Accepted("table", "v1")),
        (f"{TABLE}, application/json", (), PLAIN),
        (f"{PARTIAL},application/json", ("partial",), Accepted("partial", "v1beta1")),
        (TABLE.replace("v=v1", "v=v9") + ",application/yaml", ("table",), Accepted(yaml=True)),
        (DISCOVERY, ("discovery",), Accepted("discovery", "v2")),
        ("application/yaml;as=Table;v=v1;g=meta.k8s.io", ("table",), Accepted("table", "v1", True)),
    ],
)
def test_the_first_form_that_we_know_is_taken(
    header: str, forms: tuple[Form, ...], want: Accepted
) -> None:
    """Clients list what they like best first, and the plain object last."""
    assert accepted(header, *forms) == want


@pytest.mark.parametrize("header", ["text/plain", TABLE, "x", ",", "application/json;as=Table"])
def test_what_we_cannot_serve_is_refused(header: str) -> None:
    """With the formats that we can."""
    with pytest.raises(StatusError, match="application/json, application/yaml") as refusal:
        accepted(header)

    assert refusal.value.code == 406


def test_the_type_of_the_answer_follows_the_choice() -> None:
    """Wrapped or not."""
    assert PLAIN.content_type == "application/json"
    assert Accepted(yaml=True).content_type == "application/yaml"
