"""Named formats: ``format.dns1123Label().validate(name)`` returns the problems, if any."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.library.url import uri_problem
from kubewright.apiserver.cel.values import NONE, TYPES, Optional
from kubewright.apiserver.meta import naming
from kubewright.apiserver.schema.formats import CHECKS

_NAME: Final = "kubernetes.NamedFormat"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: a function that finds problems, and the length of its regex, for the cost."""

    name: str
    problems: Callable[[str], list[str]]
    regex_size: int


TYPES[Format] = Type("object", _NAME)


def _prefix(rule: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Check the prefix of a generated name, which may end in a dash."""
    return lambda text: rule(f"{text[:-1]}a" if text.endswith("-") and len(text) > 1 else text)


def _checked(name: str, problem: str) -> Callable[[str], list[str]]:
    return lambda text: [] if CHECKS[name](text) else [problem]


def _uri(text: str) -> list[str]:
    problem = uri_problem(text)
    return [problem] if problem else []


FORMATS: Final[dict[str, Format]] = {
    "dns1123Label": Format("DNS1123Label", naming.dns_label, 30),
    "dns1123Subdomain": Format("DNS1123Subdomain", naming.dns_subdomain, 60),
    "dns1035Label": Format("DNS1035Label", naming.dns_label_1035, 30),
    "qualifiedName": Format("QualifiedName", naming.qualified_name, 60),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", _prefix(naming.dns_label), 30),
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", _prefix(naming.dns_subdomain), 60),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", _prefix(naming.dns_label_1035), 30),
    "labelValue": Format("LabelValue", naming.label_value, 40),
    "uri": Format("URI", _uri, 1103),
    "uuid": Format("uuid", _checked("uuid", "does not match the UUID format"), 70),
    "byte": Format("byte", _checked("byte", "invalid base64"), 84),
    "date": Format("date", _checked("date", "invalid date"), 71),
    "datetime": Format("datetime", _checked("datetime", "invalid datetime"), 71),
}


def _named(name: str) -> Optional:
    return Optional(FORMATS[name]) if name in FORMATS else NONE


def _validate(form: Format, text: str) -> Optional:
    problems = form.problems(text)
    return Optional(problems) if problems else NONE


def _constant(name: str) -> list[Overload]:
    form = FORMATS[name]
    return [Overload(f"format.{name}", f"() -> {_NAME}", lambda: form)]


declare(
    {
        "validate": [
            Overload(
                "format-validate", f"{_NAME}.(string) -> optional_type(list(string))", _validate
            )
        ],
        "format.named": [Overload("format-named", f"(string) -> optional_type({_NAME})", _named)],
        **{f"format.{name}": _constant(name) for name in FORMATS},
    }
)
