"""Findings, and how programs read them."""

from kubewright.bundle.document import read_documents
from kubewright.bundle.finding import Level, error, has_errors, to_json, warning

[DOCUMENT] = read_documents("f.yaml", "kind: A\nspec: 1\n")


def test_it_says_where() -> None:
    """Editors jump to a file and a line."""
    assert str(error(DOCUMENT, ("spec",), "is wrong")) == "f.yaml, line 2: is wrong"
    assert str(error(DOCUMENT, (), "is wrong")._replace(line=0)) == "f.yaml: is wrong"


def test_warnings_do_not_fail() -> None:
    """Only errors stop a pipeline."""
    assert not has_errors([warning(DOCUMENT, (), "could be better")])
    assert has_errors([warning(DOCUMENT, (), "hm"), error(DOCUMENT, (), "no")])


def test_programs_read_them_as_those_of_operator_sdk() -> None:
    """Scripts around operator-sdk go on to work."""
    found = [warning(DOCUMENT, (), "hm")._replace(level=Level.WARNING)]

    assert to_json(found) == {
        "passed": True,
        "outputs": [{"type": "warning", "message": "f.yaml, line 1: hm"}],
    }
    assert to_json([]) == {"passed": True, "outputs": None}
