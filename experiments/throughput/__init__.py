"""How fast the hunters play, and how that grows with batch, board and devices."""
