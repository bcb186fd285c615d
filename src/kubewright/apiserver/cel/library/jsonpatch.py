"""``jsonpatch.escapeKey``: a key as a step of a JSON pointer."""

from kubewright.apiserver.cel.declarations import Overload, declare


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


declare(
    {
        "jsonpatch.escapeKey": [
            Overload("string_jsonpatch_escapeKey_string", "(string) -> string", _escape)
        ]
    }
)
