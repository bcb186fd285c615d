"""Shops, the reviews in which an API server asks about them, and its reading of the answers."""

import base64
import inspect
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import kubewright as kw
from kubewright._serve.messages import Request, Response
from kubewright.api import Model
from kubewright.apiserver.admission.review import Verdict, check_decodable, verdict
from kubewright.apiserver.patch import json_patch
from kubewright.crd.webhooks import Operation
from kubewright.webhook.admission import Admission, RawAdmission, declare, declare_raw
from kubewright.webhook.review import AdmissionRequest, AdmissionResponse, read_review
from kubewright.webhook.routes import Routes

JSON = {"content-type": "application/json"}
WRITES: tuple[Operation, ...] = ("create", "update", "delete")


class Shelf(Model):
    name: str
    depth: int = 1


class ShopSpec(Model):
    size: int = 1
    colour: str | None = None
    opened: datetime | None = None
    shelves: list[Shelf] = []


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    spec: ShopSpec = ShopSpec()


def document(*, name: str = "corner", **spec: Any) -> dict[str, Any]:
    """Return a shop as a server sends it, with a field that the class does not know."""
    metadata = {"name": name, "namespace": "town", "creationTimestamp": None}
    return {
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        "metadata": metadata,
        "spec": {"size": 1, "smell": "roses"} | spec,
    }


def review(new: Any = None, old: Any = None, *, version: str = "v1", **changed: Any) -> bytes:
    """Return the body of a review of *new* and *old*; *changed* are members of its request."""
    operation = "DELETE" if new is None else "CREATE" if old is None else "UPDATE"
    request = {
        "uid": "r-1",
        "kind": {"group": "example.com", "version": "v1", "kind": "Shop"},
        "resource": {"group": "example.com", "version": "v1", "resource": "shops"},
        "name": "corner",
        "namespace": "town",
        "operation": operation,
        "userInfo": {"username": "ann", "groups": ["owners"]},
        "object": new,
        "oldObject": old,
        "dryRun": False,
        "options": None,
    }
    sent = {"kind": "AdmissionReview", "apiVersion": f"admission.k8s.io/{version}"}
    return json.dumps(sent | {"request": request | changed}).encode()


def asked(new: Any = None, old: Any = None, **changed: Any) -> AdmissionRequest:
    """Return the request of such a review."""
    return read_review(review(new, old, **changed))[1]


def defaulter(function: Callable[..., Any], kind: Any = Shop, **options: Any) -> Admission:
    """Return *function* as a defaulter."""
    given: Any = options
    return declare(kind, function, mutating=True, on=("create", "update"), options=given)


def validator(function: Callable[..., Any], kind: Any = Shop, **options: Any) -> Admission:
    """Return *function* as a validator."""
    given: Any = options
    return declare(kind, function, mutating=False, on=WRITES, options=given)


def raw(function: Callable[..., Any], *, mutating: bool = False, **options: Any) -> RawAdmission:
    """Return *function* as a raw handler."""
    given: Any = options
    return declare_raw(Shop, function, mutating=mutating, on=WRITES, options=given)


async def answer_of(
    admission: Admission | RawAdmission, request: AdmissionRequest
) -> AdmissionResponse:
    """Return the answer, waiting for it if need be."""
    found = admission.answer(request, None)
    return await found if inspect.isawaitable(found) else found


def posted(path: str, body: bytes, **changed: Any) -> Request:
    """Return the request that a server makes."""
    return Request("POST", path, **{"headers": JSON, "body": body, **changed})


async def response_of(routes: Routes, request: Request) -> Response:
    """Return the whole answer to *request*."""
    answer = await routes.handle(request)
    assert isinstance(answer, Response)
    return answer


def read(response: Response, *, version: str = "v1", mutating: bool = False) -> Verdict:
    """Read an answer as an API server does, which is strict about its form."""
    assert response.status == 200, response
    answer = json.loads(response.body)
    check_decodable(answer, version)
    return verdict(answer, version=version, uid="r-1", mutating=mutating)


def patched(sent: dict[str, Any], patch: bytes | list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the server makes of *sent*."""
    found: dict[str, Any] = json_patch.apply(sent, patch)
    return found


def patch_in(body: bytes) -> Any:
    """Return the patch that is in an answer."""
    return json.loads(base64.b64decode(json.loads(body)["response"]["patch"]))
