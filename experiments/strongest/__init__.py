"""The strongest strategy: self-play on three ships, and the rewind on the classic board."""
