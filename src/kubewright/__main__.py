"""``python -m kubewright`` is the command ``kubewright``."""

try:
    from kubewright.cli import main
except KeyboardInterrupt:  # a tenth of a second in which Ctrl-C would print a stack of imports
    raise SystemExit(130) from None

__all__ = ["main"]

if __name__ == "__main__":
    main()
