import re
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from kubewright.cli import app as command
from kubewright.cli import main

runner = CliRunner()


def test_the_version_is_that_of_the_package() -> None:
    """Whoever reports a fault is asked for it."""
    done = runner.invoke(command.app, ["--version"])

    assert (done.exit_code, done.output) == (0, f"kubewright {version('kubewright')}\n")


def test_commands_come_in_the_order_in_which_one_meets_them() -> None:
    """Who sees the list for the first time begins with the first."""
    shown = runner.invoke(command.app, ["--help"]).output.partition("Commands:")[2]

    lines = [line for line in shown.splitlines() if re.match(r"  \S", line)]
    names = [line.strip().partition("  ")[0] for line in lines]
    assert names == [
        "init", "create", "edit", "manifests", "generate", "diff-crd", "demo", "dev", "run",
        "helm", "install", "uninstall", "deploy", "undeploy", "build-installer", "docker-build",
        "docker-push", "docker-buildx", "bundle", "catalog", "scorecard", "run bundle",
        "run bundle-upgrade", "cleanup", "olm", "pkgman-to-bundle", "doctor", "rbac", "apiserver",
        "migrate-storage", "alpha",
        "cluster", "completion", "version", "help",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["apiserver"],
        ["run"],
        ["dev"],
        ["migrate-storage"],
        ["cluster", "start"],
        ["cluster", "status"],
    ],
)
def test_help_names_values_for_people(arguments: list[str]) -> None:
    """An option takes an N or a NAME, and no "<int range>"."""
    shown = runner.invoke(command.app, [*arguments, "--help"], env={"COLUMNS": "200"}).output

    assert "--" in shown
    assert "<int" not in shown
    assert "<str" not in shown


@pytest.mark.parametrize("arguments", [[], ["--help"], ["apiserver", "--help"], ["run", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """It answers at once."""
    code = (
        "import sys; from kubewright.cli import main; sys.argv = ['kubewright', *sys.argv[1:]]\n"
        "heavy = ['kubewright.apiserver', 'kubewright.client', 'kubewright.operator', 'rich']\n"
        "try: main()\n"
        "except SystemExit: print([name for name in heavy if name in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )

    assert done.stdout.endswith("[]\n")


def test_a_mistake_of_the_user_is_one_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not a stack trace."""
    arguments = ["apiserver", "--kubeconfig", "/no/such/folder/config"]
    monkeypatch.setattr(sys, "argv", ["kubewright", *arguments])

    with pytest.raises(SystemExit) as ended:
        main()

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith("kubewright: cannot write /no/such/folder/config: the folder")
    assert said.count("\n") == 1


def test_ctrl_c_while_the_program_loads_is_quiet() -> None:
    """It takes a tenth of a second, and whoever mistypes is fast."""
    code = (
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from kubewright.__main__ import main\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (130, "")
