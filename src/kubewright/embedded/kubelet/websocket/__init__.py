"""Websockets, and the channels of Kubernetes inside of them."""
