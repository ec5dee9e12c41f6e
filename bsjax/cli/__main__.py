"""`python -m bsjax.cli`: the command line without an installed script."""

from bsjax.cli import main

main()
