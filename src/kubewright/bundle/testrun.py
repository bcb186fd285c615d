"""Tests of a scorecard that run in pods: what is made for them, and what their logs say."""

import base64
import gzip
import io
import tarfile
from collections.abc import Mapping
from typing import Any, NamedTuple

from kubewright import _json
from kubewright.bundle.collection import Object
from kubewright.bundle.document import at, items, mapping, text, words
from kubewright.bundle.scoring import Result, Wanted
from kubewright.errors import ConfigError, DecodeError

__all__ = ["RUN", "TEST", "PodSettings", "archive_map", "archive_of", "pod_of", "results_of"]

RUN: str = "testrun"
"""The label with which all objects of a run are found."""
TEST: str = "scorecard-test"
"""The container that runs the test."""
_BUNDLE = "/bundle"
_ARCHIVE = "bundle.tar.gz"
_FOLDER = "/scorecard"
_LIMIT = 1_000_000  # of a ConfigMap, with all that is around it
_STATES = frozenset({"pass", "fail", "error"})
_SHOWN = 600  # signs of a log that is no result
_RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


class PodSettings(NamedTuple):
    """How the pods run.

    Attributes:
        namespace: Where.
        account: Their service account; empty for the default.
        untar_image: The image that unpacks the bundle; it needs tar and gzip.
        restricted: Whether they run under the strictest of the Pod Security Standards.
    """

    namespace: str
    account: str = ""
    untar_image: str = "docker.io/library/busybox:1.37"
    restricted: bool = False


def archive_of(files: Mapping[str, str]) -> bytes:
    """Return the files of a bundle as an archive; the same for the same files.

    Raises:
        ConfigError: It does not fit into a ConfigMap.
    """
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path, content in sorted(files.items()):
            data = content.encode()
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    packed = gzip.compress(plain.getvalue(), mtime=0)
    if len(packed) * 4 // 3 > _LIMIT:
        raise ConfigError(
            f"the bundle has {len(packed):,} bytes, packed, and pods get it from a ConfigMap, which"
            f" takes {_LIMIT * 3 // 4:,}. Remove what is not a part of it"
        )
    return packed


def archive_map(run: str, archive: bytes, settings: PodSettings) -> Object:
    """Return the ConfigMap with the bundle of a run."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(run, run, settings),
        "binaryData": {_ARCHIVE: base64.b64encode(archive).decode()},
    }


def pod_of(wanted: Wanted, name: str, run: str, settings: PodSettings) -> Object:
    """Return the pod of a test, which finds the bundle in ``/bundle``."""
    environment = [
        {
            "name": "SCORECARD_NAMESPACE",
            "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}},
        }
    ]
    container: Object = {
        "name": TEST,
        "image": wanted.image,
        "imagePullPolicy": "IfNotPresent",
        "command": list(wanted.entrypoint),
        "env": environment,
        "volumeMounts": [{"name": "bundle", "mountPath": _BUNDLE, "readOnly": True}],
    }
    untar: Object = {
        "name": "scorecard-untar",
        "image": settings.untar_image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["tar", "xzf", f"{_FOLDER}/{_ARCHIVE}", "-C", _BUNDLE],
        "volumeMounts": [
            {"name": "archive", "mountPath": _FOLDER, "readOnly": True},
            {"name": "bundle", "mountPath": _BUNDLE},
        ],
    }
    spec: Object = {
        "restartPolicy": "Never",
        "initContainers": [untar],
        "containers": [container],
        "volumes": [
            {"name": "archive", "configMap": {"name": run}},
            {"name": "bundle", "emptyDir": {}},
        ],
    }
    if settings.account:
        spec["serviceAccountName"] = settings.account
    if settings.restricted:
        # No image has to say who its user is, and root is refused.
        spec["securityContext"] = {
            "runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"},
        }  # fmt: skip
        container["securityContext"] = untar["securityContext"] = _RESTRICTED
    metadata = _metadata(name, run, settings)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def results_of(wanted: Wanted, log: str) -> list[Result]:
    """Return what a test says in its log; an error if it does not say anything."""
    try:
        said = _json.loads(log.encode())
    except DecodeError:
        return [_unreadable(wanted, log)]
    listed = items(at(said, "results"))
    found = [_result(one) for one in listed if text(at(one, "state")) in _STATES]
    return found if found and len(found) == len(listed) else [_unreadable(wanted, log)]


def _result(said: Any) -> Result:
    one = mapping(said)
    errors, suggestions = words(one.get("errors")), words(one.get("suggestions"))
    name, state = text(one.get("name")) or "?", text(one.get("state"))
    return Result(name, state, tuple(errors), tuple(suggestions), text(one.get("log")))


def _unreadable(wanted: Wanted, log: str) -> Result:
    shown = log.strip()[-_SHOWN:]
    example = '{"results": [{"name": "mine", "state": "pass"}]}'
    why = f"its log should be like {example}"
    said = f", and is: {shown}" if shown else ", and is empty"
    return Result(wanted.name, "error", (f"{why}{said}",))


def _metadata(name: str, run: str, settings: PodSettings) -> Object:
    labels = {"app": "scorecard-test", RUN: run}
    return {"name": name, "namespace": settings.namespace, "labels": labels}
