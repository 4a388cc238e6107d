"""`python -m wordworth`."""

from wordworth.cli import main

main()
