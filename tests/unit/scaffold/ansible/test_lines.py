import pytest

from kubewright.scaffold.ansible.lines import blocks_of

TASKS = """\
---
- name: One
  kubernetes.core.k8s:
    state: present   # always
    definition:
      apiVersion: "v1"
      kind: 'Pod'
      metadata:
        name: a
- name: Two
  when: x
  loop:
  - a: 1
    b: 2
  - a: 3
  - just a text
"""


def test_mappings_are_told_apart() -> None:
    """By how far they are indented; items of a list are one each."""
    found = [(one.above, one.said) for one in blocks_of(TASKS)]

    module = "kubernetes.core.k8s"
    assert found == [
        ((module, "definition", "metadata"), {"name": "a"}),
        ((module, "definition"), {"apiVersion": "v1", "kind": "Pod", "metadata": ""}),
        ((module,), {"state": "present", "definition": ""}),
        ((), {"name": "One", module: ""}),
        (("loop",), {"a": "1", "b": "2"}),
        (("loop",), {"a": "3"}),
        ((), {"name": "Two", "when": "x", "loop": ""}),
    ]


def test_lines_are_counted_from_one() -> None:
    """As editors count them."""
    assert [one.line for one in blocks_of(TASKS)] == [9, 6, 4, 2, 13, 15, 10]


@pytest.mark.parametrize(
    "text",
    [
        "", "---", "- ", "-\n-\n", "{{ a }}\n{% if b %}\n", "\t: x\n", ": :\n", "kind:\n",
        "a: |\n  kind: Pod\n{% for x in y %}\n---\n  - - a: b\n", "\x00", "a" * 100_000,
    ],
)  # fmt: skip
def test_any_text_is_read(text: str) -> None:
    """A template may have anything in it; what is no mapping is left out."""
    assert all(one.line >= 1 for one in blocks_of(text))
