"""How findings are printed."""

import json

import pytest

from kubewright.bundle import Finding, Level
from kubewright.cli.bundle.findings import report

ERROR = Finding(Level.ERROR, "is wrong", "f.yaml", 3)
WARNING = Finding(Level.WARNING, "could be better", "f.yaml", 1)


def test_errors_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    """They are what has to be mended."""
    assert report([WARNING, ERROR], passed="fine") == 1

    assert capsys.readouterr().out == (
        "error    f.yaml, line 3: is wrong\nwarning  f.yaml, line 1: could be better\n"
    )


def test_warnings_pass(capsys: pytest.CaptureFixture[str]) -> None:
    """And are followed by a word that all is well."""
    assert report([WARNING], passed="fine") == 0

    assert capsys.readouterr().out.endswith("could be better\nfine\n")


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One document, whatever was found."""
    assert report([ERROR], output="json-alpha1") == 1

    assert json.loads(capsys.readouterr().out) == {
        "passed": False,
        "outputs": [{"type": "error", "message": "f.yaml, line 3: is wrong"}],
    }
