"""`python -m ml4c` is the command `ml4c`."""

from ml4c.cli import main

if __name__ == "__main__":
    main()
