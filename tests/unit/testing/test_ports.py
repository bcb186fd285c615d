"""Ports for servers that must know theirs before they start."""

import socket

from kubewright.testing.ports import free_ports


def test_ports_are_different_and_can_be_bound() -> None:
    """Two servers that got one port would fail in every hundredth run."""
    ports = free_ports(20)

    assert len(set(ports)) == 20
    for port in ports:
        with socket.socket() as server:
            server.bind(("127.0.0.1", port))


def test_none_are_none() -> None:
    """A list of servers may be empty."""
    assert free_ports(0) == []
