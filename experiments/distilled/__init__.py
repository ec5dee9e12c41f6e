"""A small network taught by strong players: as good, faster, and how hard to exploit."""
