"""Entry point of `python -m peerjudge`."""

from peerjudge.cli import main

if __name__ == "__main__":
    main()
