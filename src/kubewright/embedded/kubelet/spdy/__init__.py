"""SPDY/3.1, which ``kubectl`` before 1.31 speaks for exec, attach and port-forward."""
