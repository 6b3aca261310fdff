"""The trees that Hard plays by, as files: read when first asked for, written by `manage.py grow`."""

from functools import cache
from pathlib import Path

import numpy as np

from bots.core.puzzle import Puzzle
from bots.core.tree import Tree

FOLDER = Path(__file__).parent / "grown"


@cache
def tree(puzzle: Puzzle) -> Tree:
    with np.load(FOLDER / f"{puzzle}.npz") as kept:
        return Tree.of(kept["guess"], kept["answer"], kept["children"])


def keep(puzzle: Puzzle, tree: Tree, folder: Path = FOLDER) -> Path:
    """Write a tree. What is the same tree is the same file, byte for byte."""
    path = folder / f"{puzzle}.npz"
    np.savez_compressed(path, guess=tree.guess, answer=tree.answer, children=tree.children)
    return path
