from kubewright.application.diagnosis.finding import Severity, error, info, named, warning


def test_the_worst_comes_first() -> None:
    """Who reads only the first lines reads the right ones."""
    assert sorted(Severity, key=lambda one: one.rank) == [
        Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.FINE,
    ]  # fmt: skip


def test_an_object_is_named_as_kubectl_does() -> None:
    """So that it can be copied into a command."""
    assert named("lease", "shop", "shops") == "lease/shop in namespace shops"
    assert named("crd", "shops.example.com") == "crd/shops.example.com"


def test_commands_and_causes_may_come_from_any_iterable() -> None:
    """Checks put them together in several ways; a finding can be hashed."""
    found = error("a", "b", mend=["c"], causes=(one for one in "d"))

    assert (found.mend, found.causes) == (("c",), ("d",))
    assert len({found, warning("a", "b"), info("a", "b", background=True)}) == 3
