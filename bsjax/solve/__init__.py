"""Small games solved: states of knowledge, the exact best reply and the hunt it implies."""
