import platform

from kubewright._version import VERSION
from kubewright.cli.shell.about import versions


def test_a_report_of_a_fault_has_what_is_asked_for_first() -> None:
    """The version, and what it runs on."""
    found = versions()

    assert found["kubewright"] == VERSION
    assert found["python"] == platform.python_version()
    assert "/" in found["platform"]
