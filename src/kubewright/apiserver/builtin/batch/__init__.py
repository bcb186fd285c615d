"""Kinds of ``batch``: Jobs and CronJobs."""
