"""Hunts that try cells out and the self-play loop: plain recursion, replay, resume, recipes."""

import json
from functools import cache

import numpy as np
import pytest

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.front import fire, keep, opening
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import FEEDBACK, Game
from bsjax.posterior.listed import Listing
from bsjax.posterior.masses import Block
from bsjax.solve.best_reply import finishing
from bsjax.solve.by_trial import SHARE, ByTrial, Style
from bsjax.solve.exploit import exploited
from bsjax.solve.hunts import ByCells, Writing
from bsjax.solve.knowledge import build
from bsjax.solve.recipes import digest, play
from bsjax.solve.self_play import SelfPlay
from bsjax.solve.self_play_settings import Settings, styled
from bsjax.solve.tables import classes

GAME = Game((3, 3), (2, 2))
LISTING = Listing(GAME)
SMALL = Settings(hunts=4, tried=4, pool=60)
SPARSE = Settings(hunts=4, trying=0.5, pool=12, snapshot=3)


class Plain:
    """The same hunt by plain recursion over sets of layouts."""

    def __init__(self, belief, credit, style):
        self.belief, self.credit, self.style = belief, credit, style
        self.boards = LISTING.boards()

    def answer(self, row, fired, cell):
        ship = self.boards[row, cell]
        if ship < 0:
            return "miss"
        cells = set(np.flatnonzero(self.boards[row] == ship).tolist())
        return len(cells) if cells <= {*fired, cell} else "hit"

    def parts(self, rows, fired, cell):
        found = {}
        for row in rows:
            found.setdefault(self.answer(row, fired, cell), []).append(row)
        return found

    def score(self, rows, fired):
        total = sum(self.belief[row] for row in rows)
        score = np.zeros(GAME.cells)
        for cell in set(range(GAME.cells)) - set(fired):
            parts = self.parts(rows, fired, cell)
            shares = [sum(self.belief[row] for row in part) / total for part in parts.values()]
            hit = sum(s for s, told in zip(shares, parts, strict=True) if told != "miss")
            if hit > 0:
                gain = 1 - sum(s * s for s in shares)
                score[cell] = (1 - self.style.information) * hit + self.style.information * gain
        return score

    def quick(self, rows, fired):
        return int(self.score(rows, fired).argmax())

    def tries(self, rows, fired):
        """The cells tried at a node, and what each is worth."""
        score = self.score(rows, fired)
        cells = sorted(range(GAME.cells), key=lambda c: (-score[c], c))[: self.style.tried]
        cells = [c for c in cells if score[c] >= SHARE * score.max()]
        return {c: self.worth(rows, fired, c) for c in cells}

    def worth(self, rows, fired, cell):
        shots = {}
        self.play(rows, fired, self.quick, shots, cell)
        return sum(self.belief[row] * self.credit[shots[row]] for row in rows)

    def tried(self, rows, fired):
        if not fired:
            return self.style.first
        if self.style.tried < 2 or len(rows) < 3:
            return self.quick(rows, fired)
        worth = self.tries(rows, fired)
        return max(worth, key=worth.__getitem__)

    def play(self, rows, fired, choose, shots, cell=None):
        """Shots on each of these layouts, whose fired cells are all answered alike."""
        if cell is None:
            left = set(np.flatnonzero(self.boards[rows[0]] >= 0).tolist()) - set(fired)
            if len(rows) == 1 or not left:
                shots.update(dict.fromkeys(rows, len(fired) + len(left)))
                return
            cell = choose(rows, fired)
        for part in self.parts(rows, fired, cell).values():
            self.play(part, [*fired, cell], choose, shots)


def told(seed):
    """A belief of whole numbers, and falling credit in multiples of 2⁻²⁰."""
    rng = np.random.default_rng(seed)
    belief = rng.integers(100, 10_000, len(LISTING)).astype(np.float64)
    credit = np.sort(rng.integers(1 << 20, size=GAME.cells + 1))[::-1] / (1 << 20)
    return belief, credit


@pytest.mark.parametrize("style", [Style(4, 0.0, 1), Style(0, 0.0, 4), Style(1, 0.4, 3)])
def test_trials_equal_plain_recursion(style):
    belief, credit = told(11)
    plain, shots = Plain(belief, credit, style), {}
    plain.play(range(len(LISTING)), [], plain.tried, shots)
    hunt = Writing(ByTrial(LISTING, belief, credit, style))
    found = evaluate(LISTING, hunt)
    assert found.shots.tolist() == [shots[row] for row in range(len(LISTING))]
    assert (evaluate(LISTING, ByCells(hunt.written())).shots == found.shots).all()


def test_a_trial_is_worth_what_the_quick_hunt_gets():
    belief, credit = told(5)
    style = Style(4, 0.2, 9)
    hunt, plain = ByTrial(LISTING, belief, credit, style), Plain(belief, credit, style)
    front = opening(LISTING, LISTING.everything(belief))
    front = fire(LISTING, front, hunt.cells(front)).front
    front = keep(front, np.ones(len(front.open), bool))
    hunt.fired += 1
    node = np.repeat(np.arange(len(front.open)), 3)
    cell = np.tile(np.array([0, 1, 5], np.int16), len(front.open))
    # What was found the first time is looked up the second.
    for worth in (hunt.trial(front, node, cell), hunt.trial(front, node, cell)):
        for value, at, fired in zip(worth, node, cell, strict=True):
            rows = front.left.row[front.start[at] : front.start[at + 1]].tolist()
            assert value == plain.worth(rows, [4], int(fired))


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_a_quick_hunt_tells_answers_apart(feedback):
    game = Game((4, 3), (3, 2), feedback=feedback)
    listing, rng = Listing(game), np.random.default_rng(2)
    belief = rng.integers(100, 10_000, len(listing)).astype(np.float64)
    hunt = ByTrial(listing, belief, race_credit(np.full(13, 1 / 13)), Style(5, 0.4, 1))
    front = opening(listing, listing.everything())
    front = fire(listing, front, hunt.cells(front)).front
    cells, weight = hunt.cells(front), front.left.weight
    assert weight is None
    for node, (_, block) in zip(range(len(cells)), one_by_one(listing, front, belief), strict=True):
        ship, total = block.ship[0], block.total[0]
        gain = 1 - block.squares[0] / total**2
        score = np.where(ship > 0, 0.6 * ship / total + 0.4 * gain, 0)
        assert score[cells[node]] == pytest.approx(score.max(), rel=1e-12)


def one_by_one(listing, front, belief):
    """The nodes of a front as blocks of one, weighted."""
    left = front.left._replace(weight=belief[front.left.row])
    for node in range(len(front.open)):
        rows = slice(front.start[node], front.start[node + 1])
        none = np.zeros(rows.stop - rows.start, np.int64)
        yield node, Block(listing, left.part(rows), none, front.open[node : node + 1])


@cache
def played():
    run = SelfPlay(GAME, SMALL)
    run.play(40)
    return run


def test_the_mixture_is_what_its_hunts_play():
    player = played().player()
    assert player.weights.sum() == pytest.approx(1)
    assert (player.weights > 0).all()
    assert player.hider.sum() == pytest.approx(1)
    assert player.hider == pytest.approx(player.hider[classes(GAME).row[classes(GAME).of]])
    total = 0
    for weight, cells in zip(player.weights, player.hunts, strict=True):
        total = total + weight * finishing(LISTING, evaluate(LISTING, ByCells(cells)).shots)
    assert player.finishing == pytest.approx(total, abs=1e-12)
    last = played().log[-1]
    own = player.finishing @ race_credit(player.pace)
    assert last.worst == pytest.approx(own.min(), abs=1e-12)
    assert last.used == len(player.hunts)


def test_it_becomes_strong():
    log, player = played().log, played().player()
    assert log[0].worst < 0.45
    assert log[-1].worst > 0.49
    found = exploited(build(GAME, "all"), player)
    assert found.hunt < 0.55
    assert found.hide < 0.51


def test_a_run_goes_on_with_the_same_bits(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"

    def run(folder, marks):
        found = []
        for number in marks:
            found = [SelfPlay(GAME, SMALL, out=folder, resume=folder.exists())]
            found[0].play(number)
            found[0].close()
        return found

    runs = [*run(whole, (6,)), *run(parts, (2, 3, 6)), SelfPlay(GAME, SMALL)]
    runs[-1].play(6)
    for other in runs[1:]:
        assert other.log == runs[0].log
        for a, b in zip(other.player()[2:5], runs[0].player()[2:5], strict=True):
            assert (a == b).all()
        for a, b in zip(other.player().hunts, runs[0].player().hunts, strict=True):
            assert (a == b).all()
    for name in ("checkpoint.json", "result.json"):
        assert (whole / name).read_bytes() == (parts / name).read_bytes()
    assert sorted(p.name for p in whole.iterdir()) == sorted(p.name for p in parts.iterdir())


def test_a_round_that_was_cut_short_is_played_again(tmp_path, monkeypatch):
    run = SelfPlay(GAME, SPARSE, out=tmp_path)
    run.play(4)
    # The hunts of round 5 are on the shelf, its checkpoint is not.
    monkeypatch.setattr(SelfPlay, "_save", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.play(5)
    run.close()
    monkeypatch.undo()
    again, whole = SelfPlay(GAME, SPARSE, out=tmp_path, resume=True), SelfPlay(GAME, SPARSE)
    again.play(8)
    whole.play(8)
    again.close()
    assert again.log == whole.log


def test_workers_change_nothing():
    runs = [SelfPlay(GAME, SMALL, workers=workers) for workers in (1, 2)]
    for run in runs:
        run.play(2)
        run.close()
    assert runs[0].log == runs[1].log
    with pytest.raises(ValueError, match="0 workers: at least one is needed"):
        SelfPlay(GAME, SMALL, workers=0)


def test_a_run_that_knows_some_classes_hides_there_alone(tmp_path):
    size = classes(GAME).size
    known = np.arange(len(size)) % 3 == 0
    some = SelfPlay(GAME, SMALL, known=known)
    assert some.hider == pytest.approx(known * size / (known * size).sum())
    some.play(12)
    assert (some.hider[~known] == 0).all()
    assert some.hider.sum() == pytest.approx(1)
    # What it thinks of itself is of the classes it knows, the truth is of all.
    last = some.log[-1]
    credit = race_credit(some.player().pace)
    won = some.pool.won(credit)
    assert last.worst == pytest.approx(won.min(), abs=1e-12)
    assert won[known].min() > won.min() + 0.05
    assert (some.known == known).all()

    learning = SelfPlay(GAME, SMALL._replace(added=2), out=tmp_path, known=known)
    learning.play(3)
    learning.close()
    assert learning.known.sum() == min(known.sum() + 6, len(size))
    again = SelfPlay(GAME, SMALL._replace(added=2), out=tmp_path, known=known, resume=True)
    assert (again.known == learning.known).all()
    assert again.seconds == learning.seconds > 0
    again.close()
    with pytest.raises(ValueError, match="holds another run: known was"):
        SelfPlay(GAME, SMALL._replace(added=2), out=tmp_path, known=~known, resume=True)
    with pytest.raises(ValueError, match="step 40: take more than 0, up to 31"):
        SelfPlay(GAME, SMALL._replace(step=40.0))
    with pytest.raises(ValueError, match="give a flag for each of"):
        SelfPlay(GAME, SMALL, known=np.zeros(len(size), bool))


@pytest.mark.parametrize(
    ("some", "hunts", "rounds"), [(False, 4, 4), (True, 4, 4), (False, 4, 18), (False, 1, 1)]
)
def test_the_hider_prefers_layouts_on_which_the_mixture_does_badly(some, hunts, rounds):
    kinds = classes(GAME)
    known = np.arange(len(kinds.size)) % 3 == 0 if some else np.ones(len(kinds.size), bool)
    run = SelfPlay(GAME, SMALL._replace(sharpness=7.0, hunts=hunts), known=known)
    run.play(rounds - 1)
    hider, credit = run.hider, race_credit(run.pace)
    run.play(rounds)
    # The finishing times of the mixture, and from them layout by layout how he hides.
    times = np.zeros((len(kinds.size), GAME.cells + 1))
    for share, hunt in zip(run.pool.share, range(len(run.pool.share)), strict=True):
        times += share * run.pool.part(np.array([hunt])).times(GAME.cells, np.ones(1))
    won = times @ credit
    sharp = 7 * max(1, rounds / 15)
    liked = np.array([n * np.exp(-sharp * w) for n, w in zip(kinds.size, won, strict=True)]) * known
    # From the hunts on that are a quarter of the classes, the hider of the matrix game joins in.
    exact = max(0, 1 - known.sum() / (4 * hunts * rounds))
    assert (exact == 0) == (hunts == 1)
    rows = exact * run._likely + (1 - exact) * liked / liked.sum()
    step = 3 / (rounds + 30)
    assert run.hider == pytest.approx((1 - step) * hider + step * rows, abs=1e-7)
    # The matrix game's own hider leaves most classes out.
    sharp = SelfPlay(GAME, SMALL._replace(sharpness=0.0, step=31.0), known=known)
    sharp.play(1)
    assert 0 < (sharp.hider > 0).sum() < known.sum()
    for bad in (-1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match=r"sharpness .*: take a number, 0 or more"):
            SelfPlay(GAME, SMALL._replace(sharpness=bad))


def test_hunts_try_cells_out_from_the_round_that_is_asked_for():
    later = SMALL._replace(hunts=20, trying=0.5, quick=2)
    for number in range(4):
        tried = [recipe.style.tried for recipe in styled(later, GAME, number)]
        assert set(tried) == ({1} if number < 2 else {1, 4})
        # The hunts are the same but for that.
        never = styled(later._replace(trying=0.0), GAME, number)
        assert [recipe._replace(style=None) for recipe in never] == [
            recipe._replace(style=None) for recipe in styled(later, GAME, number)
        ]


def test_fewer_hunts_say_what_they_come_to():
    found = played().reduced(5)
    recipes = found.recipes
    assert 0 < len(recipes.recipes) <= 5
    assert recipes.weights.sum() == pytest.approx(1)
    hunts = [play(recipes.job(n)) for n in range(len(recipes.recipes))]
    assert (np.stack([digest(hunt) for hunt in hunts]) == recipes.digests).all()
    row = classes(GAME).row
    finished = [finishing(LISTING, hunt.shots.astype(np.int16)) for hunt in hunts]
    times = np.tensordot(recipes.weights, np.stack(finished), 1)[row]
    own = played().hider @ times
    assert found.worst == pytest.approx((times @ race_credit(own / own.sum())).min(), abs=1e-12)
    shots = times @ np.arange(GAME.cells + 1)
    assert found.mean == pytest.approx(played().hider @ shots)
    assert found.slowest == pytest.approx(shots.max())
    assert found.worst > 0.45


def test_faults_are_said_in_one_line(tmp_path):
    run = SelfPlay(GAME, SMALL, out=tmp_path)
    run.play(1)
    run.close()
    with pytest.raises(ValueError, match="another run: seed was 0, now 1"):
        SelfPlay(GAME, SMALL._replace(seed=1), out=tmp_path, resume=True)
    old = tmp_path / "old"
    old.mkdir()
    told = json.loads((tmp_path / "settings.json").read_text())
    del told["version"]
    (old / "settings.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match="holds another run: version was None, now 4; choose"):
        SelfPlay(GAME, SMALL, out=old, resume=True)
    for file in tmp_path.glob("hunts_*"):
        file.unlink()
    with pytest.raises(ValueError, match="is missing; start in a new folder"):
        SelfPlay(GAME, SMALL, out=tmp_path, resume=True)
