from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.kubeconfig import _loader
from kubewright.client.plain_yaml import find_mapping

KUBECONFIG = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    server: https://127.0.0.1:6443
  name: kind-dev
contexts:
- context:
    cluster: kind-dev
    namespace: shop
    user: kind-dev
  name: kind-dev
# who wrote this
current-context: kind-dev
kind: Config
preferences: {}
users:
- name: kind-dev
  user:
    exec:
      args:
      - get-token
      - --region=eu
      command: "aws"
      env: null
      provideClusterInfo: false
    port: 8080
    token: 7e5a21
"""


def loaded(text: str) -> Any:
    return yaml.load(text, Loader=_loader())


def test_what_kubectl_writes_is_read_as_pyyaml_reads_it() -> None:
    """A program that starts with an ordinary kubeconfig needs no YAML library."""
    assert find_mapping(KUBECONFIG) == loaded(KUBECONFIG)


def test_what_pyyaml_writes_is_plain() -> None:
    """Kubeconfigs that Python programs write are read quickly, too."""
    document = loaded(KUBECONFIG)

    assert find_mapping(yaml.safe_dump(document, sort_keys=False)) == document


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing",
        "- a\n- b",
        "a: &anchor b",
        "a: *anchor",
        "a: !!str 1",
        "a: |\n  b",
        "a: >-\n  b",
        "a: b # not c",
        "a: b: c",
        "a: b:",
        "a: {b: c}",
        "a: [b]",
        'a: "b\\n"',
        "a: 'it''s'",
        "a: b\n  c",
        "a: 012",
        "a: 1_000",
        "a: 1.5",
        "a: 0x1f",
        "a: 2026-01-01",
        "a: -5",
        "a: ~",
        "a: .inf",
        "a: Yes",
        "on: a",
        "a: b\na: c",
        "a:\n  b: c\n d: e",
        "a: b\n  c: d",
        "a:\n  - b\n c: d",
        "a:\n- b: c\n   d: e",
        "a:\n-\n  b",
        "a:\n- - b",
        "a:\tb",
        "a: b\r\nc: d",
        "a: \x85",
        "a: é",
        "---\na: b",
        "a: b\n...",
        "? a\n: b",
        "%YAML 1.1\n---\na: b",
        "a:\n- ---region",
    ],
)
def test_what_is_not_surely_plain_is_left_alone(text: str) -> None:
    """A guess would be a wrong login; PyYAML takes over."""
    assert find_mapping(text) is None


WORDS = st.sampled_from(
    ["a", "b:", "b: ", "- ", "  ", "\n", "\n  ", "\n- ", "c", "true", "1", "0", "~", "#", "'", '"',
     "{}", "[]", ":", "x:y", "k: v", "null", "on", "=", "<<", "/", ".", "-", "e", "_", ",",
     "--", "--a", "9", "7e5", "0x1f", "0b1", "1_", "5f"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=14).map("".join))
def test_whatever_is_taken_is_what_pyyaml_reads(text: str) -> None:
    """The short way and the long way never differ."""
    found = find_mapping(text)

    assert found is None or found == loaded(text)
