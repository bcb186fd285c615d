"""The resources of a definition, with all that it takes to read and write their objects."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from kubewright.apiserver.customresource.conversion import CallError, Converter
from kubewright.apiserver.customresource.resources import resources_of
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.default import copy, default
from kubewright.apiserver.schema.prune import fit
from kubewright.apiserver.schema.tree import Schema

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import WebhookClient


def served_resources(definition: Obj, client: "Callable[[], WebhookClient]") -> list[Resource]:
    """Return one resource for each version of an established definition.

    Args:
        definition: A CustomResourceDefinition.
        client: Returns what calls webhooks; asked only when a conversion needs one.
    """
    resources = resources_of(definition)
    shapes = {resource.version: resource.schema for resource in resources}

    async def ask(client_config: Obj, review: Obj, timeout: float) -> Obj:
        from kubewright.apiserver.admission.webhook_client import WebhookError  # noqa: PLC0415  # ssl, for few

        try:
            answer: Obj = await client().call(client_config, review, timeout=timeout)
        except WebhookError as error:
            raise CallError(str(error)) from error
        return answer

    converter = Converter(definition, ask, lambda version: shapes[version]())
    for resource in resources:
        resource.to_hub = resource.from_hub = None
        resource.asks_webhook = converter.asks
        resource.read = _reader(resource, converter, shapes)
        resource.write = _writer(resource, converter, shapes[resource.hub])
    return resources


def _reader(
    resource: Resource, converter: Converter, shapes: dict[str, Callable[[], Schema]]
) -> Callable[[list[Obj]], Awaitable[list[Obj]]]:
    async def read(objects: list[Obj]) -> list[Obj]:
        several = len(objects) > 1
        for obj in objects:
            # The defaults of what was stored count, not those of the version that is asked for.
            if stored := shapes.get(obj["apiVersion"].rpartition("/")[2]):
                fit(obj, stored())
                default(obj, stored())
        converted = await converter.convert(objects, resource.version, is_list=several)
        schema = resource.schema()
        for obj in converted:
            fit(obj, schema)
        return converted

    return read


def _writer(
    resource: Resource, converter: Converter, shape: Callable[[], Schema]
) -> Callable[[Obj], Awaitable[Obj]] | None:
    if resource.version == resource.hub:
        return None

    async def write(obj: Obj) -> Obj:
        (converted,) = await converter.convert([copy(obj)], resource.hub)
        # What is read of it has these defaults, so it may as well be stored with them.
        fit(converted, shape())
        default(converted, shape())
        return converted

    return write
