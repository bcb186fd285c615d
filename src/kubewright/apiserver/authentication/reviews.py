"""TokenReview, SelfSubjectReview and TokenRequest: questions about users, and new tokens."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from kubewright._aio import Clock
from kubewright.api.times import format_time
from kubewright.apiserver.authentication.authenticator import Authenticator
from kubewright.apiserver.authentication.jwt import TokenError
from kubewright.apiserver.authentication.serviceaccount import (
    ACCOUNTS,
    NODES,
    PODS,
    SECRETS,
    ServiceAccountTokens,
)
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authorization.reviews import answered
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupKind, GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

_GROUP = "authentication.k8s.io"
_REQUEST_KIND = GroupKind(_GROUP, "TokenRequest")
_DEFAULT_SECONDS = 3600
_LEAST_SECONDS = 600
_MOST_SECONDS = 1 << 32
_BOUND_KINDS = {"Pod": ("pod", PODS), "Secret": ("secret", SECRETS), "Node": ("node", NODES)}


def review_token(review: Obj, authenticator: Authenticator) -> Obj:
    """Answer a TokenReview: whose is this token?

    Raises:
        StatusError: There is no token in it.
    """
    spec = review.get("spec") or {}
    if not spec.get("token"):
        raise status.bad_request("token is required for TokenReview in authentication")
    try:
        user, audiences = authenticator.verify(spec["token"], spec.get("audiences") or ())
    except TokenError as error:
        return answered(review, {"user": {}, "error": str(error)})
    found: Obj = {"authenticated": True, "user": user.json}
    if audiences:
        found["audiences"] = list(audiences)
    return answered(review, found)


def review_self(review: Obj, user: UserInfo, *, clock: Clock) -> Obj:
    """Answer a SelfSubjectReview: who am I?"""
    return {
        "kind": "SelfSubjectReview",
        "apiVersion": review.get("apiVersion") or f"{_GROUP}/v1",
        "metadata": {"creationTimestamp": format_time(clock.now())},
        "status": {"userInfo": user.json},
    }


def default_request(request: Obj) -> Obj:
    """Return a TokenRequest with what it leaves out, as admission is shown it."""
    spec = {"audiences": None, "boundObjectRef": None, **(request.get("spec") or {})}
    if spec.get("expirationSeconds") is None:
        spec["expirationSeconds"] = _DEFAULT_SECONDS
    return {**request, "spec": spec, "status": {"token": "", "expirationTimestamp": None}}


class TokenRequests:
    """Makes tokens for service accounts: their subresource ``token``."""

    def __init__(
        self, tokens: ServiceAccountTokens, reader: Reader, *, clock: Clock | None = None
    ) -> None:
        self._tokens = tokens
        self._reader = reader
        self._clock = clock or Clock()

    async def create(
        self,
        request: Obj,
        *,
        namespace: str,
        name: str,
        validate: Callable[[Obj], Awaitable[None]] | None = None,
    ) -> Obj:
        """Answer a TokenRequest.

        Args:
            request: As the client sent it.
            namespace: Of the service account.
            name: Of the service account.
            validate: Validating admission; is shown the request as it was completed.

        Raises:
            StatusError: The account or the bound object is missing, or the request is not valid.
        """
        self._check_identity(request, namespace, name)
        account = self._get(ACCOUNTS, namespace, name)
        done = self._completed(request, account)
        if errors := _errors(done["spec"]):
            raise status.invalid(_REQUEST_KIND, "", errors)
        if validate is not None:
            await validate(done)
        spec = done["spec"]
        bound = self._bound(spec.get("boundObjectRef"), namespace, name)
        seconds = spec["expirationSeconds"]
        token = self._tokens.make(
            account, seconds=seconds, audiences=spec["audiences"], bound=bound
        )
        expires = self._clock.now() + timedelta(seconds=seconds)
        done["status"] = {"token": token, "expirationTimestamp": format_time(expires)}
        return done

    def _check_identity(self, request: Obj, namespace: str, name: str) -> None:
        metadata = request.get("metadata") or {}
        for key, wanted in (("name", name), ("namespace", namespace)):
            if metadata.get(key) and metadata[key] != wanted:
                why = f"must match the service account {key} if specified"
                error = field.invalid(f"metadata.{key}", metadata[key], why)
                raise status.invalid(_REQUEST_KIND, name, [error])

    def _completed(self, request: Obj, account: Obj) -> Obj:
        metadata, own = dict(request.get("metadata") or {}), account["metadata"]
        if metadata.get("uid") and metadata["uid"] != own["uid"]:
            raise status.conflict(
                GroupResource(_GROUP, "TokenRequest"),
                own["name"],
                f"the UID in the token request ({metadata['uid']}) does not match the UID of the"
                f" service account ({own['uid']})",
            )
        metadata.update({key: own[key] for key in ("name", "namespace", "uid")})
        metadata["creationTimestamp"] = format_time(self._clock.now())
        found = default_request(request)
        found["spec"]["audiences"] = found["spec"]["audiences"] or list(self._tokens.audiences)
        kind = {"kind": "TokenRequest", "apiVersion": request.get("apiVersion") or f"{_GROUP}/v1"}
        return {**kind, **found, "metadata": metadata}

    def _bound(self, reference: Obj | None, namespace: str, account: str) -> dict[str, Obj]:
        """Return the objects that the token is bound to, by their kind in lower case."""
        if not reference:
            return {}
        group, _, version = (reference.get("apiVersion") or "").rpartition("/")
        kind = reference.get("kind") or ""
        if group or kind not in _BOUND_KINDS:
            shown = f"{group}/{version}, Kind={kind}"
            raise status.bad_request(f"cannot bind token to object of type {shown}")
        key, resource = _BOUND_KINDS[kind]
        obj = self._get(resource, "" if resource is NODES else namespace, reference.get("name", ""))
        found = {key: obj}
        if resource is PODS:
            found |= self._node_of(obj, account)
        uid = reference.get("uid")
        if uid and uid != obj["metadata"].get("uid"):
            raise status.conflict(
                GroupResource(group, kind),
                reference.get("name", ""),
                f"the UID in the bound object reference ({uid}) does not match the UID in record."
                " The object might have been deleted and then recreated",
            )
        return found

    def _node_of(self, pod: Obj, account: str) -> dict[str, Obj]:
        spec = pod.get("spec") or {}
        if spec.get("serviceAccountName") != account:
            raise status.bad_request(
                f'cannot bind token for serviceaccount "{account}" to pod running with different'
                " serviceaccount name."
            )
        node = spec.get("nodeName")
        if not node:
            return {}
        return {"node": self._reader.find_object(NODES, "", node) or {"metadata": {"name": node}}}

    def _get(self, resource: GroupResource, namespace: str, name: str) -> Obj:
        found = self._reader.find_object(resource, namespace, name)
        if found is None:
            raise status.not_found(resource, name)
        return found


def _errors(spec: Obj) -> Errors:
    errors: Errors = []
    seconds, path = spec["expirationSeconds"], "spec.expirationSeconds"
    if seconds < _LEAST_SECONDS:
        why = "may not specify a duration less than 10 minutes"
        errors.append(field.invalid(path, seconds, why))
    if seconds > _MOST_SECONDS:
        why = "may not specify a duration larger than 2^32 seconds"
        errors.append(field.invalid(path, seconds, why))
    return errors


def openid_configuration(tokens: ServiceAccountTokens, url: str) -> dict[str, Any]:
    """Return what is served at ``/.well-known/openid-configuration``, for a server at *url*."""
    return {
        "issuer": tokens.issuer,
        "jwks_uri": f"{url}/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [tokens.key.algorithm],
    }


def openid_keys(tokens: ServiceAccountTokens) -> dict[str, Any]:
    """Return what is served at ``/openid/v1/jwks``, as ``application/jwk-set+json``."""
    return {"keys": [tokens.key.jwk]}
