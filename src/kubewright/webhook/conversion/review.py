"""ConversionReview: the question of an API server, and the forms of its answer."""

import msgspec

from kubewright import _json
from kubewright.errors import DecodeError
from kubewright.webhook.review import ReviewError

VERSIONS: tuple[str, ...] = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
"""The versions of the review that are answered, each in kind; their fields are the same."""

KIND: str = "ConversionReview"


class Request(msgspec.Struct, gc=False):
    """The objects to convert, as bytes, and the version that they are wanted in."""

    uid: str = ""
    wanted: str = msgspec.field(default="", name="desiredAPIVersion")
    objects: list[msgspec.Raw] | None = None


class Review(msgspec.Struct, rename="camel", gc=False):
    """A review as it is sent."""

    api_version: str = ""
    kind: str = ""
    request: Request | None = None


class _Result(msgspec.Struct, omit_defaults=True, gc=False):
    status: str
    message: str = ""


class _Response(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    uid: str
    result: _Result
    converted_objects: list[msgspec.Raw] | None = None


class _Answered(msgspec.Struct, rename="camel", gc=False):
    api_version: str
    kind: str
    response: _Response


def read_review(body: bytes) -> tuple[Review, Request]:
    """Return the review in *body*, and its request.

    Raises:
        ReviewError: It is not a review that can be answered; the text is for its sender.
    """
    try:
        review = _json.decode(body, Review)
    except DecodeError as error:
        raise ReviewError(f"the body is not a {KIND}: {error}") from None
    if review.kind != KIND or review.api_version not in VERSIONS:
        found = f"{review.api_version or 'no apiVersion'}, {review.kind or 'no kind'}"
        raise ReviewError(f"expected a {KIND} of {' or '.join(VERSIONS)}, and got {found}")
    if review.request is None:
        raise ReviewError(f"the {KIND} has no request")
    if not review.request.uid:
        raise ReviewError(f"the request of the {KIND} has no uid, so it cannot be answered")
    return review, review.request


def success(review: Review, uid: str, objects: list[msgspec.Raw]) -> bytes:
    """Return the answer with all *objects*."""
    return _answer(review, _Response(uid, _Result("Success"), objects))


def failure(review: Review, uid: str, message: str) -> bytes:
    """Return the answer that says why there are no objects."""
    return _answer(review, _Response(uid, _Result("Failure", message)))


def _answer(review: Review, response: _Response) -> bytes:
    return _json.encode(_Answered(review.api_version, KIND, response))
