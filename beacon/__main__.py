"""`python -m beacon` is `beacon`."""

from beacon.cli.main import main

if __name__ == "__main__":
    main()
