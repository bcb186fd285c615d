"""`kubewright.cli.fatal`."""

import json
import logging

import pytest

from kubewright import log
from kubewright.cli.fatal import tell


def test_people_get_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With the name of the program, as other programs do."""
    tell("no such file")

    assert capsys.readouterr().err == "kubewright: no such file\n"


def test_programs_get_an_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What collects the log would take a bare line for garbage, and drop why a pod has ended."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    log.configure("info", "json")

    tell("cannot start:\nmany reasons", "json")

    said = json.loads(capsys.readouterr().err)
    assert (said["level"], said["error"]) == ("error", "cannot start:\nmany reasons")
