"""A stand-in for OLM, as an operator: it plans what subscriptions ask for, and installs it.

It plays OLM's part of the protocol, as far as ``kubewright run bundle`` sees it: it reads catalogs
where the pod of a CatalogSource has them, and runs what a ClusterServiceVersion says.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import kubewright as kw
from kubewright.errors import NotFoundError

GROUP = "operators.coreos.com"
V1ALPHA1 = f"{GROUP}/v1alpha1"
SUBSCRIPTION = kw.Kind(V1ALPHA1, "Subscription")
SOURCE = kw.Kind(V1ALPHA1, "CatalogSource")
PLAN = kw.Kind(V1ALPHA1, "InstallPlan")
CSV = kw.Kind(V1ALPHA1, "ClusterServiceVersion")
POD = kw.Kind("v1", "Pod")
MAP = kw.Kind("v1", "ConfigMap")
DEPLOYMENT = kw.Kind("apps/v1", "Deployment")
CRD = kw.Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
SOON = kw.Result(requeue_after=0.1)
BROKEN = "lifecycle/broken"
"""An annotation of versions that should fail, with the reason."""

Object = dict[str, Any]
operator = kw.Operator("lifecycle")


@operator.reconciler(SUBSCRIPTION)
async def resolve(sub: kw.Unstructured, ctx: kw.Context) -> kw.Result:
    """Plan the version that a subscription leads to, and follow the plan."""
    status: Object = dict(sub.get("status") or {})
    source = sub["spec"]["source"]
    entries = await entries_of(ctx, sub.namespace, source)
    found = bundle_for(sub, entries, status.get("installedCSV", ""))
    if not entries:
        status["conditions"] = [trouble(f"no operators found from catalog {source}")]
    elif found is not None and status.get("currentCSV") != found["name"]:
        plan = await ctx.client.create(kw.Unstructured(plan_for(sub, found)))
        status |= {"currentCSV": found["name"], "state": "UpgradePending", "conditions": []}
        status["installPlanRef"] = {"name": plan.name, "namespace": plan.namespace}
    elif status.get("currentCSV"):
        csv = await ctx.client.find(CSV, status["currentCSV"], namespace=sub.namespace)
        if csv is not None:
            status |= {"installedCSV": csv.name, "state": "AtLatestKnown"}
    sub["status"] = status
    return SOON


@operator.reconciler(PLAN)
async def execute(plan: kw.Unstructured, ctx: kw.Context) -> kw.Result | None:
    """Make what an approved plan names."""
    status: Object = dict(plan.get("status") or {})
    if status.get("phase") == "Complete":
        return None
    if not plan["spec"]["approved"]:
        plan["status"] = {"phase": "RequiresApproval"}
        return None
    package = plan.metadata.annotations["package"]
    for one in json.loads(base64.b64decode(plan.metadata.annotations["objects"])):
        document = one
        if one["kind"] != "CustomResourceDefinition":
            label = {f"{GROUP}/{package}.{plan.namespace}": ""}
            metadata = {**one["metadata"], "namespace": plan.namespace, "labels": label}
            document = {**one, "metadata": metadata}
        await ctx.client.apply(kw.Unstructured(document), field_owner="lifecycle", force=True)
    plan["status"] = {"phase": "Complete"}
    return None


@operator.reconciler(CSV)
async def install(csv: kw.Unstructured, ctx: kw.Context) -> kw.Result | None:
    """Run what a version consists of, phase by phase, and remove the one that it replaces."""
    phase = (csv.get("status") or {}).get("phase", "")
    broken = csv.metadata.annotations.get(BROKEN)
    missing = [one async for one in missing_of(csv, ctx)]
    if phase == "Succeeded":
        return None
    if missing:
        tell(csv, "Pending", "RequirementsNotMet", requirementStatus=missing)
        return SOON
    if broken:
        tell(csv, "Failed", "InstallComponentFailed", message=broken)
        return None
    for one in csv["spec"]["install"]["spec"].get("deployments") or ():
        template = one["spec"]["template"]["spec"]
        await make_account(ctx, csv, template.get("serviceAccountName"))
        await ctx.apply(deployment(csv, one))
    if not await is_available(ctx, csv):
        tell(csv, "Installing", "InstallSucceeded")
        return SOON
    tell(csv, "Succeeded", "InstallSucceeded")
    if replaced := csv["spec"].get("replaces"):
        with suppress(NotFoundError):
            await ctx.client.delete(CSV, replaced, namespace=csv.namespace)
    return None


async def entries_of(ctx: kw.Context, namespace: str, source: str) -> list[Object]:
    """Return the catalog that the pod at the address of a CatalogSource serves."""
    found = await ctx.client.find(SOURCE, source, namespace=namespace)
    spec: Object = found["spec"] if found is not None else {}
    host = str(spec.get("address", "")).rpartition(":")[0]
    pods = await ctx.client.list(POD, namespace=namespace)
    serving = [one for one in pods if host and one["status"].get("podIP") == host]
    texts = [
        text
        for pod in serving
        for projected in pod["spec"]["volumes"][0]["projected"]["sources"]
        for text in (
            await ctx.client.get(MAP, projected["configMap"]["name"], namespace=namespace)
        )["data"].values()
    ]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def bundle_for(sub: kw.Unstructured, entries: list[Object], installed: str) -> Object | None:
    """Return the next version for a subscription, in its channel."""
    spec = sub["spec"]
    for one in entries:
        if one["schema"] != "olm.channel" or one["name"] != spec["channel"]:
            continue
        for edge in one["entries"]:
            if edge.get("replaces") == installed or (not installed and "replaces" not in edge):
                named = (other for other in entries if other["schema"] == "olm.bundle")
                return next(other for other in named if other["name"] == edge["name"])
    return None


def plan_for(sub: kw.Unstructured, bundle: Object) -> Object:
    """Return a plan to install *bundle*, which somebody has to approve."""
    objects = [
        json.loads(base64.b64decode(one["value"]["data"]))
        for one in bundle["properties"]
        if one["type"] == "olm.bundle.object"
    ]
    objects.sort(key=lambda one: one["kind"] != "CustomResourceDefinition")
    held = base64.b64encode(json.dumps(objects).encode()).decode()
    return {
        "apiVersion": V1ALPHA1,
        "kind": "InstallPlan",
        "metadata": {
            "generateName": "install-",
            "namespace": sub.namespace,
            "annotations": {"objects": held, "package": sub["spec"]["name"]},
            "ownerReferences": [owner_of(sub)],
        },
        "spec": {
            "approval": "Manual",
            "approved": False,
            "clusterServiceVersionNames": [bundle["name"]],
        },
    }


async def missing_of(csv: kw.Unstructured, ctx: kw.Context) -> Any:
    """Yield the CRDs that a version needs and that are not there, as OLM's status lists them."""
    for name in definitions(csv):
        if await ctx.client.find(CRD, name) is None:
            yield {
                "group": "apiextensions.k8s.io", "version": "v1", "name": name,
                "kind": "CustomResourceDefinition", "status": "NotPresent",
                "message": "CRD is not present",
            }  # fmt: skip


def definitions(csv: kw.Unstructured) -> Iterator[str]:
    """Yield the names of the CRDs that a version owns or requires."""
    said = csv["spec"].get("customresourcedefinitions") or {}
    for key in ("owned", "required"):
        yield from (one["name"] for one in said.get(key) or ())


async def make_account(ctx: kw.Context, csv: kw.Unstructured, name: str | None) -> None:
    """Make the service account of a deployment."""
    if name:
        metadata = {"name": name, "namespace": csv.namespace}
        await ctx.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})


def deployment(csv: kw.Unstructured, said: Object) -> Object:
    """Return a deployment of a version."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": said["name"], "namespace": csv.namespace},
        "spec": said["spec"],
    }


async def is_available(ctx: kw.Context, csv: kw.Unstructured) -> bool:
    """Tell whether all deployments of a version run."""
    for one in csv["spec"]["install"]["spec"].get("deployments") or ():
        found = await ctx.client.find(DEPLOYMENT, one["name"], namespace=csv.namespace)
        status: Object = (found.get("status") if found is not None else None) or {}
        if status.get("availableReplicas", 0) < 1:
            return False
    return True


def tell(csv: kw.Unstructured, phase: str, reason: str, **more: object) -> None:
    """Write how far a version is."""
    csv["status"] = {"phase": phase, "reason": reason, "message": f"it is {phase}", **more}


def trouble(message: str) -> Object:
    """Return the condition of a subscription that leads nowhere."""
    return {
        "type": "ResolutionFailed", "status": "True", "reason": "ConstraintsNotSatisfiable",
        "message": message,
    }  # fmt: skip


def owner_of(found: kw.Unstructured) -> Object:
    """Return a reference to the owner of what is made for it."""
    return {
        "apiVersion": found["apiVersion"], "kind": found["kind"], "name": found.name,
        "uid": found.metadata.uid,
    }  # fmt: skip
