"""Kinds of ``admissionregistration.k8s.io``: webhook configurations and CEL policies."""
