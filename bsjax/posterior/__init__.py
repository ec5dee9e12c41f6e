"""What the answers say about the fleet: placement density, and all layouts of small games."""
