from base64 import urlsafe_b64encode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from kubewright._pki.authority import Authority
from kubewright.apiserver.authentication.authenticator import Authenticator, CertificateUsers
from kubewright.apiserver.authentication.jwt import TokenError
from kubewright.apiserver.authentication.user import ADMIN, NOBODY, UserInfo
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.request import Request
from tests.unit.apiserver.authentication.accounts import World


@pytest.fixture
def world() -> World:
    return World()


def request(**parts: object) -> Request:
    return Request("GET", "/", **parts)  # type: ignore[arg-type]  # whatever a test needs


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_a_static_token_is_its_user(world: World) -> None:
    """The scheme is read in any case, as HTTP has it."""
    users = Authenticator(world.tokens)
    token = users.add_user(UserInfo("ann", "7", ("dev",)))

    for headers in (bearer(token), {"authorization": f"bearer {token}"}):
        assert users.authenticate(request(headers=headers)) == UserInfo(
            "ann", "7", ("dev", "system:authenticated")
        )


def test_a_user_may_be_just_a_name(world: World) -> None:
    """With groups, or a user with more of them."""
    users = Authenticator(world.tokens)
    jane = users.add_user("jane", groups=["dev"])
    ann = users.add_user(UserInfo("ann", groups=("dev",)), "secret", groups=["ops"])

    found = [users.verify(token).user for token in (jane, ann)]

    assert [user.name for user in found] == ["jane", "ann"]
    assert [user.groups[:-1] for user in found] == [("dev",), ("dev", "ops")]


def test_a_service_account_comes_in_with_its_token(world: World) -> None:
    """Those who are known are in the group of all who are."""
    token = world.tokens.make(world.account, seconds=600)

    user = Authenticator(world.tokens).authenticate(request(headers=bearer(token)))

    assert user.name == "system:serviceaccount:shop:bot"
    assert user.groups[-1] == "system:authenticated"


@pytest.mark.parametrize("path", ["/healthz", "/api"])
def test_a_wrong_token_is_never_taken_for_none(world: World, path: str) -> None:
    """A client that means to be somebody must hear that it is not."""
    users = Authenticator(world.tokens)
    asked = Request("GET", path, headers=bearer("wrong"), trusted=True)

    with pytest.raises(StatusError) as caught:
        users.authenticate(asked)

    assert (caught.value.code, caught.value.message) == (401, "Unauthorized")


@pytest.mark.parametrize("headers", [{}, {"authorization": "Basic YTpi"}, {"authorization": "x"}])
@pytest.mark.parametrize(
    "path", ["/", "/api", "/apis", "/openapi/v3", "/metrics", "/healthz/ping", "/healthz/../api"]
)
def test_who_shows_nothing_is_refused(headers: dict[str, str], path: str) -> None:
    """Whoever shares the machine with us is not the administrator; Basic counts as nothing."""
    with pytest.raises(StatusError) as caught:
        Authenticator().authenticate(Request("GET", path, headers=headers))

    assert (caught.value.code, caught.value.message) == (401, "Unauthorized")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version", "/version/"])
def test_health_and_version_are_open_to_nobody_in_particular(path: str) -> None:
    """What a load balancer asks has no secrets in it."""
    assert Authenticator().authenticate(Request("GET", path)) is NOBODY


def test_this_process_is_trusted_unless_it_says_who_it_is(world: World) -> None:
    """So a test in process can try what a user may do."""
    users = Authenticator()
    token = users.add_user(UserInfo("ann"))

    assert users.authenticate(request(trusted=True)) is ADMIN
    assert users.authenticate(request(trusted=True, headers=bearer(token))).name == "ann"


def test_a_certificate_names_the_user_and_the_groups() -> None:
    """The common name is the user, the organizations are the groups."""
    pem = Authority().client("ann", ("dev", "ops")).certificate
    der = x509.load_pem_x509_certificate(pem).public_bytes(serialization.Encoding.DER)

    user = Authenticator().authenticate(request(certificate=der))

    assert user.name == "ann"
    assert set(user.groups) == {"dev", "ops", "system:authenticated"}
    assert user.extra["authentication.kubernetes.io/credential-id"][0].startswith("X509SHA256=")


def test_a_certificate_that_names_nobody_counts_as_none() -> None:
    """The front has verified it, but it may still be a strange one."""
    with pytest.raises(StatusError, match="Unauthorized"):
        Authenticator().authenticate(request(certificate=b"junk"))


def test_a_browser_sends_its_token_as_a_subprotocol() -> None:
    """It cannot set headers on a websocket."""
    users = Authenticator()
    token = users.add_user(UserInfo("ann"))
    coded = urlsafe_b64encode(token.encode()).decode().rstrip("=")
    offered = f"v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.{coded}"

    assert users.authenticate(request(headers={"sec-websocket-protocol": offered})).name == "ann"


def test_why_a_token_is_wrong_is_told_to_reviewers_only(world: World) -> None:
    """A TokenReview shows it as the real server does."""
    users = Authenticator(world.tokens)
    token = world.tokens.make(world.account, seconds=600, audiences=["vault"])

    with pytest.raises(TokenError, match=r"^\[invalid bearer token, token audiences \["):
        users.verify(token)
    with pytest.raises(TokenError, match=r"^invalid bearer token$"):
        users.verify("x")


def der(user: str, *groups: str) -> bytes:
    pem = Authority().client(user, groups).certificate
    return x509.load_pem_x509_certificate(pem).public_bytes(serialization.Encoding.DER)


def test_a_user_is_read_from_the_subject_once() -> None:
    """A connection shows the same certificate with every request."""
    certificates, shown = CertificateUsers(), der("ann", "dev")

    user = certificates.find(shown)

    assert user is not None
    assert (user.name, user.groups) == ("ann", ("dev", "system:authenticated"))
    assert certificates.find(shown) is user


@pytest.mark.parametrize("shown", [b"", b"junk", b"\x30\x03\x02\x01\x05"])
def test_bytes_that_are_not_a_certificate_name_nobody(shown: bytes) -> None:
    """The front has verified it, and still it may be a strange one."""
    assert CertificateUsers().find(shown) is None
