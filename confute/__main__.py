"""`python -m confute` is the command line."""

from confute.cli import main

main()
