"""The operator, which controllers and webhooks add themselves to."""

import kubewright as kw

operator = kw.Operator("cnat")
