"""The contract of a hider, and the list of hiders by name.

A hider is a distribution over layouts: a pytree with one pure function,

    layouts(keys) -> (placements int16[N, K], tries int32[N])

that draws one layout per key. Each draw depends on its own key alone. `tries` counts the attempts
a draw took; 0 means that it gave up, and the caller reports that (`bsjax.hide.fit`).

To add one: write the module, decorate its constructor with `register`, import it in
`bsjax/hide/__init__.py`.
"""

import equinox as eqx
from jaxtyping import Array, Int16, Int32, Key

from bsjax.game.game import Game
