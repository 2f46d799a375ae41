"""Film simulated rounds: `python -m datasets.simulate --rounds 5 --seed 3 --fps 10 --out DIR`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer resolves annotations
from typing import Annotated

import typer
from rich.progress import Progress

from datasets.simulator.film import Form, write_film
from datasets.simulator.layouts import PATTERNS, SimulatorError
from datasets.simulator.script import Options, script
from datasets.simulator.staging.disturbances import DISTURBANCES
from datasets.simulator.staging.mistakes import HAND_MISTAKES, MISTAKES
from engine.errors import EngineError
from engine.vocabulary.play import Lie  # noqa: TC001 - typer resolves annotations

app = typer.Typer(add_completion=False)


@app.command()
def simulate(
    out: Annotated[Path, typer.Option(help="Folder to fill: calibration.json, rounds.jsonl, pictures and labels.")],
    rounds: Annotated[int, typer.Option(help="How many rounds.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="Seed of everything.", min=0)] = 1,
    fps: Annotated[float, typer.Option(help="Pictures a second.", min=0.1, max=240)] = 10.0,
    size: Annotated[str, typer.Option(help="Width and height of the pictures.")] = "2304x1296",
    layout: Annotated[str | None, typer.Option(help=f"One of {', '.join(PATTERNS)}; else the book's own.")] = None,
    rulebook: Annotated[str, typer.Option(help="Rulebook that is played by.")] = "crown-6.1",
    variant: Annotated[str | None, typer.Option(help="Variant of it, such as crown-pai-gow.")] = None,
    house_way: Annotated[str | None, typer.Option(help="House Way where the book prints none.")] = None,
    mistake_rate: Annotated[float, typer.Option(help="Share of rounds with a dealer's mistake.", min=0, max=1)] = 0.0,
    mistakes: Annotated[str, typer.Option(help=f"Which, joined by +, of {', '.join(MISTAKES)}.")] = "+".join(
        HAND_MISTAKES
    ),
    in_turn: Annotated[
        str | None, typer.Option(help="The mistake of each round in turn, joined by +, none for none.")
    ] = None,
    disturbance_rate: Annotated[
        float, typer.Option(help="Share of rounds in which camera or light are disturbed.", min=0, max=1)
    ] = 0.0,
    disturbances: Annotated[str, typer.Option(help="How, joined by +.")] = "+".join(DISTURBANCES),
    low_hand: Annotated[Lie | None, typer.Option(help="How low hands lie, if not as the book says.")] = None,
    player_bank_rate: Annotated[
        float,
        typer.Option(help="Share of rounds in which a player holds the bank, where the book lets one.", min=0, max=1),
    ] = 0.0,
    pace: Annotated[float, typer.Option(help="How slowly everything is done; 1 is brisk.")] = 1.0,
    form: Annotated[str, typer.Option(help="mp4, frames, or none for the truth alone.")] = "mp4",
    truth_fps: Annotated[float, typer.Option(help="Pictures a second that are labelled in a video.", min=0.1)] = 5.0,
    *,
    any_look: Annotated[bool, typer.Option(help="Any tiles, felt, light and camera, not a decent table.")] = False,
) -> None:
    """Film complete rounds at a simulated table.

    With the truth of every picture and every round.
    """
    try:
        width, height = (int(part) for part in size.lower().split("x"))
    except ValueError:
        _refuse(f"--size {size}: write it as 2304x1296")
    if form not in ("mp4", "frames", "none"):
        _refuse(f"--form {form}: mp4, frames or none")
    kind: Form = form  # type: ignore[assignment]
    try:
        options = Options(
            rulebook=rulebook,
            variant=variant,
            layout=layout,
            house_way=house_way,
            rounds=rounds,
            size=(width, height),
            mistakes=tuple(filter(None, mistakes.split("+"))),
            mistake_rate=mistake_rate,
            in_turn=tuple(filter(None, (in_turn or "").split("+"))),
            disturbances=tuple(filter(None, disturbances.split("+"))),
            disturbance_rate=disturbance_rate,
            low_hand=low_hand,
            player_bank_rate=player_bank_rate,
            pace=pace,
            any_look=any_look,
        )
        made = script(seed, options)
        with Progress(transient=True) as progress:
            task = progress.add_task("Filming", total=1.0)
            for share in write_film(out, made, fps, kind, truth_fps):
                progress.update(task, completed=share)
    except (SimulatorError, EngineError, OSError) as error:
        _refuse(str(error))
    typer.echo(f"{len(made.rounds)} rounds, {made.end_s:.0f} s: {out}")


def _refuse(message: str) -> None:
    typer.echo(f"datasets.simulate: {message}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
