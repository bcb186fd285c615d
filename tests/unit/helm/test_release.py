"""Releases, in the form in which Helm keeps them."""

import gzip
import json
from base64 import b64decode, b64encode
from datetime import UTC, datetime

import pytest

from kubewright.errors import DecodeError
from kubewright.helm import Hook
from kubewright.helm.release import Release, read_release, secret_for

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RELEASE = Release(
    name="corner",
    namespace="market",
    version=3,
    status="deployed",
    description="Upgrade complete",
    notes="hello",
    first_deployed="2026-01-01T00:00:00Z",
    last_deployed="2026-01-02T00:00:00Z",
    chart={"metadata": {"name": "shop"}},
    config={"a": 1},
    manifest="---\na: 1\n",
    hooks=[Hook("a", "Job", "p", "m", ["test"], -1, ["hook-failed"])],
    inputs="abc",
)


def test_secret_is_read_as_it_was_written() -> None:
    """A process that starts knows as much as the one that ended."""
    secret = secret_for(RELEASE, NOW)

    assert secret.name == "sh.helm.release.v1.corner.v3"
    assert secret["type"] == "helm.sh/release.v1"
    assert secret.metadata.labels["status"] == "deployed"
    assert read_release(secret) == RELEASE


def test_content_has_the_names_that_helm_uses() -> None:
    """``helm list`` and ``helm rollback`` decode it."""
    packed = secret_for(RELEASE, NOW)["data"]["release"]

    found = json.loads(gzip.decompress(b64decode(b64decode(packed))))

    assert found["info"]["status"] == "deployed"
    assert found["hooks"][0]["delete_policies"] == ["hook-failed"]
    assert found["version"] == 3


def test_release_of_helm_without_compression_is_read() -> None:
    """Old ones are like that."""
    text = b64encode(b64encode(json.dumps({"name": "a", "version": 1}).encode())).decode()

    found = read_release({"metadata": {"namespace": "b"}, "data": {"release": text}})

    assert (found.name, found.namespace, found.status, found.inputs) == ("a", "b", "unknown", "")


PACKED = gzip.compress(b'{"name": "a", "version": 1}', mtime=0)


@pytest.mark.parametrize(
    "data",
    [
        b"!!!",
        b"",
        b"[]",
        b"1",
        b'{"name": "a"}',
        b'{"name": "a", "version": "x"}',
        b'{"name": "a", "version": 1, "info": ["x"]}',
        b'{"name": "a", "version": 1, "hooks": ["x"]}',
        b"[" * 100_000,
        b"\x1f\x8bxx",
        PACKED[:12],
        PACKED[:12] + b"\xff" * 20,
        PACKED[:-8] + bytes(8),
    ],
)
def test_secret_with_something_else_is_named(data: bytes) -> None:
    """Somebody may have made one by hand, or a backup has cut it off."""
    text = b64encode(b64encode(data)).decode()

    with pytest.raises(DecodeError, match="the Secret x does not hold a release") as caught:
        read_release({"metadata": {"name": "x"}, "data": {"release": text}})

    assert "delete it" in str(caught.value)


def test_secret_without_base64_is_named() -> None:
    """As is one without data."""
    for data in ({"release": "%%%"}, {"release": None}, {}, None):
        with pytest.raises(DecodeError, match="the Secret x does not hold a release"):
            read_release({"metadata": {"name": "x"}, "data": data})
