"""The rules of one game: size, fleet, placements, symmetry, histories and observations."""
