"""Who is asking: tokens, certificates, service accounts, and those who act for others."""
