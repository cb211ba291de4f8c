"""`python -m divulge` is the command line."""

from divulge.cli import main

main()
