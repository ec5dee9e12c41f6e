"""Hiders: distributions over layouts, by name in a registry."""

from bsjax.hide import habit as habit
from bsjax.hide import ship_by_ship as ship_by_ship
from bsjax.hide import uniform as uniform
from bsjax.hide.base import Hider as Hider
from bsjax.hide.base import Placed as Placed
from bsjax.hide.base import boards as boards
from bsjax.hide.base import describe as describe
from bsjax.hide.base import make as make
from bsjax.hide.base import names as names
from bsjax.hide.base import register as register
from bsjax.hide.habit import Habit as Habit
from bsjax.hide.listed import Listed as Listed
from bsjax.hide.listed import layouts_of as layouts_of
