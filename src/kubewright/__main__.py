"""``python -m kubewright`` is the command ``kubewright``."""

from kubewright.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
