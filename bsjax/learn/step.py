"""One step of training: games, labels, gradients, averages, all inside one compiled program.

The games are split over the devices; the parameters are the same on all of them, and so is the
gradient, which is added up over all lessons. Buffers of the state are given away to the next state.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Array, Float32, Int32, PyTree

from bsjax.learn.lessons import Course, Losses, Slot, labelled, lessons, losses, opened, played_on
from bsjax.learn.network import SIZES, Network

AXIS = "games"
_WHOLE, _SPLIT = PartitionSpec(), PartitionSpec(AXIS)


class Settings(NamedTuple):
    """What decides how a network is trained, besides its teacher."""

    network: str = "tiny"
    """A name of `bsjax.learn.network.SIZES`."""
    bfloat16: bool = False
    games: int = 128
    """Games in lockstep, on all devices together: lessons of a step."""
    rate: float = 3e-3
    """Largest learning rate."""
    warm_up: float = 0.02
    """Share of the run in which the rate rises; then it falls to 0 as a cosine."""
    decay: float = 1e-4
    """Weight decay."""
    clip: float = 1.0
    """Largest norm of a gradient."""
    average: float = 0.999
    """Share of the averaged parameters that a step keeps."""
    heat: float = 1.0
    """Weight of the heat map beside the moves."""
    student: float = 0.5
    """Share of the games that the student fires, once it has grown."""
    grown: float = 0.3
    """Share of the run after which it has."""
    seed: int = 0


class State(NamedTuple):
    """All that a step needs and changes."""

    network: Network
    average: Network
    """Running mean of the parameters: the network that plays."""
    optimizer: PyTree
    slots: Slot
    step: Int32[Array, ""]


def initial(course: Course, settings: Settings, mesh: jax.sharding.Mesh) -> State:
    """Before the first step.

    Raises:
        ValueError: no such network, or the games do not split over the devices.
    """
    if settings.network not in SIZES:
        raise ValueError(f"no network {settings.network!r}; choose one of {', '.join(SIZES)}")
    if settings.games < mesh.size or settings.games % mesh.size:
        raise ValueError(f"{settings.games} games do not split over {mesh.size} devices")
    return placed(_initial(course, settings), mesh)


@functools.partial(jax.jit, static_argnames="settings")
def _initial(course: Course, settings: Settings) -> State:
    key = jax.random.fold_in(jax.random.key(settings.seed), 0)
    weights, games = jax.random.split(key)
    network = Network(weights, SIZES[settings.network], bfloat16=settings.bfloat16)
    return State(
        network=network,
        average=jax.tree.map(jnp.copy, network),
        optimizer=_optimizer(settings).init(network),
        slots=opened(course, games, jnp.int32(0), settings.games),
        step=jnp.int32(0),
    )


def placed(state: State, mesh: jax.sharding.Mesh) -> State:
    """The state on its devices."""
    where = _parts(NamedSharding(mesh, _WHOLE), NamedSharding(mesh, _SPLIT))
    # Copies: a step gives its buffers away.
    return jax.tree.map(
        lambda at, part: jax.tree.map(lambda x: jax.device_put(jnp.array(x), at), part),
        where,
        state,
        is_leaf=lambda x: isinstance(x, NamedSharding),
    )


@functools.partial(
    jax.jit, static_argnames=("settings", "steps", "mesh"), donate_argnames=("state",)
)
def advance(
    state: State,
    course: Course,
    total: Int32[Array, ""],
    *,
    settings: Settings,
    steps: int,
    mesh: jax.sharding.Mesh,
) -> tuple[State, Losses]:
    """Some steps of training.

    Args:
        state: given away.
        course: how the games are played.
        total: steps of the whole run, for the rate and the student's share.
        settings: of the run.
        steps: to take now.
        mesh: devices.

    Returns:
        The state after the last step, and the losses, added up over steps and devices.
    """

    def local(state: State, course: Course, total: Int32[Array, ""]) -> tuple[State, Losses]:
        def one(state: State, _: None) -> tuple[State, Losses]:
            return _step(state, course, total, settings)

        state, found = jax.lax.scan(one, state, length=steps)
        return state, jax.tree.map(lambda x: x.sum(0), found)

    specs = _parts(_WHOLE, _SPLIT)
    mapped = jax.shard_map(
        local,
        mesh=mesh,
        in_specs=(specs, _WHOLE, _WHOLE),
        out_specs=(specs, _WHOLE),
        check_vma=False,
    )
    return mapped(state, course, total)


def _step(
    state: State, course: Course, total: Int32[Array, ""], settings: Settings
) -> tuple[State, Losses]:
    """One step on one device; the first step of a run has the number 1."""
    count = len(state.slots.over)
    device = jax.lax.axis_index(AXIS)
    done = state.step.astype(jnp.float32) / total.astype(jnp.float32)
    key = jax.random.fold_in(jax.random.key(settings.seed), state.step + 1)
    own = jax.random.fold_in(jax.random.fold_in(key, 0), device)
    teaching, turning = jax.random.split(own)
    label, thoughts = labelled(course, teaching, state.slots)
    lesson = lessons(course, turning, state.slots, label)
    known = jax.lax.psum(label.known.sum(dtype=jnp.float32), AXIS)
    seen = jax.lax.psum(label.seen.sum(dtype=jnp.float32), AXIS)

    def loss(network: Network) -> tuple[Float32[Array, ""], tuple[Losses, Array]]:
        found, scores, _ = losses(network, course, lesson)
        moves, heat = found.moves / jnp.maximum(known, 1), found.heat / jnp.maximum(seen, 1)
        return moves + settings.heat * heat, (found, scores)

    slope, (found, scores) = jax.grad(loss, has_aux=True)(state.network)
    slope = jax.lax.psum(slope, AXIS)
    # optax mixes its step count with floats, which strict promotion (on in the tests) refuses.
    with jax.numpy_dtype_promotion("standard"):
        change, optimizer = _optimizer(settings).update(slope, state.optimizer, state.network)
    rate = settings.rate * _rate(done, settings)
    network = jax.tree.map(lambda p, c: p - rate * c, state.network, change)
    # A young average forgets its start quickly.
    number = state.step.astype(jnp.float32)
    keep = jnp.minimum(settings.average, (1 + number) / (10 + number))
    average = jax.tree.map(lambda a, p: keep * a + (1 - keep) * p, state.average, network)
    share = settings.student * jnp.minimum(done / settings.grown, 1.0)
    first = device * count
    slots = played_on(
        course, jax.random.fold_in(key, 1), state.slots, label, thoughts, scores, share, first
    )
    return State(network, average, optimizer, slots, state.step + 1), jax.lax.psum(found, AXIS)


def _parts(whole: Any, split: Any) -> State:
    """Of the parts of a state, which are the same on all devices and which are split."""
    return State(whole, whole, whole, split, whole)


def _optimizer(settings: Settings) -> Any:
    """Adam with clipped gradients and weight decay; the rate is multiplied later."""
    return optax.chain(
        optax.clip_by_global_norm(settings.clip),
        optax.scale_by_adam(b2=0.99),
        optax.add_decayed_weights(settings.decay),
    )


def _rate(done: Float32[Array, ""], settings: Settings) -> Float32[Array, ""]:
    """The learning rate over the largest one, after this share of the run."""
    rising = (done + 1e-4) / settings.warm_up
    falling = 0.5 * (1 + jnp.cos(jnp.pi * jnp.clip(done, 0.0, 1.0)))
    return jnp.minimum(rising, 1.0) * falling
