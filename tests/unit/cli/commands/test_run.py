from typer.testing import CliRunner

from kubewright.cli import app as command

runner = CliRunner()


def test_help_names_every_option_of_run() -> None:
    """Kubernetes people know most of them."""
    done = runner.invoke(command.app, ["run", "--help"], env={"COLUMNS": "200"})

    assert done.exit_code == 0
    for option in (
        "--kubeconfig", "--context", "--namespace", "--leader-elect", "--leader-elect-namespace",
        "--leader-elect-name", "--leader-elect-lease-duration", "--leader-elect-renew-deadline",
        "--leader-elect-retry-period",
        "--metrics-secure", "--no-metrics-secure", "--metrics-cert-path", "--metrics-cert-name",
        "--metrics-cert-key",
        "--metrics-bind-address", "--health-probe-bind-address", "--workers", "--log-level",
        "--log-format", "--install-crds", "--no-check-rights",
    ):  # fmt: skip
        assert option in done.output
