"""`python -m signoff.app`: the same as the command `signoff`."""

from .cli.main import main

if __name__ == "__main__":
    main()
