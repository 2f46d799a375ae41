"""``houseway audit``: recompute the rate of silent errors at a table from an exported file."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import plain_errors, plain_record_errors, say
from service.cli.options import AsJson, PublicKeyFile, RecordPlace
from service.cli.verification import find_record

if TYPE_CHECKING:
    from service.table.audit.error_rates import FiguresReport


def check(
    file: Annotated[Path, typer.Argument(help="A file from GET /v1/audit/export.")],
    *,
    public_key: PublicKeyFile = None,
    record: RecordPlace = None,
    as_json: AsJson = False,
) -> None:
    """Recompute everything in an audit file, and list the errors.

    With --record it is also compared with the record. Exit status 1 if something is wrong.
    """
    from service.record.store.signing import PublicKey
    from service.table.audit.audit_export import check_export, read_export
    from service.words.doubts import DoubtReport
    from service.words.findings import words_of

    with plain_errors(OSError), plain_record_errors(), plain_errors(ValueError, program=f"houseway audit: {file}"):
        key = None if public_key is None else PublicKey.load(public_key)
        with file.open(encoding="ascii") as lines:
            export = read_export(lines)
        with nullcontext() if record is None else find_record(record, None, None)[1] as reader:
            found = check_export(export, key=key, record=reader)
    if as_json:
        findings = [
            {**DoubtReport.of(one).model_dump(mode="json", include={"code", "params"}), "message": str(words_of(one))}
            for one in found.findings
        ]
        figures = None if found.figures is None else found.figures.model_dump(mode="json")
        export_json = {"record": export.record, "through": export.through, "at": export.at, "month": export.month}
        export_json |= {"key": found.key, "later": found.later, "holds": found.holds}
        say(json.dumps({**export_json, "findings": findings, "figures": figures}))
    else:
        for one in found.findings:
            say(f"WRONG: {words_of(one)}")
        of = f"the draws of {export.month}" if export.month else "all"
        say(f"{of} of record {export.record} up to its entry {export.through}, {export.at}")
        if found.figures is not None:
            say(_in_words(found.figures))
        say(f"signed with {'its own' if public_key is None else 'the'} key {found.key}")
        if public_key is None:
            say("note: give --public-key to be sure that this is the table's key")
        if found.later:
            say(f"note: audit entries added to the record since: {found.later}")
        if record is None:
            say("note: give --record to make sure that nothing was omitted")
        if found.holds:
            say("Everything is correct.")
    if not found.holds:
        raise typer.Exit(1)


def _in_words(figures: FiguresReport) -> str:
    lines = [f"table {figures.table}: {figures.waiting} to answer, {figures.undecided} need a verdict"]
    for row in figures.figures:
        what = " ".join(
            filter(None, (row.of, row.version and f"read by {row.version}", row.month and f"in {row.month}"))
        )
        seen, worst = row.seen, row.at_worst
        lines.append(f"{what}: {row.verified} verified, {row.drawn} drawn, {row.answered} answered")
        if not row.enough or seen.rate is None:
            lines.append(f"  {seen.errors} silent errors of {seen.asked} seen: too few for a rate")
            continue
        lines.append(
            f"  {seen.errors} silent errors of {seen.asked} seen: {seen.rate:.2%}, at most {seen.upper:.2%}; "
            f"at worst {worst.errors} of {worst.asked}, at most {worst.upper:.2%}"
        )
    return "\n".join(lines)
