"""JSON as its types say."""

import pytest

from kubewright.apiserver.cel import celtype
from kubewright.apiserver.cel.adaptation import converter_for, item_converter_for
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import Duration, Timestamp


def test_most_values_need_nothing() -> None:
    """Rules read the object as it is."""
    for kind in (celtype.INT, celtype.STRING, celtype.BOOL, celtype.list_of(celtype.INT)):
        assert converter_for(kind) is None


def test_texts_become_what_their_format_says() -> None:
    """Values that already have the right type stay as they are."""
    moment, length = converter_for(celtype.TIMESTAMP), converter_for(celtype.DURATION)
    assert moment is not None
    assert length is not None

    assert moment("1970-01-01T00:00:01Z") == moment(Timestamp(10**9)) == Timestamp(10**9)
    assert length("1s") == Duration(10**9)
    with pytest.raises(EvaluationError, match="Invalid"):
        moment("yesterday")


def test_items_and_values_are_converted_inside() -> None:
    """Conversion reaches into lists, maps and objects."""
    moments = celtype.list_of(celtype.TIMESTAMP)
    inner = item_converter_for(moments)
    outer = converter_for(moments)
    assert inner is not None
    assert outer is not None

    assert outer(["1970-01-01T00:00:00Z"]) == [inner("1970-01-01T00:00:00Z")] == [Timestamp(0)]
    assert item_converter_for(celtype.INT) is None
