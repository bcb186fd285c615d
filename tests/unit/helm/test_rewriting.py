"""What is written into templates, and what is left alone."""

import pytest

from kubewright.helm.rewriting import rewritten


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("{{ .Release.Revision }}", "{{ (int 7) }}"),
        ("{{ $.Release.Revision }} {{ $root.Release.Revision }}", "{{ (int 7) }} {{ (int 7) }}"),
        (".Release.Revision", ".Release.Revision"),
        ("{{ (first .).Release.Revision }}", "{{ (first .).Release.Revision }}"),
        (
            "{{ if (.context.Capabilities.APIVersions.Has .version) }}",
            '{{ if (hasKey (dict "a/v1" "" "v1" "") .version) }}',
        ),
        (
            '{{ "v1" | $.Capabilities.APIVersions.Has }}',
            '{{ "v1" | hasKey (dict "a/v1" "" "v1" "") }}',
        ),
        ("{{ .Capabilities.APIVersions }}", "{{ .Capabilities.APIVersions }}"),
        ("{{ (dict).Capabilities.APIVersions.Has 1 }}",) * 2,
    ],
)  # fmt: skip
def test_questions_are_answered_in_actions(template: str, found: str) -> None:
    """Whatever leads to the built-in objects; in plain text, nothing is a question."""
    assert rewritten(template.encode(), 7, ["v1", "a/v1"]).decode() == found
