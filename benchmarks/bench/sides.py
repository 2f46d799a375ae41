"""The compared programs: this working tree and another commit, each with an environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from benchmarks.measure import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

LOCK: Final = "requirements.lock"
Answer = dict[str, Any]


class BenchError(Exception):
    """The benchmark cannot run; the message has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A program: its folder, its commit and its Python."""

    folder: Path
    commit: str
    python: Path


def git(*words: str, at: Path = ROOT) -> str:
    """Return the output of git, without the final newline.

    Raises:
        BenchError: git failed.
    """
    done = subprocess.run(["git", *words], cwd=at, capture_output=True, text=True, check=False)  # noqa: S603, S607
    if done.returncode:
        raise BenchError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def commit_before() -> str:
    """Return the commit to compare with: the last one if there are uncommitted changes, else the one before."""
    return "HEAD" if git("status", "--porcelain", "--untracked-files=no") else "HEAD~1"


def this_tree() -> Tree:
    """Return the working tree, with uncommitted changes."""
    changed = "+" if git("status", "--porcelain", "--untracked-files=no") else ""
    return Tree(ROOT, git("rev-parse", "--short", "HEAD") + changed, Path(sys.executable))


def other_tree(revision: str, build: Path) -> Tree:
    """Check out another commit in ``build``, with this environment if its libraries are the same.

    Raises:
        BenchError: there is no such commit, or its libraries cannot be installed.
    """
    commit = git("rev-parse", "--short", "--verify", f"{revision}^{{commit}}")
    folder = build / "other"
    if not (folder / ".git").exists():
        git("worktree", "prune")
        git("worktree", "add", "--detach", "--force", str(folder), commit)
    else:
        git("checkout", "--detach", "--force", commit, at=folder)
    same = (folder / LOCK).read_bytes() == (ROOT / LOCK).read_bytes()
    return Tree(folder, commit, Path(sys.executable) if same else _environment(folder))


def _environment(folder: Path) -> Path:
    """Return an environment with the libraries that a commit locks."""
    venv = folder / ".venv"
    python, installed = venv / "bin" / "python", venv / LOCK
    wanted = (folder / LOCK).read_bytes()
    if installed.is_file() and installed.read_bytes() == wanted:
        return python
    install = [str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", LOCK]
    for command in ([sys.executable, "-m", "venv", str(venv)], install):
        if subprocess.run(command, cwd=folder, check=False).returncode:  # noqa: S603
            raise BenchError(f"the libraries of {folder} cannot be installed; {' '.join(command)} failed")
    installed.write_bytes(wanted)
    return python


def environment(tree: Tree, build: Path, first: str = "") -> dict[str, str]:
    """Return the environment variables that select the program of a tree, and the benchmarks of this one.

    Args:
        tree: the program.
        build: folder for a link to the benchmarks.
        first: a folder whose packages take precedence.
    """
    ours = build / "benchmarks-of-this-tree"
    ours.mkdir(parents=True, exist_ok=True)
    link = ours / "benchmarks"
    if not link.exists():
        link.symlink_to(ROOT / "benchmarks", target_is_directory=True)
    path = [first, str(ours), str(tree.folder)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))}


@dataclass(slots=True)
class Side:
    """A long-lived process that measures with the program of one tree."""

    tree: Tree
    _process: subprocess.Popen[str] | None = None

    def start(self, pictures: Path, variables: Mapping[str, str]) -> Self:
        """Start it and check that it is the program of that tree.

        Raises:
            BenchError: it does not start, or found another program.
        """
        self._process = subprocess.Popen(  # noqa: S603
            [str(self.tree.python), "-P", "-m", "benchmarks.bench.child", str(pictures)],
            cwd=self.tree.folder,
            env=dict(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = Path(self.ask({"do": "about"}).get("vision", "nothing"))
        if self.tree.folder.resolve() not in found.resolve().parents:
            raise BenchError(f"the program of {self.tree.commit} in {self.tree.folder} was not found, but {found}")
        return self

    def ask(self, request: Answer) -> Answer:
        """Request one measurement.

        Raises:
            BenchError: the process has ended.
        """
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise BenchError("the process was not started")
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            line = ""
        else:
            line = process.stdout.readline()
        if not line:
            raise BenchError(f"the process that measures {self.tree.commit} ended with status {process.wait(10)}")
        answer: Answer = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(30)
            if self._process.stdout is not None:
                self._process.stdout.close()
