"""`ExecConfig`: what a kubeconfig says of a plugin."""

from kubewright.client.exec_config import API_VERSIONS, ExecConfig


def test_it_speaks_the_stable_version_unless_told_otherwise() -> None:
    """The beta is there for old plugins only."""
    assert ExecConfig(command="aws").api_version == API_VERSIONS[0]
    assert not API_VERSIONS[0].endswith("beta1")


def test_it_shows_no_secret() -> None:
    """People put passwords into arguments and variables, and configurations into reports."""
    shown = repr(ExecConfig(command="aws", args=("hunter2",), env=(("PASSWORD", "hunter3"),)))

    assert "aws" in shown
    assert "hunter" not in shown
