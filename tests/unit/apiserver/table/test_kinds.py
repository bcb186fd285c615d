import pytest

from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.kinds import PRINTERS, printer_for
from tests.unit.apiserver.table.rows import NOW, named

THREE_CELLS_FOR_TWO_COLUMNS = ("networking.k8s.io", "ipaddresses")


@pytest.mark.parametrize("kind", PRINTERS)
def test_every_printer_has_a_cell_for_each_column_of_an_empty_object(
    kind: tuple[str, str],
) -> None:
    """A list must not fail for one strange object."""
    printer = printer_for(*kind)

    cells = printer.cells(named(), Ages(NOW))

    extra = kind == THREE_CELLS_FOR_TWO_COLUMNS
    assert len(cells) == len(printer.columns) + extra
    assert len({column["name"] for column in printer.columns}) == len(printer.columns)
