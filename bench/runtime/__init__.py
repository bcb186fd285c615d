"""The runtime beside client-go and the Python peers: informers, queues, controllers, operators."""
