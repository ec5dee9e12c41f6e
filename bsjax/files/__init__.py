"""Files people have: boards drawn or listed, and shot logs. Plain Python, nothing is compiled."""

from bsjax.files.boards import BoardFormat as BoardFormat
from bsjax.files.boards import read_boards as read_boards
from bsjax.files.boards import write_board_text as write_board_text
from bsjax.files.shots import read_shots as read_shots

__all__ = ["BoardFormat", "read_boards", "read_shots", "write_board_text"]
