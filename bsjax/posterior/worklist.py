"""The exact posterior inside a compiled program: the leaves of many games as one work list.

`bsjax.posterior.exact` cuts one posterior into leaves on the host, with all the time in the world.
A hunter that counts needs the same for a thousand games at once without leaving the device, and
their posteriors have between one and tens of thousands of leaves. So the partials of all games
(`bsjax.posterior.leaves`) lie on one stack and their leaves in one queue per group
(`bsjax.posterior.plan`), all of fixed lengths, and a loop does one of two things at a time:

* *grow*: take the topmost partials off the stack and place one more ship in each in all ways
  that agree with the history; the leaves among the results are queued, the others stacked;
* *count*: take a launch of leaves of one group, count them in closed form
  (`bsjax.posterior.closed_form`) and add the layouts of every placement to its game's account.

A full queue is counted first, so that a queue never overflows; the stack is popped from the top,
so that at most `grow` partials of each number of ships wait on it, besides the games themselves.

Counts are whole numbers, held in two words of base 2¹⁴ (`bsjax.posterior.whole`), so the order of
the leaves, and with it the size of a batch, changes nothing. With prior weights the layouts of a
leaf are float32, which are counted in units of 2⁻⁴⁴ of the most that the game's layouts can weigh,
Π_k Σ_p w_k(p) over the placements allowed to each ship; so they too are added up exactly.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32

from bsjax.game.game import Game
from bsjax.posterior.closed_form import matrices, terms
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.leaves import FREE
from bsjax.posterior.partials import (
    Partials,
    Sets,
    group_of,
    met,
    nothing,
    options_of,
    set_number,
    sets_of,
)
from bsjax.posterior.plan import Group, Plan
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import BASE_BITS, Whole, carried, split, truncated
from bsjax.posterior.words import member, unpack

_UNITS = 44
"""Binary digits of the weight of all layouts of a game."""
_ROUNDING = 3e-6
"""Float32 weights below this share of the terms they are formed from count as 0."""


class Sizes(NamedTuple):
    """Static sizes; they change the speed, not the counts."""

    launch: int
    """Leaves counted at once."""
    grow: int
    """Partials made at once; at least the placements of any ship, and all through any cell."""
    pop: int
    """Partials grown at once."""
    read: int
    """Observations read at once; few stay in a processor's cache."""


CPU = Sizes(launch=128, grow=1024, pop=128, read=8)
ACCELERATOR = Sizes(launch=4096, grow=16384, pop=4096, read=65536)


class _Prior(NamedTuple):
    """Weights of placements, and their scale."""

    weights: Float32[Array, " G1"]
    exponent: Int32[Array, " B"]
    """Power of two of each game."""


class _Work(NamedTuple):
    """Everything that changes."""

    stack: Partials
    stacked: Int32[Array, ""]
    queue: Partials
    """The queues of all groups, one after the other."""
    queued: Int32[Array, " Q"]
    launches: Int32[Array, ""]
    """Launches counted so far."""
    account: Whole
    """Layouts of every placement, [B, G + 1], in units of each game. Free ships are stated for the
    first ship of their class."""


def layouts(
    game: Game,
    evidence: Evidence,
    plan: Plan,
    sizes: Sizes,
    weights: Float32[Array, " G1"] | None = None,
) -> tuple[Whole, Float32[Array, " B"]]:
    """Layouts that agree with B histories, by placement, and what one of them weighs.

    Args:
        game: the rules.
        evidence: of B games, a leading axis on every field.
        plan: groups of the game, with ships told apart unless their evidence and weights agree.
        sizes: lengths of launches and queues.
        weights: prior weight of every placement, 1 for "none"; None counts.

    Returns:
        Of every placement its layouts [B, G + 1], if those of interchangeable ships are added up:
        single entries of theirs mean nothing. Each class of m ships sums to m times the layouts
        left. The unit of each game is 1 without weights.

    Cost: 5 to 6 µs a leaf of the classic game on one CPU core.
    """
    table = tables(game)
    batch = evidence.allowed.shape[0]
    sets = sets_of(game, evidence)
    none, groups = table.start[-1], len(plan.groups)
    capacity = sizes.launch + sizes.grow
    stack = nothing(game, batch + (game.ships + 1) * sizes.grow)
    prior = None if weights is None else _Prior(weights, _exponent(game, evidence, weights))
    work = _Work(
        stack=stack._replace(owner=stack.owner.at[:batch].set(jnp.arange(batch, dtype=jnp.int32))),
        stacked=jnp.int32(batch),
        queue=nothing(game, groups * capacity),
        queued=jnp.zeros(groups, jnp.int32),
        launches=jnp.int32(0),
        account=Whole(*(jnp.zeros((batch, none + 1), jnp.int32) for _ in Whole._fields)),
    )

    def step(work: _Work) -> _Work:
        fullest = work.queued.argmax()
        full = (work.queued[fullest] >= sizes.launch) | (work.stacked == 0)
        branches = [lambda work: _grow(game, plan, sizes, sets, work)]
        branches += [
            lambda work, number=number: _count(game, plan, number, sizes, sets, prior, work)
            for number in range(groups)
        ]
        return jax.lax.switch(jnp.where(full, fullest.astype(jnp.int32) + 1, 0), branches, work)

    def unfinished(work: _Work) -> Bool[Array, ""]:
        return (work.stacked > 0) | (work.queued > 0).any()

    account = carried(*jax.lax.while_loop(unfinished, step, work).account)
    unit = jnp.ones(batch, jnp.float32)
    return account, unit if prior is None else jnp.ldexp(unit, -prior.exponent)


def _exponent(game: Game, evidence: Evidence, weights: Float32[Array, " G1"]) -> Int32[Array, " B"]:
    """Power of two by which the weights of each game are scaled to whole numbers."""
    start, allowed = tables(game).start, jnp.where(evidence.allowed, weights[None], 0.0)
    most = jnp.ones(len(allowed), jnp.float32)
    for ship in range(game.ships):
        most = most * allowed[:, start[ship] : start[ship + 1]].sum(1)
    # A game that no layout agrees with has 0; float32 ends at 2¹²⁷.
    return jnp.minimum(_UNITS - jnp.frexp(most)[1], 120).astype(jnp.int32)


def _grow(game: Game, plan: Plan, sizes: Sizes, sets: Sets, work: _Work) -> _Work:
    """Place one more ship in the topmost partials."""
    table = tables(game)
    row = work.stacked - 1 - jnp.arange(sizes.pop, dtype=jnp.int32)
    parent = jax.tree.map(lambda x: x[jnp.maximum(row, 0)], work.stack)
    options, choices, number = jax.vmap(lambda one: options_of(game, plan, sets, one))(parent)
    behind = jnp.cumsum(jnp.where(row >= 0, number, 0))
    taken = (row >= 0) & (behind <= sizes.grow)
    made = jnp.where(taken, behind, 0).max()

    index = jnp.arange(sizes.grow, dtype=jnp.int32)
    which = jnp.minimum(jnp.searchsorted(behind, index, side="right"), sizes.pop - 1)
    rank = index - (behind[which] - number[which])
    chosen = jax.vmap(lambda own, rank: member(game, own, rank))(options[which], rank)
    ship = jnp.asarray(table.ship)[chosen]
    some = (chosen < table.start[-1])[:, None]
    here = some & (jnp.arange(game.ships, dtype=jnp.int32)[None] == ship[:, None])
    child = Partials(
        parent.owner[which],
        jnp.where(here, chosen[:, None], parent.place[which]),
        parent.ways[which] * jnp.where(here, choices[which], 1).prod(1),
    )
    group = jax.vmap(lambda one: group_of(game, plan, sets, one))(child)
    groups = len(plan.groups)
    group = jnp.where(index < made, group, jnp.int16(groups))

    left = work.stacked - taken.sum(dtype=jnp.int32)
    inner = group == -1
    stack, stacked = _append(work.stack, child, left + _rank(inner), inner)
    capacity = sizes.launch + sizes.grow
    each = group[:, None] == jnp.arange(groups, dtype=jnp.int16)[None]
    at = work.queued + jnp.arange(groups, dtype=jnp.int32) * capacity
    at = jnp.where(each, jax.vmap(_rank, 1, 1)(each) + at[None], 0).sum(1)
    queue, _ = _append(work.queue, child, at, each.any(1))
    return work._replace(
        stack=stack,
        stacked=left + stacked,
        queue=queue,
        queued=work.queued + each.sum(0, dtype=jnp.int32),
    )


def _rank(chosen: Bool[Array, " N"]) -> Int32[Array, " N"]:
    """How many chosen rows come before each row."""
    return jnp.cumsum(chosen, dtype=jnp.int32) - chosen.astype(jnp.int32)


def _append(
    to: Partials, rows: Partials, at: Int32[Array, " N"], chosen: Bool[Array, " N"]
) -> tuple[Partials, Int32[Array, ""]]:
    """The chosen rows written where they belong, and how many."""
    at = jnp.where(chosen, at, len(to.owner))
    written = jax.tree.map(lambda old, new: old.at[at].set(new, mode="drop"), to, rows)
    return written, chosen.sum(dtype=jnp.int32)


def _count(
    game: Game,
    plan: Plan,
    number: int,
    sizes: Sizes,
    sets: Sets,
    prior: _Prior | None,
    work: _Work,
) -> _Work:
    """Count the last leaves of one queue."""
    table, group = tables(game), plan.groups[number]
    index = work.queued[number] - 1 - jnp.arange(sizes.launch, dtype=jnp.int32)
    row = number * (sizes.launch + sizes.grow) + jnp.maximum(index, 0)
    leaf = jax.tree.map(lambda x: x[row], work.queue)
    # Rows beyond the queue belong to no game.
    owner = jnp.where(index >= 0, leaf.owner, len(sets.allowed))
    waiting = leaf.place == table.start[-1]
    gone = jnp.asarray(plan.absent)[jax.vmap(set_number)(waiting)]
    left = sets.free[leaf.owner] & ~jax.vmap(lambda one: met(game, one))(leaf)
    f = []
    for k, ship in enumerate(group.ships):
        part = jax.vmap(lambda own, ship=ship: unpack(game, own, ship))(left) & ~gone[:, k, None]
        own = part.astype(jnp.float32)
        if prior is not None:
            own = own * prior.weights[table.start[ship] : table.start[ship + 1]][None]
        f.append(own)
    i, j, k = group.twins
    parts, total = _closed(game, group, (f[i], f[j], f[k]), gone, clear=prior is not None)

    def whole(part: Array) -> Whole:
        """Layouts, or their weights, of N leaves, with all names of their ships."""
        part = part.reshape(sizes.launch, -1)
        if prior is None:
            return split(part.astype(jnp.int32) * leaf.ways[:, None])
        factor = leaf.ways.astype(jnp.float32) * prior.weights[leaf.place].prod(1)
        return truncated(jnp.ldexp(part * factor[:, None], prior.exponent[leaf.owner][:, None]))

    account = work.account
    for part, ship in zip(parts, group.ships, strict=True):
        account = jax.tree.map(partial(_add, owner, table.start[ship]), account, whole(part))
    column = jnp.where(waiting, table.start[-1] + 1, leaf.place)
    account = jax.tree.map(
        lambda own, more: own.at[owner[:, None], column].add(more, mode="drop"),
        account,
        jax.tree.map(lambda word: jnp.broadcast_to(word, column.shape), whole(total)),
    )
    launches = work.launches + 1
    # A leaf adds at most three numbers below 2¹⁴ to one low word.
    often = max((1 << (29 - BASE_BITS)) // (4 * sizes.launch), 1)
    full = launches % often == 0
    account = jax.lax.cond(full, lambda own: carried(*own), lambda own: own, account)
    queued = work.queued.at[number].set(jnp.maximum(work.queued[number] - sizes.launch, 0))
    return work._replace(queued=queued, launches=launches, account=account)


def _closed(
    game: Game,
    group: Group,
    f: tuple[Array, Array, Array],
    gone: Bool[Array, "N 3"],
    *,
    clear: bool,
) -> tuple[list[Float32[Array, "N _"]], Array]:
    """f·D of the three ships, and F, of N leaves."""
    i, j, k = group.ships
    lengths = game.fleet[i], game.fleet[j], game.fleet[k]
    m = jax.tree.map(jnp.asarray, matrices(game, lengths, group.twins))
    a, b, c = (gone[:, k, None].astype(jnp.float32) for k in range(FREE))
    # The default precision of an accelerator would round the entries to 11 bits.
    with jax.default_matmul_precision("highest"):
        found = terms(jnp, f, (a, b, c), group.twins, m)
    parts = []
    for k in range(FREE):
        derivative = found.constant[k] + found.rest[k]
        if clear:
            i, j = (found.number[other] for other in range(FREE) if other != k)
            derivative = jnp.where(derivative > _ROUNDING * i * j, derivative, 0)
        parts.append(f[k] * derivative)
    if clear:
        # All placements of a ship that is there sum to F, and F is 1 where none is.
        sums = jnp.stack([part.sum(1) for part in parts], 1)
        return parts, jnp.where(gone.all(1), 1, sums.max(1))
    # Beyond 2²⁴ a product is exact only as a whole number.
    total = found.number[0].astype(jnp.int32) * found.constant[0].astype(jnp.int32)
    rest = (f[0] * found.rest[0]).astype(jnp.int32).sum(1)
    return parts, total[:, 0] + rest


def _add(owner: Int32[Array, " N"], start: int, account: Array, more: Array) -> Array:
    """Add words of N leaves to the accounts of their games, from a placement on."""
    at = jnp.stack([owner, jnp.full_like(owner, start)], 1)
    rows = jax.lax.ScatterDimensionNumbers((1,), (0,), (0, 1))
    return jax.lax.scatter_add(account, at, more, rows, mode=jax.lax.GatherScatterMode.FILL_OR_DROP)
