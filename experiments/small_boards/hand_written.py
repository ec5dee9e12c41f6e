"""The hand-written rules of section 5 as parts that are put together, and their published figures.

A figure that differs from the published one by more than rounding and three standard errors says
so, and why as far as it is known.
"""

from typing import Any

PARTICLES = 1000
"""Layouts that the particle filter draws for a decision."""
LIGHT, STRONG = 0.5, 1.5
"""α of late near-miss cells."""

RULES: dict[str, dict[str, Any]] = {
    "checkerboard by hand": {"search": "checkerboard"},
    "checkerboard + computer finish": {"search": "checkerboard", "finish": "layouts"},
    "3-parity by hand": {"search": "three-parity"},
    "3-parity + computer finish": {"search": "three-parity", "finish": "layouts"},
    "3-parity + late (light)": {"search": "three-parity", "late": LIGHT},
    "3-parity + late (strong)": {"search": "three-parity", "late": STRONG},
    "3-parity + computer finish + late (light)": {
        "search": "three-parity",
        "finish": "layouts",
        "late": LIGHT,
    },
    "3-parity + computer finish + late (strong)": {
        "search": "three-parity",
        "finish": "layouts",
        "late": STRONG,
    },
    "smart 3-parity core": {"search": "smart-three-parity"},
    "smart 3-parity core, no zone final": {"search": "smart-three-parity", "final": "anywhere"},
    "smart 3-parity core, never jumping": {"search": "smart-three-parity", "jump": 0.0},
    "smart 3-parity core, always jumping": {"search": "smart-three-parity", "jump": 1.0},
    "smart 3-parity core, computer version": {
        "search": "smart-three-parity",
        "fewer_unshot": True,
    },
    "smart 3-parity core + computer finish": {
        "search": "smart-three-parity",
        "finish": "layouts",
    },
    "checkerboard densest first": {
        "search": "checkerboard",
        "finish": "layouts",
        "densest": True,
    },
    "3-parity densest first": {"search": "three-parity", "finish": "layouts", "densest": True},
}
"""Parts of the rules that are played (`bsjax.policies.patterns.rule`); the heat maps and the
particle filter come on top."""

PUBLISHED: dict[str, dict[str, dict[str, float]]] = {
    "5x5": {
        "heat map": {"head_to_head": 45.1, "worst": 4.1, "shots": 14.42, "slowest": 18.15},
        "smart 3-parity core": {"worst": 22.1, "slowest": 16.45, "both_adversarial": 30.8},
        "smart 3-parity core, no zone final": {"worst": 21.2},
        "smart 3-parity core, never jumping": {"worst": 20.4},
        "smart 3-parity core, always jumping": {"worst": 21.0},
        "smart 3-parity core, computer version": {"worst": 22.2},
        "3-parity + computer finish + late (light)": {"worst": 20.4, "slowest": 16.72},
        "3-parity + computer finish + late (strong)": {"worst": 19.6, "slowest": 16.69},
    },
    "4x4": {"heat map": {"worst": 19.5}},
}
"""Figures of the write-up by board and rule: win rates in per cent, and shots. Its player is not
ours, so a win rate can differ by what the two players differ in."""
_LATE = "not known; the slowest layout differs too, so it is the rule and not the player"
REASONS: dict[str, str] = {
    "heat map": "the write-up does not say how its map weighs open hits, nor how it reads a sink "
    "that fits several lines",
    "smart 3-parity core": "not known; its fleet lies where the player hunts worst, and our player "
    "is another",
    "3-parity + computer finish + late (light)": _LATE,
    "3-parity + computer finish + late (strong)": _LATE,
}
"""What is known of a difference, by rule."""
DECIMALS = {"shots": 2, "slowest": 2}
"""Decimals of the published figures; win rates have one."""


def compared(row: dict[str, Any], published: dict[str, float]) -> dict[str, dict[str, Any]]:
    """Published figures beside ours, and which differ by more than rounding and three errors."""
    told = {}
    for what, figure in published.items():
        half = 0.5 * 10.0 ** -DECIMALS.get(what, 1)
        off = row[what]["value"] - figure
        differs = abs(off) > half + 3 * row[what]["se"] + 1e-9
        told[what] = {"published": figure, "off": off, "differs": bool(differs)}
    return told
