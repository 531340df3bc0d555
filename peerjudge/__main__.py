"""Lets `python -m peerjudge` do what `peerjudge` does."""

from peerjudge.cli import main

if __name__ == "__main__":
    main()
