"""The kind Guestbook, in version v1."""

import kubewright as kw


class GuestbookSpec(kw.Model):
    """What users want."""

    foo: str | None = None
    """An example of a field. This text is its description in the CRD, for kubectl explain."""


class GuestbookStatus(kw.Model):
    """What the operator has found."""

    observed_generation: int | None = None
    """The generation of the spec that was reconciled last."""

    conditions: kw.Conditions = []
    """How it is: one condition for each question, such as Ready."""


@kw.resource(
    group="webapp.my.domain",
    version="v1",
    columns=[
        kw.Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        kw.Column("Age", ".metadata.creationTimestamp", type="date"),
    ],
)
class Guestbook(kw.Resource):
    """What a Guestbook is, in a sentence for those who use it."""

    spec: GuestbookSpec = kw.field(default_factory=GuestbookSpec)
    status: GuestbookStatus = kw.field(default_factory=GuestbookStatus)
