"""The API group webapp.my.domain in version v1."""
