"""Questions in the shape of objects: reviews are answered and not stored."""

from collections.abc import Awaitable, Callable

import msgspec

from kubewright._aio import Clock
from kubewright.apiserver.authentication.authenticator import Authenticator
from kubewright.apiserver.authentication.reviews import review_self, review_token
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.authorization.reviews import (
    review_access,
    review_local_access,
    review_own_access,
    review_own_rules,
)
from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints import subresources
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.webhook.asking import settle
from kubewright.apiserver.wire import bodies, output
from kubewright.apiserver.wire.negotiation import accepted
from kubewright.apiserver.wire.options import write_options
from kubewright.apiserver.wire.request import Answer, Response

Endpoint = Callable[[Call], Awaitable[Answer]]
Review = Callable[[Call, Obj], Obj]

AUTHENTICATION: str = "authentication.k8s.io"
AUTHORIZATION: str = "authorization.k8s.io"


class Reviews:
    """The resources that have no objects."""

    def __init__(self, users: Authenticator, authorizer: Authorizer, *, clock: Clock) -> None:
        reviews: dict[tuple[str, str], Review] = {
            (AUTHENTICATION, "tokenreviews"): lambda _, obj: review_token(obj, users),
            (AUTHENTICATION, "selfsubjectreviews"): lambda call, obj: review_self(
                obj, call.user, clock=clock
            ),
            (AUTHORIZATION, "subjectaccessreviews"): lambda _, obj: review_access(obj, authorizer),
            (AUTHORIZATION, "localsubjectaccessreviews"): lambda call, obj: review_local_access(
                obj, authorizer, namespace=call.namespace
            ),
            (AUTHORIZATION, "selfsubjectaccessreviews"): lambda call, obj: review_own_access(
                obj, call.user, authorizer=authorizer
            ),
            (AUTHORIZATION, "selfsubjectrulesreviews"): lambda call, obj: review_own_rules(
                obj, call.user, authorizer=authorizer
            ),
        }
        self._endpoints: dict[GroupResource, Endpoint] = {
            GroupResource(*key): _endpoint(review) for key, review in reviews.items()
        }
        self._endpoints[GroupResource("", "bindings")] = subresources.bind
        self._endpoints[GroupResource("", "componentstatuses")] = _component_statuses

    def find(self, resource: GroupResource) -> Endpoint | None:
        """Return what answers for a resource that is not stored."""
        return self._endpoints.get(resource)


def _endpoint(review: Review) -> Endpoint:
    async def answer(call: Call) -> Response:
        form = accepted(call.request.headers.get("accept", ""), "partial")  # a review has no table
        options = write_options(call.query, "CreateOptions")
        obj = bodies.read_object(call, options.field_validation)
        found = await settle(lambda: review(call, obj))
        return output.shaped_response(call, msgspec.json.encode(found), form, code=201)

    return answer


async def _component_statuses(call: Call) -> Response:
    """Answer that all is well: there is one component, and it is answering."""
    call.warn("v1 ComponentStatus is deprecated in v1.19+")
    condition = {"type": "Healthy", "status": "True", "message": "ok"}
    item: Obj = {"metadata": {"name": "etcd-0"}, "conditions": [condition]}
    item = {"kind": "ComponentStatus", "apiVersion": "v1", **item}
    if call.name:
        return output.object_response(call, item)
    return await output.list_response(call, [Stored("etcd-0", msgspec.json.encode(item), 0)], {})
