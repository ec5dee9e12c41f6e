"""Machinery that knows nothing of the game: lockstep, random streams, devices, run folders."""
