"""The tables of the write-up on small boards in Markdown, beside the published figures."""

from collections.abc import Callable
from typing import Any

from figures.notebook_tables import table
from figures.script import Results, Text, claim, main
from figures.small_boards_flatness import PLAYER, by_name
from figures.small_boards_loop import exact_player

STATES = {"states": 180_655_921, "moves": 659_136_493, "edges": 1_514_813_047}
"""Published sizes of the graph of 5×5."""
LAYERS = 26
FEWEST: dict[tuple[str, str, str], float] = {
    ("3×3", "{2}", "all"): 4.5,
    ("3×3", "{2,2}", "finish"): 275 / 44,
    ("3×3", "{2,2}", "all"): 275 / 44,
    ("4×4", "{3}", "all"): 5.625,
    ("4×4", "{2,2}", "all"): 8.669643,
    ("4×4", "{3,2}", "all"): 8.753788,
    ("5×4", "{3}", "all"): 6.227273,
    ("4×4", "{3,3,2}", "finish"): 8900 / 804,
    ("4×4", "{3,3,2}", "all"): 8894 / 804,
    ("5×5", "{3,3,2}", "finish"): 13.80975,
}
"""Known fewest expected shots against a uniform hider."""
MOVES = {"finish": "finish what you hit", "all": "all"}
CELLS = {
    "3x3": {"corner": 0, "edge middle": 1, "centre": 4},
    "4x4": {"corner": 0, "edge": 1, "inner": 5},
    "5x5": {"corner": 0, "edge middle": 2, "centre": 12},
}
OPENINGS = {
    "5x5": {
        "beside the centre": (7, 11, 13, 17),
        "on the centre": (12,),
        "on an edge middle": (2, 10, 14, 22),
    }
}
"""Cells of the first shot, of the hunts that can be replayed."""
ROUNDS = (10, 30, 60, 100, 150, 300, 600, 1000, 1800)
"""Rounds of self-play that are told, or those next to them."""
MEASURES = {
    "head_to_head": "Head-to-head %",
    "worst": "Worst layout %",
    "both_adversarial": "Both adversarial %",
    "shots": "Shots",
    "shots_uniform": "Shots, uniform hider",
    "slowest": "Slowest layout",
}
SIGNALS = {
    "nothing": "nothing",
    "ships_hit": "which ships are hit",
    "memoryless": "which ships are hit, memoryless",
    "hits_counted": "hits ship by ship",
    "place": "where you hid",
    "place_ships_hit": "where you hid, which ships are hit",
    "place_hits_counted": "where you hid, hits ship by ship",
    "shots_seen": "every shot of the opponent",
    "place_shots_seen": "where you hid, every shot",
    "ceiling": "the shot at which you lose (ceiling)",
}
ORDERS = {"together": "Same round", "seats": "Seat known", "turns": "In turns"}
BESIDE = {
    "base_above_half": "Best reply without context above 50%",
    "ships_hit": "Which ships are hit",
    "memoryless_keeps": "Share of it that a memoryless hunt keeps",
    "hits_counted_adds": "Hits ship by ship add",
    "place": "Where you hid",
    "place_chosen": "Where you hid, and choosing it",
    "place_ships_hit": "Where you hid, and which ships are hit",
    "place_shots_seen": "Where you hid, and every shot of the opponent",
    "ceiling": "Ceiling",
    "seats": "Seat known",
    "turns_place_ships_hit": "In turns: where you hid, which ships are hit",
    "seated_ceiling": "Ceiling, seat known",
    "widest_deadline": "Widest gap to a deadline",
    "widest_deadline_shots": "At shot",
}
AVERAGES = {
    "lottery": "lottery over rounds",
    "all pasts": "dice by state, all ways to it",
    "one past": "dice by state, one way to it",
    "mean dice": "mean of the dice",
    "last round": "last round",
}
REPLIES = ("worst", "hide", "hunt", "joint")

Sections = dict[str, Callable[[dict[str, dict[str, Any]]], str]]


def figure(results: Results) -> Text:
    parts = (
        "graphs",
        "players",
        "player_5x5",
        "rules",
        "self_play",
        "context",
        "context_5x5",
        "regret",
    )
    told = {name: results.read(name) for name in parts}
    told["player_5x5"] = {"5x5": exact_player(results)}
    sections: Sections = {
        "State graphs": graphs,
        "Near-perfect players": players,
        "Hand-written rules": rules,
        "Self-play": self_play,
        "Context": context,
        "CFR⁺": regret,
    }
    text = "# Battleship on 5×5 and smaller boards\n"
    for title, section in sections.items():
        text += f"\n## {title}\n\n{section(told)}"
    return Text(text)


def graphs(told: dict[str, dict[str, Any]]) -> str:
    rows, layers, found = [], "", set()
    for one in told["graphs"]["graphs"]:
        board, fleet = named(one)
        key = board, fleet, one["rule"]
        found.add(key)
        known = FEWEST[key]
        claim(abs(one["fewest_shots"] - known) < 1e-6, f"fewest shots of {' '.join(key)}: {known}")
        if board == "5×5":
            for what, number in STATES.items():
                claim(one[what] == number, f"5×5: {number:,} {what}")
            claim(len(one["layers"]) == LAYERS, f"5×5: {LAYERS} layers")
            layers = ", ".join(f"{states:,}" for states in one["layers"])
        built = one["seconds_to_build"]
        rows.append(
            [
                board,
                fleet,
                MOVES[one["rule"]],
                f"{one['layouts']:,}",
                *(f"{one[what]:,}" for what in STATES),
                f"{one['fewest_shots']:.6f}",
                f"{one['fewest_shots_of_all']:,}/{one['layouts']:,}",
                "kept" if built is None else f"{built:,.1f}",
                f"{one['seconds_a_pass']:,.1f}",
                f"{one['peak_bytes_so_far'] / 2**30:.1f}",
            ]
        )
    claim(found == set(FEWEST), "every board has its graph")
    head = ["Board", "Fleet", "Moves allowed", "Layouts", "States", "Moves", "Edges"]
    head += ["Fewest shots", "Exactly", "Build s", "Pass s", "Peak GiB"]
    return (
        table(head, rows, "lllrrrrrrrrr")
        + "\nFewest expected shots against a uniform hider; they are those of the write-up and of "
        "the reference values. Peak memory is that of the process so far, boards in this order. "
        "Published for 5×5: 10.5 minutes on 56 cores and about 100 GB to build, 6 to 8 seconds a "
        f"pass.\n\nStates of 5×5 by layer: {layers}.\n"
    )


def named(one: dict[str, Any]) -> tuple[str, str]:
    """Board and fleet as they are written."""
    return "×".join(map(str, one["size"])), f"{{{','.join(map(str, one['fleet']))}}}"


def players(told: dict[str, dict[str, Any]]) -> str:
    small = told["players"]
    boards = {"3x3": small["3x3"], "4x4": small["4x4"], "5x5": told["player_5x5"]["5x5"]}
    for name, one in boards.items():
        claim(one["worst"] <= 0.5 <= one["joint"], f"{name}: ½ lies between worst and joint")
    claim((boards["3x3"]["earliest"], boards["3x3"]["latest"]) == (4, 8), "3×3 ends in 4 to 8")
    gap = 100 * (boards["3x3"]["joint"] - 0.5)
    claim(gap < 0.3, "3×3: within 0.3 points")
    columns = {name: column(name, one) for name, one in boards.items()}
    others = {name: beside(one["published"]) for name, one in boards.items()}
    rows = []
    for label in dict.fromkeys(label for one in columns.values() for label in one):
        row = [label]
        for name in boards:
            row += [columns[name].get(label, ""), others[name].get(label, "")]
        rows.append(row)
    head = [""]
    for name in boards:
        head += [name.replace("x", "×"), "published"]
    return (
        table(head, rows, "lrrrrrr")
        + "\nGains of best replies are points above 50%; replies keep to the moves of the graph. "
        "Where the joint reply was not tried from every class of turned layouts, bounds show that "
        "no other class is better.\n"
    )


def column(name: str, one: dict[str, Any]) -> dict[str, str]:
    """What there is to say of a player."""
    ends = one["middle_80_by_layout"]
    return {
        "Shots": f"{one['mean_shots']:.2f}",
        "Shots by layout": f"{one['fewest_by_layout']:.2f} to {one['most_by_layout']:.2f}",
        "Middle 80% of layouts": f"{ends[0]:.2f} to {ends[1]:.2f}",
        "Games end at shot": f"{one['earliest']} to {one['latest']}",
        "Worst layout %": f"{100 * one['worst']:.2f}",
        "Joint reply gains": points(one["joint"]),
        "Layouts it was tried from": f"{one['tried']:,} of {one['classes']:,}",
        "Hunting reply gains": points(one["hunt"]),
        "Hiding reply gains": points(one["hide"]),
        **{
            f"Ship on a cell: {where} %": f"{100 * one['holds_a_ship'][cell]:.1f}"
            for where, cell in CELLS[name].items()
        },
        **{
            f"Opens {where} %": f"{100 * sum(one['opens'][cell] for cell in cells):.1f}"
            for where, cells in OPENINGS.get(name, {}).items()
        },
        "Rounds": f"{one['rounds'][-1]['round']:,}",
        "Hunts that can be replayed": f"{one['hunts']:,}",
    }


def points(rate: float) -> str:
    """Points above one half."""
    return f"{100 * (rate - 0.5):.2f}" if rate - 0.5 > 0.001 else f"{100 * (rate - 0.5):.3f}"


def beside(told: dict[str, Any]) -> dict[str, str]:
    """What is published of a player, under the labels of `column`."""
    labels = {
        "mean": "Shots",
        "worst": "Worst layout %",
        "joint_points": "Joint reply gains",
        "hunt_points": "Hunting reply gains",
        "hide_points": "Hiding reply gains",
        "rounds": "Rounds",
        "hunts": "Hunts that can be replayed",
        "corner_percent": "Ship on a cell: corner %",
        "edge_middle_percent": "Ship on a cell: edge middle %",
        "centre_percent": "Ship on a cell: centre %",
        "gap_points": "Joint reply gains",
        "first_beside_centre_percent": "Opens beside the centre %",
        "first_centre_percent": "Opens on the centre %",
        "first_edge_middle_percent": "Opens on an edge middle %",
    }
    found = {label: f"{told[name]:,}" for name, label in labels.items() if name in told}
    if "gap_points" in told:
        found["Joint reply gains"] = f"within {told['gap_points']}"
    if "joint" in told:
        found["Joint reply gains"] = f"{told['joint'] - 50:.2f}"
    if "fewest" in told:
        found["Games end at shot"] = f"{told['fewest']} to {told['most']}"
    if "fewest_by_layout" in told:
        found["Shots by layout"] = f"{told['fewest_by_layout']} to {told['most_by_layout']}"
    return found


def rules(told: dict[str, dict[str, Any]]) -> str:
    text = ""
    for name, board in by_name(told["rules"]).items():
        own = f"{PLAYER}: {board['player_shots']:.2f} shots, {board['player_worst']:.2f}% worst"
        rows, off, why = [], [], []
        for one in board["rules"]:
            rows.append([one["rule"], *(cell(one, what) for what in MEASURES), one["worst_on"]])
            if "reason" in one:
                why.append(f"{one['rule']}: {one['reason']}")
            for what, other in one["published"].items():
                if other["differs"]:
                    unit = "shots" if what in ("shots", "slowest") else "points"
                    measure = MEASURES[what].removesuffix(" %").lower()
                    off.append(f"{one['rule']}, {measure}: {other['off']:+.2f} {unit}")
        head = ["Rule", *MEASURES.values(), "Worst layout"]
        text += f"### {name.replace('x', '×')} ({own})\n\n" + table(head, rows, "lrrrrrrl")
        differ = "; ".join(off) if off else "none"
        text += (
            "\nIn brackets: published. Differ by more than rounding and three standard errors: "
            f"{differ}.{' Reasons: ' if why else ''}{'; '.join(why)}\n\n"
        )
    return text.rstrip("\n") + "\n"


def cell(one: dict[str, Any], what: str) -> str:
    """A measure of a rule, with its standard error if it has one, and what is published."""
    figure, told = one[what], one["published"].get(what)
    decimals = 1 if what in ("head_to_head", "worst", "both_adversarial") else 2
    text = f"{figure['value']:.{decimals}f}"
    if figure["se"] > 0:
        text += f" ± {figure['se']:.2f}"
    if told is not None:
        text += f" ({told['published']}{'*' if told['differs'] else ''})"
    return text


def self_play(told: dict[str, dict[str, Any]]) -> str:
    labels = {
        "rounds": "Rounds",
        "tried": "Hunts tried",
        "used": "Hunts used",
        "own_worst": "Worst layout, own pace %",
        "head_to_head": "Head-to-head %",
        "worst": "Worst layout, player's pace %",
        "reference_worst": "The player's worst layout, mixture's pace %",
        "hiders_swapped": "Head-to-head, hiders swapped %",
        "mean_shots": "Shots, player's hider",
        "slowest_shots": "Slowest layout",
        "hiders_correlation": "Correlation of the hiders",
        "joint": "Joint reply gains",
        "hunt": "Hunting reply gains",
        "hide": "Hiding reply gains",
    }
    whole = ("rounds", "tried", "used")
    head, columns = [""], []
    for one in told["self_play"]["boards"]:
        last, published = one["last"], dict(one["published"])
        ours = {
            **one,
            **one.get("gains_points", {}),
            "rounds": last["number"],
            "used": last["used"],
            "own_worst": last["worst"],
            "slowest_shots": one["shots_range"][1],
        }
        if published:
            marks = published["own_worst"]
            published["own_worst"] = marks[max(marks, key=int)]
        head += [one["board"].replace("x", "×"), "published"]
        columns += [ours, published]
    rows = [
        [label, *(number(column.get(name), name in whole) for column in columns)]
        for name, label in labels.items()
    ]
    curves = ""
    for one in told["self_play"]["boards"]:
        if one["published"]:
            marks = one["published"]["own_worst"]
            ours = {
                row["number"]: f"{row['number']:,} {row['worst']:.2f}%"
                for row in (nearest(one["curve"], number) for number in ROUNDS)
            }
            theirs = [f"{int(mark):,} {worst:.2f}%" for mark, worst in marks.items()]
            curves += (
                f"\nWorst layout of {one['board'].replace('x', '×')} by round, own pace: "
                f"{', '.join(ours.values())}. Published, against the final pace: "
                f"{', '.join(theirs)}.\n"
            )
    return table(head, rows, "l" + "r" * (len(head) - 1)) + curves


def nearest(curve: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """The row of a curve next to a round."""
    return min(curve, key=lambda row: abs(row["number"] - number))


def number(value: float | None, whole: bool = False) -> str:
    """A number as it is written in a table; nothing if there is none."""
    if value is None:
        return ""
    return f"{value:,.0f}" if whole else f"{value:.2f}"


def context(told: dict[str, dict[str, Any]]) -> str:
    boards = {name: told["context"][name] for name in ("3x3", "4x4")}
    boards["5x5"] = told["context_5x5"]["5x5"]
    for name, one in boards.items():
        claim("beside" in one, f"context is priced on {name}: {one.get('skipped')}")
    head, rows = ["Points"], []
    for name in boards:
        head += [name.replace("x", "×"), "published"]
    for what, label in BESIDE.items():
        row = [label]
        for one in boards.values():
            pair = one["beside"].get(what, {})
            row += [figure_of(what, pair.get(side)) for side in ("here", "published")]
        rows.append(row)
    text = table(head, rows, "l" + "r" * (len(head) - 1))
    text += "\nGains are differences to the best reply that is told nothing.\n"
    for name, one in boards.items():
        gains = one["gains_points"]
        claim(gains["together"]["ceiling"] >= max(gains["together"].values()) - 1e-4, "the ceiling")
        names = [what for what in SIGNALS if any(what in gains[order] for order in ORDERS)]
        if len(names) > 2:
            edges = one.get("times_the_edges", {})
            inner = [
                [
                    SIGNALS[what],
                    *(number(gains[order].get(what)) for order in ORDERS),
                    number(edges.get(what)),
                ]
                for what in names
            ]
            text += f"\n### {name.replace('x', '×')}: points gained by what you are told\n\n"
            text += table(["Told", *ORDERS.values(), "Times the edges"], inner, "lrrrr")
    return text


def figure_of(what: str, value: float | None) -> str:
    """A figure of the context table."""
    if value is None:
        return ""
    if what == "memoryless_keeps":
        return f"{value:.0%}"
    if what == "widest_deadline_shots":
        return f"{value:.0f}"
    return f"{value:.3f}" if 0 < abs(value) < 0.01 else f"{value:.2f}"


def regret(told: dict[str, dict[str, Any]]) -> str:
    text = ""
    for one in told["regret"]["boards"]:
        title, published = one["board"].replace("x", "×"), one["published"]
        text += f"### {title}\n\n"
        head = ["Average", "Round", "Shots", "Worst layout %", "Hide %", "Hunt %", "Joint %"]
        if "curve" in one:
            rows = [
                [text_of, f"{mark['round']:,}", *judged(mark[kind])]
                for kind, text_of in AVERAGES.items()
                for mark in one["curve"]
            ]
            text += table(head, rows, "lrrrrrr")
        elif "joint" in one:
            rows = [["lottery over rounds", f"{one['rounds']:,}", *judged(one)]]
            text += table(head, rows, "lrrrrrr")
        else:
            text += f"Not learned: {one.get('skipped', 'no result')}.\n"
        if "best_reply" in published:
            text += (
                f"\nPublished: one move-by-move strategy stalled, and its best reply won "
                f"{published['best_reply']}% of races.\n"
            )
        if "tree" in one:
            text += beside_tree(one["tree"])
        text += "\n"
    return text.rstrip("\n") + "\n"


def judged(one: dict[str, Any]) -> list[str]:
    """Shots, and win rates of the player and of the replies."""
    return [f"{one['mean_shots']:.2f}", *(f"{one[name]:.2f}" for name in REPLIES)]


def beside_tree(tree: dict[str, Any]) -> str:
    """A learner of states beside one that remembers every shot."""
    claim(tree["values_differ"] < 1e-6, "both learners play the same values")
    return (
        f"\nBeside a learner that remembers every shot ({tree['nodes']:,} nodes, "
        f"{tree['rounds']:,} rounds): values differ by at most {tree['values_differ']:.0e}, "
        f"finishing times by {tree['finishing_differs']:.0e}; its dice of a round depend on the "
        f"past by {tree['dice_depend_on_the_past']:.0e}, those of the lottery over rounds by "
        f"{tree['lottery_depends_on_the_past']:.2f}.\n"
    )


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
