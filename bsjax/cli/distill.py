"""`bsjax distill`: train a small network to play what a large player plays."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.options import (
    FeedbackFlag,
    FleetFlag,
    HiderFlag,
    JsonFlag,
    SeedFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
)
from bsjax.cli.players import judged, sentence, states_of
from bsjax.game.game import PRESETS, Game

if TYPE_CHECKING:
    from bsjax.learn.distill import Distilled
    from bsjax.learn.teachers import Taught

SMALL = {
    "3x3": Game((3, 3), (2, 2)),
    "4x4": Game((4, 4), (3, 3, 2)),
    "5x5": Game((5, 5), (3, 3, 2)),
}
"""Small boards by name, beside the named games."""
PLAYERS = Path("experiments/small_boards/players")
"""Where a checkout keeps the near-perfect players of the small boards."""
_LOCKSTEP = {"cpu": 128, "gpu": 4096}
"""Few games keep a core's cache warm, many keep a GPU busy."""
_LAUNCH = 8192
"""Lessons between two looks at the clock, about."""
_MIXED = 0.2
"""Share of the student's own games where a mixture teaches, who knows little of other games."""
_AT_ONCE = 1e-6
"""Share of the run after which all games are the student's where boards teach."""
_BUILT = 1000
"""Layouts up to which the graph of a game is built to judge a student."""


@app.command()
def distill(
    game: Annotated[
        str, typer.Option("--game", help=f"A named game: {', '.join([*PRESETS, *SMALL])}.")
    ] = "classic",
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    teacher: Annotated[
        str,
        typer.Option(
            help="A rule over a posterior, mixture (the player of a small board), the file of a "
            "player, recipes whose hunts were played again, or another hunter."
        ),
    ] = "probability",
    posterior: Annotated[
        str | None, typer.Option(help="Of a rule: exact, sample, enumerate or boards.")
    ] = None,
    draws: Annotated[int | None, typer.Option(help="Layouts drawn for sample; 1500.")] = None,
    hunts: Annotated[
        int | None, typer.Option(help="Single hunts that recipes or a policy teach; 64.")
    ] = None,
    together: Annotated[
        bool,
        typer.Option("--together", help="Of a player: teach the moves of all hunts together."),
    ] = False,
    explore: Annotated[
        int, typer.Option(help="New paths tried for the lottery of a player's student.", min=0)
    ] = 0,
    hider: HiderFlag = "uniform",
    network: Annotated[str, typer.Option(help="swift, tiny, small or base.")] = "tiny",
    bfloat16: Annotated[bool, typer.Option("--bfloat16", help="Blocks in bfloat16.")] = False,
    by: Annotated[str, typer.Option(help="Fire at the teacher's moves or the heat map.")] = "moves",
    turns: Annotated[bool, typer.Option("--turns", help="Show boards turned at random.")] = False,
    minutes: Annotated[float | None, typer.Option(help="Time to train; 10.")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps to train, in place of a time.")] = None,
    lockstep: Annotated[
        int | None,
        typer.Option(help=f"Lessons of a step; {_LOCKSTEP['cpu']}, {_LOCKSTEP['gpu']} on a GPU."),
    ] = None,
    rate: Annotated[float, typer.Option(help="Largest learning rate.")] = 3e-3,
    games: Annotated[int, typer.Option(help="Boards that both play at the end.")] = 2000,
    latents: Annotated[
        int, typer.Option(help="Hunts that a student who draws its moves is judged by.")
    ] = 2048,
    states: Annotated[
        Path | None, typer.Option(help="Folder of a graph that solve --graph --out built.")
    ] = None,
    seed: SeedFlag = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Train a network on what a teacher would do, and say how well both play."""
    rules = _game(game, size, fleet, touching, feedback)
    if out is None:
        raise ValueError("say where to keep the run and its hunter: --out DIR")
    if by not in ("moves", "heat"):
        raise ValueError(f"--by {by}: choose moves or heat")
    if minutes is not None and steps is not None:
        raise ValueError("say how long to train by --minutes or by --steps, not both")
    from bsjax.runtime import devices

    devices.use_all_cores()
    import jax

    from bsjax.learn.distill import distill as distilled_of
    from bsjax.learn.files import save_hunter
    from bsjax.learn.step import Settings
    from bsjax.learn.teachers import BOARDS, taught
    from bsjax.learn.train import Plan
    from bsjax.runtime.origin import origin

    found = taught(rules, _teacher(teacher, game), posterior, draws, hunts, together=together)
    if lockstep is None:
        lockstep = _LOCKSTEP["cpu" if jax.default_backend() == "cpu" else "gpu"]
    settings = Settings(network, bfloat16, lockstep, rate, seed=seed)
    if found.player is not None:
        settings = settings._replace(student=_MIXED)
    elif posterior == BOARDS:
        # A board knows itself: nobody else plays as the student should.
        settings = settings._replace(student=1.0, grown=_AT_ONCE)
    plan = Plan(minutes=10.0 if minutes is None and steps is None else minutes, steps=steps)
    plan = plan._replace(launch=max(_LAUNCH // max(lockstep, 1), 8))
    with interruptible("go on with --resume"):
        done = distilled_of(
            found,
            settings,
            plan,
            out,
            turns=turns,
            hider=hider,
            by=by,  # pyright: ignore[reportArgumentType]
            tried=explore,
            games=games,
            resume=resume,
            quiet=False,
        )
        told = done.measures | _exploited(found, done, latents, states)
    card = {"taught": found.told, "settings": settings._asdict(), "measures": told}
    file = out / "hunter.hunter"
    save_hunter(done.hunter, file, card | {"origin": origin(seed)})
    told["file"], told["bytes"] = str(file), file.stat().st_size
    print(json.dumps(told) if as_json else _report(told))


def _game(
    name: str, size: str | None, fleet: str | None, touching: str | None, feedback: str | None
) -> Game:
    """A small board, or a named game with the flags in place of its settings."""
    if name not in SMALL:
        return game_of(name, size, fleet, touching, feedback)
    if any(flag is not None for flag in (size, fleet, touching, feedback)):
        raise ValueError(f"--game {name} says the whole game; leave out the other flags of it")
    return SMALL[name]


def _teacher(name: str, game: str) -> str:
    """The file of the player that a mixture is, or the name itself."""
    if name != "mixture":
        return name
    path = PLAYERS / f"{game}.npz"
    if not path.exists():
        raise ValueError(
            f"{path} is missing: run from a checkout with --game {' or '.join(SMALL)}, or give the "
            f"file of a player that bsjax solve wrote"
        )
    return str(path)


def _exploited(
    found: "Taught", done: "Distilled", latents: int, states: Path | None
) -> dict[str, Any]:
    """What exact replies win against student and teacher, where there is a graph to say so."""
    from bsjax.learn.distill import players
    from bsjax.learn.teachers import listable
    from bsjax.posterior.listed import Listing

    game = done.hunter.game
    if states is None and not (
        game.feedback == "size" and listable(game) and len(Listing(game)) <= _BUILT
    ):
        return {}
    student, teacher = players(found, done.hunter, latents)
    graph = states_of(game, student.rule, states)
    paths = done.hunter.paths
    told = {"latents": latents if paths is None else len(paths)}
    told |= {"student": judged(graph, student)}
    return told if teacher is None else told | {"teacher": judged(graph, teacher)}


def _report(told: dict[str, Any]) -> str:
    """The measures for people."""
    pair, seen = told["paired"], told["mapped"]
    speed = told["positions_per_second"]
    lines = [
        f"{told['parameters']:,} parameters, {told['positions']:,} positions in {told['steps']:,} "
        f"steps{'' if speed is None else f' at {speed:,.0f} positions/s'}",
        f"student {pair['student']:.3f} shots, teacher {pair['teacher']:.3f} on the same "
        f"{pair['games']:,} boards: {pair['difference']:+.3f} ± {pair['se']:.3f}; "
        f"{pair['student_games_per_second']:,.0f} and {pair['teacher_games_per_second']:,.0f} "
        f"games/s",
        f"in {seen['positions']:,} positions of the student: {100 * seen['agree']:.1f}% of its "
        f"best cells are the teacher's, {100 * seen['overlap']:.1f}% of its moves; chance of a "
        f"ship off by {seen['error']:.4f} on average",
    ]
    for who in ("student", "teacher"):
        if who in told:
            by = f" ({told['latents']:,} hunts)" if who == "student" else ""
            lines.append(f"{who}{by}: {sentence(told[who])}")
    return "\n".join([*lines, f"wrote {told['file']}, {told['bytes']:,} bytes"])
