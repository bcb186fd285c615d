"""The commands of projects without code, whose kinds are installed by helm charts."""
