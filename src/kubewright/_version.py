"""The version of this package, where no metadata of installed packages has to be read for it."""

VERSION: str = "0.1.0.dev0"
