"""Helm charts as operators, beside the program helm."""
