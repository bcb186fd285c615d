"""How a chain is written into a Secret, and read from it.

Import this late: it loads the package ``cryptography``.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from kubewright._pki.authority import Authority, hosts_of
from kubewright._pki.keypair import KeyPair
from kubewright.webhook.certificates.chain import Chain, Renewal, certificates_in

__all__ = ["ANNOTATIONS", "KEYS", "OURS", "find_chain", "mend", "read_chain", "written"]

OURS: tuple[str, str] = ("app.kubernetes.io/managed-by", "kubewright")
"""The label of Secrets that we made, and may mend."""

KEYS: tuple[str, ...] = (
    "tls.crt", "tls.key", "ca.crt", "ca.key", "next-ca.crt", "next-ca.key", "previous-ca.crt",
)  # fmt: skip
"""The parts of the data that are ours; others are left as they are."""

_ANNOUNCED = "kubewright.dev/next-ca-announced"
_UNTIL = "kubewright.dev/previous-ca-until"
ANNOTATIONS: tuple[str, ...] = (_ANNOUNCED, _UNTIL)

_A_WHILE = timedelta(days=1)

Data = Mapping[str, bytes]


def written(chain: Chain) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the data and the annotations of a Secret with *chain*.

    ``ca.crt`` is the whole bundle, since that is what readers of such Secrets expect there.
    """
    following = chain.next or KeyPair(b"", b"")
    data = {
        "tls.crt": chain.leaf.certificate,
        "tls.key": chain.leaf.key,
        "ca.crt": chain.bundle,
        "ca.key": chain.authority.key,
        "next-ca.crt": following.certificate,
        "next-ca.key": following.key,
        "previous-ca.crt": chain.previous,
    }
    times = {_ANNOUNCED: chain.announced, _UNTIL: chain.until}
    return (
        {name: value for name, value in data.items() if value},
        {name: time.isoformat() for name, time in times.items() if time is not None},
    )


def read_chain(data: Data, annotations: Mapping[str, str], now: datetime) -> Chain:
    """Return the chain in a Secret.

    Raises:
        ValueError: It is incomplete or broken; the text says which part.
    """
    authority = _authority(data)
    leaf = KeyPair(data.get("tls.crt", b""), data.get("tls.key", b""))
    try:
        hosts_of(leaf, authority)
    except (ValueError, TypeError) as error:
        raise ValueError(f"tls.crt and tls.key: {error}") from error
    following = _next(data)
    previous = b"".join(certificates_in(data.get("previous-ca.crt", b"")))
    return Chain(
        leaf,
        authority.pair,
        next=following,
        announced=_time(annotations.get(_ANNOUNCED, ""), now) if following else None,
        previous=previous,
        until=_time(annotations.get(_UNTIL, ""), now + _A_WHILE) if previous else None,
    )


def find_chain(data: Data, annotations: Mapping[str, str], now: datetime) -> Chain | None:
    """Return the chain in a Secret, or ``None`` if there is no good one."""
    try:
        return read_chain(data, annotations, now)
    except ValueError:
        return None


def mend(data: Data, renewal: Renewal, now: datetime) -> Chain:
    """Return a chain that keeps whatever is good in *data*: the authority, or the trust in it."""
    try:
        authority = _authority(data).pair
    except ValueError:
        authority = None
    # Replicas that began with the Secret as it was may still show what an old authority signed.
    trusted = data.get("ca.crt", b"") + data.get("previous-ca.crt", b"")
    return renewal.begin(now, authority).trusting(trusted, now + renewal.grace)


def _authority(data: Data) -> Authority:
    certificates = certificates_in(data.get("ca.crt", b""))
    if not certificates:
        raise ValueError("ca.crt: there is no certificate in it")
    try:
        return Authority(pair=KeyPair(certificates[0], data.get("ca.key", b"")), judge_dates=False)
    except Exception as error:  # any of several, of which some share no base
        raise ValueError(f"ca.crt and ca.key: {error}") from error


def _next(data: Data) -> KeyPair | None:
    pair = KeyPair(data.get("next-ca.crt", b""), data.get("next-ca.key", b""))
    try:
        return Authority(pair=pair, judge_dates=False).pair
    except Exception:  # noqa: BLE001  # as above; without it, another one is announced
        return None


def _time(text: str, otherwise: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return otherwise
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
