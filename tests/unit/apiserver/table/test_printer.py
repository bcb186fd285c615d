"""Columns and printers."""

from kubewright.apiserver.table.printer import AGE, NAME, Printer, column


def test_a_column_is_complete_and_wide_ones_come_later() -> None:
    """Kubectl leaves out what has a priority."""
    plain, wide = column("A", "d"), column("B", "d", "integer", wide=True)

    assert plain == {
        "name": "A",
        "type": "string",
        "format": "",
        "description": "d",
        "priority": 0,
    }
    assert (wide["type"], wide["priority"]) == ("integer", 1)
    assert (NAME["format"], AGE["type"]) == ("name", "string")


def test_a_printer_needs_only_columns_and_cells() -> None:
    """Few kinds have conditions, or an order of their own."""
    printer = Printer((NAME,), lambda obj, ages: [obj["a"]])

    assert (printer.conditions, printer.of_list) == (None, None)
