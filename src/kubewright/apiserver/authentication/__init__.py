"""Authentication: tokens, certificates, service accounts, and impersonation."""
