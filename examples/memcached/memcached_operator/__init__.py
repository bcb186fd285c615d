"""The operator memcached-operator."""
