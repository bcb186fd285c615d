"""Who may do what: RBAC, its checks against escalation, and the reviews that ask about it."""
