"""The names that `kubewright` itself offers."""

import gc
import subprocess
import sys

import pytest

import kubewright


@pytest.mark.parametrize("name", kubewright.__all__)
def test_every_name_can_be_loaded(name: str) -> None:
    """A name in the list that its package does not have would fail at first use, far away."""
    assert getattr(kubewright, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="no attribute 'Operators'"):
        _ = kubewright.Operators  # type: ignore[attr-defined]  # as it should be


def test_dir_shows_what_is_not_loaded_yet() -> None:
    """Completion in an editor or a shell must offer all names."""
    assert set(kubewright.__all__) <= set(dir(kubewright))


def test_a_name_loads_its_own_package_only() -> None:
    """Who declares a class should not pay for the client."""
    code = "import kubewright, sys; kubewright.Model; print('kubewright.client' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"


def told_by(code: str) -> str:
    """Return what a fresh interpreter prints that has run *code*."""
    script = f"import gc, kubewright; before = gc.get_freeze_count()\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_nobody_looks_for_garbage_while_modules_load() -> None:
    """Modules stay, so it would be a part of the start for nothing."""
    runs = "runs = []; gc.callbacks.append(lambda *_: runs.append(1))"

    assert told_by(f"{runs}; kubewright.Operator; print(len(runs), gc.isenabled())") == "0 True"


def test_a_young_program_leaves_alone_what_it_has_loaded() -> None:
    """The first look for garbage after the modules would cost what was saved."""
    assert int(told_by("kubewright.Model; print(gc.get_freeze_count() - before)")) > 1000


def test_an_older_program_keeps_its_right_to_have_cycles_back() -> None:
    """What it has made by then may be large, and garbage one day."""
    assert told_by("gc.collect(); kubewright.Model; print(gc.get_freeze_count() - before)") == "0"


def test_a_collector_that_was_switched_off_stays_off() -> None:
    """That is for the program to decide."""
    code = "gc.disable(); kubewright.Model; print(gc.isenabled(), gc.get_freeze_count() - before)"

    assert told_by(code) == "False 0"


def test_a_failed_import_leaves_the_collector_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that goes on without us would fill its memory otherwise."""
    monkeypatch.setitem(sys.modules, "kubewright.manager", None)
    monkeypatch.delattr(kubewright, "Manager", raising=False)

    with pytest.raises(ImportError):
        _ = kubewright.Manager

    assert gc.isenabled()
