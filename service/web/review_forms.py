"""Forms in which a person says what lies on the table: decisions of reviews, and answers of the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from engine.errors import EngineError
from engine.game.tiles import Tile
from service.rounds.review import ReviewError, ReviewIn
from service.table.audit.audit_log import SeenHand, SeenOther, SeenThrow
from service.web.review_questions import ABSENT, COCKED, question_of, reason_of
from service.words.validation import faults_words
from service.words.wording import WordedError, place_name, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.rounds.reports import DieReport, HandReport, RoundReport
    from service.table.audit.audit_log import Seen


PARTS = ("low1", "low2", "high1", "high2")
ADDED = "added"
DICE_AT_MOST = 8
_SIDES = frozenset("123456")
_NOTHING_CHOSEN = words("Choose one of the readings, or open the full form.")


def read_decision(form: Mapping[str, str], known: RoundReport, by: str) -> ReviewIn:
    """What a form asks for.

    Of a correction only that is sent on which is in doubt or was changed, so that nothing is signed by the way.

    Args:
        form: ``action``, ``reason``, ``revision``; ``PLACE.low1`` and so on and ``PLACE.absent`` for each hand;
            ``die1.value`` and ``die1.role`` and so on; ``added.place`` for a hand that was not read.
        known: the revision that the person saw.
        by: name of the signed-in person.

    Raises:
        ReviewError: the form does not say a decision.
    """
    action = form.get("action", "")
    fields: dict[str, Any] = {
        "action": action,
        "by": by,
        "reason": form.get("reason", ""),
        "revision": form.get("revision", ""),
    }
    if action == "correct":
        absent = [hand.place for hand in known.hands if form.get(f"{hand.place}.absent")]
        meant = [hand for hand in known.hands if hand.place not in absent and _is_meant(form, hand)]
        hands = [_hand(form, hand.place, hand.place) for hand in meant]
        if form.get(f"{ADDED}.place"):
            hands.append(_hand(form, ADDED, form[f"{ADDED}.place"]))
        fields |= {"absent": absent, "hands": hands, "dice": _dice(form, known.dice)}
    elif action == "confirm" and _is_changed(form, known):
        # The key Enter presses the first button of a form; what somebody filled in is never dropped for it.
        raise ReviewError(words("the form differs from the reading: record the correction, or load the page again"))
    return _validated(fields)


def read_choice(form: Mapping[str, str], known: RoundReport, by: str) -> ReviewIn:
    """A decision about one part alone, as the buttons under its picture send it.

    Args:
        form: ``part``; ``choice``: a value of a die or that it is cocked, a lay of a hand or that none lies there;
            ``because`` and ``more`` for the reason; ``revision``.
        known: the revision that the person saw.
        by: name of the signed-in person.

    Raises:
        ReviewError: the form does not say a decision.
    """
    question, choice = question_of(known, form.get("part", "")), form.get("choice", "")
    reason = reason_of(form.get("because", ""), form.get("more", ""))
    if not reason:
        raise ReviewError(words("Give a reason: choose one, or write your own."))
    fields: dict[str, Any] = {"action": "correct", "by": by, "reason": reason, "revision": form.get("revision", "")}
    confirmed = {"action": "confirm", "only": [question.part]}
    if question.die is not None:
        if choice not in _SIDES | {COCKED}:
            raise ReviewError(_NOTHING_CHOSEN)
        if choice == COCKED:
            fields |= {"only": [question.part], "dice": [{"cocked": True, "role": question.die.role}]}
        elif question.confirmable and choice == str(question.die.value):
            fields |= confirmed
        else:
            fields |= {"only": [question.part], "dice": [{"value": int(choice), "role": question.die.role}]}
    elif choice == ABSENT:
        fields |= {"absent": [question.part]}
    else:
        chosen = next((each for each in question.hands if each.value == choice), None)
        if chosen is None:
            raise ReviewError(_NOTHING_CHOSEN)
        lay = {"place": question.part, "low": chosen.low, "high": chosen.high}
        fields |= confirmed if chosen.read else {"hands": [lay]}
    return _validated(fields)


def read_outcome(form: Mapping[str, str], _known: RoundReport, by: str) -> ReviewIn:
    """A report of what was done about a part of a round, as the buttons under its remedy send it.

    Args:
        form: ``part``; ``outcome``, for a call followed by whom; ``title``; ``reason``, a note; ``revision``, which the
            person saw.
        by: name of the signed-in person.

    Raises:
        ReviewError: the form does not say an outcome.
    """
    outcome, _, whom = form.get("outcome", "").partition(" ")
    said = {"part": form.get("part", ""), "outcome": outcome, "called": whom or None}
    if outcome == "accepted":
        said["title"] = form.get("title", "")
    reason, revision = form.get("reason", ""), form.get("revision", "")
    fields: dict[str, Any] = {"action": "outcome", "by": by, "revision": revision, "outcome": said}
    return _validated(fields | ({"reason": reason} if reason.strip() else {}))


def read_ticks(ticks: Iterable[str], reason: str, by: str) -> tuple[tuple[str, str, ReviewIn], ...]:
    """Confirmations of what was ticked in the queue: the table, the round's id, and what is confirmed of it.

    Raises:
        ReviewError: nothing is ticked, there is no reason, or the form is not one of ours.
    """
    if not reason:
        raise ReviewError(words("Give a reason: choose one, or write your own."))
    found = []
    for tick in ticks:
        table, round_id, revision, *parts = (*tick.split(), "", "", "")
        only = [part for part in parts if part]
        fields = {"action": "confirm", "by": by, "reason": reason, "revision": revision, "only": only}
        found.append((table, round_id, _validated(fields)))
    if not found:
        raise ReviewError(words("Tick the rounds to confirm."))
    return tuple(found)


def _validated(fields: Mapping[str, Any]) -> ReviewIn:
    try:
        return ReviewIn.model_validate(fields)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        named = [(".".join(map(str, each["loc"])), each) for each in faults]
        raise ReviewError(faults_words(named)) from None


def _hand(form: Mapping[str, str], name: str, place: str) -> dict[str, Any]:
    low1, low2, high1, high2 = (form.get(f"{name}.{part}", "") for part in PARTS)
    if not all((low1, low2, high1, high2)):
        raise ReviewError(words("%(place)s: enter all four tiles", place=place_name(place)))
    return {"place": place, "low": (low1, low2), "high": (high1, high2)}


def _is_meant(form: Mapping[str, str], hand: HandReport) -> bool:
    given = tuple(form.get(f"{hand.place}.{part}") for part in PARTS)
    return None not in given and (hand.status == "uncertain" or given != (*hand.low, *hand.high))


def _is_changed(form: Mapping[str, str], known: RoundReport) -> bool:
    """Whether a form differs from the reading."""
    return (
        bool(form.get(f"{ADDED}.place"))
        or any(form.get(f"{hand.place}.absent") for hand in known.hands)
        or any(
            form.get(f"{hand.place}.{part}", face) != face
            for hand in known.hands
            for part, face in zip(PARTS, (*hand.low, *hand.high), strict=True)
        )
        or (_are_dice_sent(form) and _rolls(form) != _shown(known.dice))
    )


def _dice(form: Mapping[str, str], known: tuple[DieReport, ...]) -> list[dict[str, Any]] | None:
    typed = _rolls(form)
    doubtful = any(die.status == "uncertain" for die in known)
    if not _are_dice_sent(form) or (typed == _shown(known) and not doubtful):
        return None
    return [{"value": int(value), "role": role or None} for value, role in typed]


def _are_dice_sent(form: Mapping[str, str]) -> bool:
    return "die1.value" in form


def _rolls(form: Mapping[str, str]) -> list[tuple[str, str]]:
    rows = [(form.get(f"die{row}.value", ""), form.get(f"die{row}.role", "")) for row in range(1, DICE_AT_MOST + 1)]
    return [(value, role) for value, role in rows if value in _SIDES]


def _shown(known: tuple[DieReport, ...]) -> list[tuple[str, str]]:
    return [(str(die.value), die.role or "") for die in known if die.value is not None]


_VALUES: Final = ("1", "2", "3", "4", "5", "6")
_ROLES: Final = ("box", "cut")


class AnswerError(WordedError):
    """A form does not say what was seen."""


def read_answer(form: Mapping[str, str]) -> Seen | None:
    """What was seen; None if it could not be made out.

    Args:
        form: ``action`` is ``seen``, ``other`` or ``unseen``; ``low1`` to ``high2`` and, if the low hand cannot be
            identified, ``unsplit``; or of a throw ``die1.value`` and ``die1.role`` and so on.

    Raises:
        AnswerError: it does not say all four tiles, or no die, or not what a die is for.
    """
    action = form.get("action")
    if action == "unseen":
        return None
    if action == "other":
        return SeenOther()
    return _throw(form) if "die1.value" in form else _seen_hand(form)


def _seen_hand(form: Mapping[str, str]) -> SeenHand:
    try:
        first, second, third, fourth = (Tile.parse(form.get(part, "")) for part in PARTS)
    except EngineError:
        raise AnswerError(words("Enter all four tiles, or choose 'I cannot see it'.")) from None
    return SeenHand((first, second, third, fourth), split=not form.get("unsplit"))


def _throw(form: Mapping[str, str]) -> SeenThrow:
    rows = ((form.get(f"die{row}.value"), form.get(f"die{row}.role")) for row in range(1, DICE_AT_MOST + 1))
    typed = [(int(value), role) for value, role in rows if value in _VALUES]
    if not typed or not all(role for _, role in typed):
        raise AnswerError(words("Enter every die and its use, or choose 'I cannot see it'."))
    return SeenThrow(tuple((value, role if role in _ROLES else None) for value, role in typed))
