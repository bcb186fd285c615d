"""The API group collector.ip.my.domain in version v1."""
