from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

SERVICE = {"service": {"name": "web", "port": {"number": 80}}}


def ingresses() -> KindServer:
    return KindServer("networking.k8s.io", "ingresses")


def test_an_ingress_shows_its_status_from_the_start() -> None:
    """Controllers write into it."""
    found = ingresses().create({"spec": {"defaultBackend": SERVICE}})

    assert found["status"] == {"loadBalancer": {}}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"),
        ({"defaultBackend": {}}, "resource or service backend is required"),
        (
            {"defaultBackend": {**SERVICE, "resource": {"kind": "A", "name": "b"}}},
            "cannot set both resource and service backends",
        ),
        ({"defaultBackend": {"service": {"name": "a"}}}, "port name or number is required"),
        (
            {"defaultBackend": {"service": {"name": "a", "port": {"name": "x", "number": 1}}}},
            "cannot set both port name & port number",
        ),
        ({"rules": [{"host": "1.2.3.4"}]}, "must be a DNS name, not an IP address"),
        ({"rules": [{"host": "*."}]}, "a wildcard DNS-1123 subdomain must start with '*.'"),
        ({"rules": [{"http": {}}]}, "spec.rules[0].http.paths: Required value"),
        ({"rules": [{"host": "*.example.com"}], "tls": [{"secretName": "A"}]}, "spec.tls[0].secre"),
        ({"rules": [{"host": "a.b"}], "ingressClassName": "A"}, "spec.ingressClassName: Invalid"),
        ({"rules": [{"host": "a.b"}]}, ""),
    ],
)
def test_an_ingress_leads_from_a_host_to_a_backend(spec: dict[str, Any], problem: str) -> None:
    """The texts are those people search for."""
    found = ingresses().refusal({"spec": spec})

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ({}, "pathType: Required value: pathType must be specified"),
        ({"pathType": "X"}, 'supported values: "Exact", "ImplementationSpecific", "Prefix"'),
        ({"pathType": "Prefix"}, 'path: Invalid value: "": must be an absolute path'),
        ({"pathType": "Exact", "path": "/a//b"}, "must not contain '//'"),
        ({"pathType": "Exact", "path": "/a/.."}, "cannot end with '/..'"),
        ({"pathType": "ImplementationSpecific"}, ""),
        ({"pathType": "Prefix", "path": "/"}, ""),
    ],
)
def test_a_path_is_absolute_and_plain(path: dict[str, str], problem: str) -> None:
    """Proxies would read the others differently."""
    rule = {"http": {"paths": [{**path, "backend": SERVICE}]}}

    found = ingresses().refusal({"spec": {"rules": [rule]}})

    assert problem in found
    assert bool(problem) == bool(found)


def test_the_old_annotation_must_agree_with_the_class() -> None:
    """The annotation alone is deprecated, and causes a warning."""
    server = ingresses()
    notes = {"kubernetes.io/ingress.class": "a"}
    spec: dict[str, Any] = {"defaultBackend": SERVICE}

    problem = server.refusal({"spec": {**spec, "ingressClassName": "b"}}, annotations=notes)
    server.create({"spec": spec}, annotations=notes)

    assert problem.endswith("must match `ingressClassName` when both are specified")
    (warning,) = server.warnings
    assert warning.endswith("is deprecated, please use 'spec.ingressClassName' instead")


def test_points_of_entry_are_checked() -> None:
    """Controllers report them, and DNS follows."""
    server = ingresses()
    found = server.create({"spec": {"defaultBackend": SERVICE}})
    new = {**found, "status": {"loadBalancer": {"ingress": [{"ip": "x"}]}}}

    (error,) = server.strategy.validate_status_update(new, found, server.write())

    assert error.path == "status.loadBalancer.ingress[0].ip"
