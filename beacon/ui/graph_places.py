"""Where the nodes of a drawing stand: the kept places, spread so that names can be read; and a path as a line."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

ROOM = 56.0  # canvas units for each node along half a side, by the square root of their number
ASPECT = 1.1  # the canvas is a little wider than high
EVEN = 0.65  # how far places are evened out: 0 keeps distances, 1 only the order along each axis
ROUNDS, ROUNDS_OF_MANY, MANY = 60, 12, 150
LETTER = 0.29  # half the width of a letter, in font sizes
STEP = 210.0  # between two entities of a path

Floats = npt.NDArray[np.float64]


def spread(nodes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The vis nodes with places that fill the frame and do not cover each other; the same nodes always stand the same."""
    if len(nodes) < 2:
        return [{**node, "x": 0.0, "y": 0.0} for node in nodes]
    at = _scaled(np.array([[float(node["x"]), float(node["y"])] for node in nodes]))
    at = _apart(at, *_halves(nodes))
    return [{**node, "x": round(float(x), 1), "y": round(float(y), 1)} for node, (x, y) in zip(nodes, at, strict=True)]


def _scaled(at: Floats) -> Floats:
    """Places from -1 to 1 on each axis, evened out so that a dense middle gets room, then stretched to the frame."""
    order = np.argsort(np.argsort(at, axis=0, kind="stable"), axis=0, kind="stable")
    even = 2 * order / (len(at) - 1) - 1
    middle = np.median(at, axis=0)
    reach = np.maximum(np.percentile(np.abs(at - middle), 90, axis=0), 1e-6)
    unit = EVEN * even + (1 - EVEN) * np.clip((at - middle) / reach, -1, 1)
    scaled: Floats = unit * ROOM * len(at) ** 0.5 * np.array([ASPECT**0.5, ASPECT**-0.5])
    return scaled


def _halves(nodes: Sequence[Mapping[str, Any]]) -> tuple[Floats, Floats]:
    """Half the width and half the height that each node takes with its name under it."""
    wide = np.array([max(float(n["size"]), len(str(n["label"])) * float(n["fontSize"]) * LETTER) for n in nodes])
    high = np.array([float(n["size"]) + float(n["fontSize"]) * 0.8 for n in nodes])
    return wide + 4, high + 3


def _apart(at: Floats, wide: Floats, high: Floats) -> Floats:
    """Pushes nodes that cover each other apart, along the shorter way."""
    at = at + np.arange(len(at))[:, None] * np.array([1e-3, 7e-4])  # no two at one point
    for _ in range(ROUNDS if len(at) <= MANY else ROUNDS_OF_MANY):
        gap = at[:, None, :] - at[None, :, :]
        over_x = (wide[:, None] + wide[None, :]) - np.abs(gap[..., 0])
        over_y = (high[:, None] + high[None, :]) - np.abs(gap[..., 1])
        hit = (over_x > 0) & (over_y > 0)
        np.fill_diagonal(hit, False)
        if not hit.any():
            break
        along_x = hit & (over_x < over_y)
        push_x = np.where(along_x, np.sign(gap[..., 0]) * over_x, 0.0).sum(axis=1)
        push_y = np.where(hit & ~along_x, np.sign(gap[..., 1]) * over_y, 0.0).sum(axis=1)
        at = at + 0.3 * np.clip(np.stack([push_x, push_y], axis=1), -120, 120)
    moved: Floats = at
    return moved


def walk(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], start: str) -> list[str]:
    """The ids of a path's entities in order, from `start`."""
    near: dict[str, list[str]] = {str(node["id"]): [] for node in nodes}
    for edge in edges:
        near[str(edge["from"])].append(str(edge["to"]))
        near[str(edge["to"])].append(str(edge["from"]))
    order, here = [], start
    while here in near and here not in order:
        order.append(here)
        here = next((other for other in sorted(near[here]) if other not in order), "")
    return order


def in_line(order: Sequence[str]) -> dict[str, tuple[float, float]]:
    """id → place of a path's entities, from left to right."""
    return {key: (n * STEP, 38.0 if n % 2 else -38.0) for n, key in enumerate(order)}
