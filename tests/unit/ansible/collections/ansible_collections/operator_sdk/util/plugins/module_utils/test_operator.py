"""The way of modules to the API server."""

import json
import sys
from pathlib import Path

import pytest

from kubewright.ansible.folder import COLLECTIONS

sys.path.append(str(COLLECTIONS))
from ansible_collections.operator_sdk.util.plugins.module_utils.operator import (  # type: ignore[import-not-found]
    API,
    APIError,
)


def test_missing_kubeconfig_is_told() -> None:
    """A role may be run by hand."""
    with pytest.raises(APIError, match="no kubeconfig is named by K8S_AUTH_KUBECONFIG"):
        API({})


def test_operator_that_is_gone_is_told(tmp_path: Path) -> None:
    """Instead of a traceback."""
    from kubewright._pki.authority import Authority

    (tmp_path / "ca.crt").write_bytes(Authority("test").certificate)
    cluster = {"server": "https://127.0.0.1:1", "certificate-authority": str(tmp_path / "ca.crt")}
    config = {"clusters": [{"cluster": cluster}], "users": [{"user": {"token": "t"}}]}
    (tmp_path / "config").write_text(json.dumps(config))

    with pytest.raises(APIError, match="the operator cannot be reached"):
        API({"KUBECONFIG": str(tmp_path / "config")}).send("GET", "/version")
