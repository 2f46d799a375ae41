"""The incident sheet of a round: what lay, what should have lain, the rule, the remedy, who did what, and the proof."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Final

from PIL import Image as Picture
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Image, KeepTogether, SimpleDocTemplate, Spacer, Table, TableStyle

from service.documents.sheet_text import SheetText, style
from service.documents.tile_drawing import draw_setting
from service.judge.composed_again import explanation_of, remedy_of
from service.record.results import report_of
from service.rounds.doubts import words_of_written
from service.words.wording import BookText, Quote, place_name, sentence, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfgen.canvas import Canvas

    from engine.house_way import HouseWay
    from service.documents.incident import Incident
    from service.record.store.chain import Entry
    from service.rounds.reports import FacePair, FindingReport, HandReport, RoundReport, SettingReport
    from service.words.wording import Words

_MARGIN: Final = 16 * mm
_WIDTH: Final = A4[0] - 2 * _MARGIN
_TITLE = style("title", 17, bold=True, spaceAfter=3 * mm)
_HEAD = style("head", 11.5, bold=True, spaceBefore=4 * mm, spaceAfter=1.5 * mm)
_TEXT = style("text", 9.5, spaceAfter=1 * mm)
_SMALL = style("small", 7.5)
_CODE = style("code", 6.5)
_LINE: Final = HexColor("#b8bcc4")
_GRID: Final = TableStyle(
    [
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, _LINE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 2),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
    ]
)
_VERDICTS: Final[Mapping[str, str]] = {
    "correct": sentence("set correctly"),
    "wrong": sentence("set wrongly"),
    "needs_review": sentence("not judged: a person must look first"),
}
_STATES: Final[Mapping[str, str]] = {
    "verified": sentence("verified"),
    "confirmed": sentence("confirmed"),
    "uncertain": sentence("uncertain"),
    "needs_review": sentence("needs review"),
}
_ROLES: Final[Mapping[str, str]] = {
    "frame": sentence("picture"),
    "annotated": sentence("drawn picture"),
    "close_up": sentence("close-up"),
    "clip": sentence("clip"),
}


def incident_pdf(incident: Incident, title: str, text: SheetText, *, low_across: bool, house_way: HouseWay) -> bytes:
    """The sheet as a PDF.

    Args:
        incident: what the record holds.
        title: of the table.
        text: language and time zone.
        low_across: whether the low hand lies across at this table, and the high hand upright.
        house_way: of the table.
    """
    played = incident.played
    named = words("Incident sheet: %(table)s, round %(round)s", table=Quote(title), round=played.number)
    story: list[Flowable] = [
        text.paragraph(named, _TITLE),
        text.paragraph(
            words(
                "Began %(began)s. Now: %(status)s, revision %(revision)s.",
                began=text.moment(played.opened_at),
                status=words(_STATES[played.status]),
                revision=played.revision,
            ),
            _TEXT,
        ),
    ]
    if played.dealer:
        story.append(text.paragraph(words("Dealer: %(name)s", name=Quote(played.dealer)), _TEXT))
    for hand, then in incident.wrong or [(hand, played) for hand in played.judged]:
        story.append(KeepTogether(list(_judged(hand, then, text, house_way, low_across=low_across))))
    story += _findings(played, text)
    story += _pictures(incident, text)
    story += _hands(played, text)
    story += _history(incident, text)
    story += _proof(incident, text)
    file = BytesIO()
    document = SimpleDocTemplate(
        file,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=14 * mm,
        bottomMargin=16 * mm,
        title=text.say(named),
        author="Houseway",
    )

    def footer(page: Canvas, _: object) -> None:
        line = text.paragraph(
            words(
                "Houseway, made %(at)s from record %(record)s. Page %(page)s.",
                at=text.moment(incident.made_at),
                record=incident.record,
                page=page.getPageNumber(),
            ),
            _SMALL,
        )
        line.wrapOn(page, _WIDTH, 10 * mm)
        line.drawOn(page, _MARGIN, 8 * mm)

    document.build(story, onFirstPage=footer, onLaterPages=footer)
    return file.getvalue()


def _judged(
    hand: HandReport, then: RoundReport, text: SheetText, house_way: HouseWay, *, low_across: bool
) -> Iterator[Flowable]:
    way = hand.house_way
    if way is None:
        return
    what = words(_VERDICTS[way.verdict])
    yield text.paragraph(words("%(place)s hand: %(verdict)s", place=place_name(hand.place), verdict=what), _HEAD)
    settings: list[tuple[Words, SettingReport | HandReport]] = [(words("As laid"), hand)]
    if way.verdict == "wrong" and way.expected is not None:
        settings.append((words("Should be"), way.expected))
        settings += [(words("or, as the dealer chooses"), choice) for choice in way.choices]
    width = _WIDTH / 3
    cells = [
        [
            text.paragraph(name, _SMALL),
            _drawn(laid.low, laid.high, 0.8 * width, low_across=low_across),
            text.paragraph(_lay(laid), _SMALL),
        ]
        for name, laid in settings
    ]
    yield Table([cells], colWidths=[width] * len(cells), hAlign="LEFT", style=[("VALIGN", (0, 0), (-1, -1), "TOP")])
    yield text.paragraph(words("Seen at %(at)s", at=text.moment(then.changed_at)), _TEXT)
    if way.rule:
        yield text.paragraph(words("Rule %(rule)s", rule=way.rule), style("rule", 9.5, bold=True))
        if way.rule_text:
            yield text.paragraph(BookText(way.rule_text), _TEXT)
    if way.verdict == "wrong":
        yield text.paragraph(explanation_of(hand, way, house_way), _TEXT)
    if way.remedy:
        yield text.paragraph(words("Remedy: %(remedy)s", remedy=remedy_of(way, house_way)), _TEXT)
    if not text.english:
        yield text.paragraph(words("English original"), style("original", 7.5, bold=True))
        for original in filter(None, (way.rule_text, way.explanation, way.remedy)):
            yield text.paragraph(Quote(original), _SMALL)


def _lay(laid: SettingReport | HandReport) -> Words:
    return words("low %(low)s, high %(high)s", low=" ".join(laid.low), high=" ".join(laid.high))


def _drawn(low: FacePair, high: FacePair, width: float, *, low_across: bool) -> Flowable:
    # The upright pair is at the dealer's left, whichever of the two it is.
    upright, across = (high, low) if low_across else (low, high)
    return draw_setting((upright, False), (across, True), width)


def _findings(played: RoundReport, text: SheetText) -> list[Flowable]:
    found = [each for each in played.findings if each.rule]
    if not found:
        return []
    told: list[Flowable] = [text.paragraph(words("Departures from the rulebook"), _HEAD)]
    for each in found:
        told.append(text.paragraph(words("%(what)s (%(rule)s)", what=_what(each), rule=each.rule), _TEXT))
        for option in each.options:
            duty = words("Must be done by") if option.duty == "must" else words("May be done by")
            by, action = text.say(BookText(option.by)), text.say(BookText(option.action))
            said = f"{text.say(duty)} {by}: {action} ({option.rule})"
            told.append(text.paragraph(Quote(said), style("option", 8.5, leftIndent=6 * mm)))
    return told


def _what(found: FindingReport) -> object:
    return words_of_written(found.alone if found.params is not None else None, found.message)


def _pictures(incident: Incident, text: SheetText) -> list[Flowable]:
    told: list[Flowable] = []
    for shown in incident.shown:
        pictures = [_picture(data, width) for data, width in ((shown.close_up, 0.36), (shown.annotated, 0.62)) if data]
        head = text.paragraph(words("Pictures of %(place)s", place=place_name(shown.place)), _HEAD)
        if not pictures:
            gone = words("The pictures were removed after they were exported, or none were kept.")
            told.append(KeepTogether([head, text.paragraph(gone, _TEXT)]))
            continue
        aligned = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 0)]
        told.append(KeepTogether([head, Table([pictures], hAlign="LEFT", style=aligned)]))
    return told


def _picture(data: bytes, share: float) -> Image:
    with Picture.open(BytesIO(data)) as opened:
        width, height = opened.size
    wide = share * _WIDTH
    high = wide * height / width
    most = 75 * mm
    if high > most:
        wide, high = wide * most / high, most
    return Image(BytesIO(data), width=wide, height=high)


def _hands(played: RoundReport, text: SheetText) -> list[Flowable]:
    rows: list[list[object]] = [
        [words("Place"), words("Low hand"), words("High hand"), words("Reading"), words("House Way")]
    ]
    for hand in played.hands:
        verdict = "" if hand.house_way is None else words(_VERDICTS[hand.house_way.verdict])
        low, high = " ".join(hand.low), " ".join(hand.high)
        rows.append([place_name(hand.place), low, high, words(_STATES[hand.status]), verdict])
    if played.dice:
        thrown = ", ".join(f"{die.role or '?'} {die.value or '?'}" for die in played.dice)
        worst = "uncertain" if played.throw_in_doubt else played.dice[0].status
        rows.append([words("Dice"), thrown, "", words(_STATES[worst]), ""])
    return [
        text.paragraph(words("All hands and dice"), _HEAD),
        _table(rows, (0.16, 0.2, 0.2, 0.16, 0.28), text, _SMALL),
    ]


def _history(incident: Incident, text: SheetText) -> list[Flowable]:
    rows: list[list[object]] = [[words("When"), words("What"), words("Who"), words("Reason")]]
    for entry in incident.entries:
        what, who, why = _act(entry)
        rows.append([text.moment(datetime.fromisoformat(entry.at)), what, who, why])
    return [text.paragraph(words("Who did what, and when"), _HEAD), _table(rows, (0.2, 0.36, 0.14, 0.3), text, _SMALL)]


def _act(entry: Entry) -> tuple[object, str, str]:
    """What an entry says was done, by whom and why."""
    if entry.kind == "acknowledgement":
        data = entry.data
        return words("alarm acknowledged: %(alarm)s", alarm=Quote(str(data["message"]))), str(data["by"]), ""
    if entry.kind == "settlement":
        return words("wagers settled"), str(entry.data["by"]), ""
    report = report_of(entry)
    fields = {"revision": report.revision, "status": words(_STATES[report.status])}
    if entry.kind == "round":
        return words("revision %(revision)s: %(status)s", **fields), "Houseway", ""
    reviews = [hand.review for hand in report.hands] + [gone.review for gone in report.absent] + [report.dice_review]
    newest = max((each for each in reviews if each is not None), key=lambda each: each.at, default=None)
    decided = words("revision %(revision)s, decided by a person: %(status)s", **fields)
    return decided, "" if newest is None else newest.by, "" if newest is None else newest.reason


def _proof(incident: Incident, text: SheetText) -> list[Flowable]:
    entries: list[list[object]] = [[words("Entry"), words("Kind"), words("Time (UTC)"), words("SHA-256 of the entry")]]
    entries += [[str(entry.seq), entry.kind, entry.at, entry.hash] for entry in incident.entries]
    pictures: list[list[object]] = [[words("Picture"), words("Place"), words("SHA-256 of the file")]]
    pictures += [
        [words(_ROLES[one.role]), "" if one.place is None else place_name(one.place), one.sha256]
        for one in incident.evidence
    ]
    versions = "; ".join(f"{name} {version}" for name, version in sorted(incident.played.versions.items()))
    told: list[Flowable] = [
        text.paragraph(words("Proof"), _HEAD),
        text.paragraph(
            words(
                "Each entry is linked to the one before it, and signed. Export the record and run houseway record "
                "verify: it checks these hashes against record %(record)s and its public key.",
                record=incident.record,
            ),
            _TEXT,
        ),
        text.paragraph(words("Public key: %(key)s", key=incident.public_key), _CODE),
        Spacer(1, 2 * mm),
        _table(entries, (0.08, 0.16, 0.24, 0.52), text, _CODE),
    ]
    if len(pictures) > 1:
        told += [Spacer(1, 3 * mm), _table(pictures, (0.16, 0.16, 0.68), text, _CODE)]
    return [*told, Spacer(1, 3 * mm), text.paragraph(words("Made by: %(versions)s", versions=versions), _CODE)]


def _table(rows: Sequence[Sequence[object]], shares: Sequence[float], text: SheetText, cell: ParagraphStyle) -> Table:
    told = [[text.paragraph(each, cell) for each in row] for row in rows]
    return Table(told, colWidths=[share * _WIDTH for share in shares], repeatRows=1, hAlign="LEFT", style=_GRID)
