"""Runs of Ansible as processes of their own, none of which outlives the operator."""
