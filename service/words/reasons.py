"""Why hands were not verified, as a few stable words to count by; the reasons themselves are sentences for people."""

from __future__ import annotations

from typing import Final

_PHRASES: Final = (
    ("no_calibration", "without a calibration"),
    ("not_recorded", "not recorded: "),
    ("self_test", "the self-test failed"),
    ("camera", "has moved"),
    ("tiles", "the display is not as it should be"),
    ("tiles", "do not look like the enrolled set"),
    ("tiles", "does not look like"),
    ("tiles", "show the set at the display"),
    ("covered", "does not show the table"),
    ("covered", "sees nothing of the table"),
    ("light", "of its brightness"),
    ("focus", "of its sharpness"),
    ("glare", "newly blown out"),
    ("frozen", "the same picture again"),
    ("clock", "the clock was put "),
    ("clock", "the clock says "),
    ("clock", "sets the clock"),
    ("crossed", "across another tile"),
    ("crossed", "another tile lies across it"),
    ("crossed", "those of two tiles beside it"),
    ("size", "its size is not that of a tile"),
    ("outside", "lies outside the picture"),
    ("picture", "the picture is too dark"),
    ("picture", "is burnt out"),
    ("picture", "the tiles are blurred"),
    ("set", "the set does not hold"),
    ("classifier", "not sure enough"),
    ("classifier", "the face cannot be told"),
    ("classifier", "the value cannot be told"),
    ("classifier", "to the classifier"),
    ("detector", "what was found may not be"),
    ("detector", "does not come to rest on the die"),
    ("second_reader", "not of the colour of the others"),
    ("leaning", "the die leans"),
    ("leaning", "the die seems to lean"),
    ("leaning", "the die may lean"),
    ("leaning", "without the camera's place"),
    ("glare", "too bright to tell"),
    ("second_reader", "the pips"),
    ("second_reader", "pips like those"),
    ("second_reader", "pips and body"),
    ("second_reader", "a pip of the "),
    ("second_reader", "one red pip"),
    ("second_reader", "a pip too many"),
    ("second_reader", "colours of the pips"),
    ("second_reader", "red and plain pips"),
    ("second_reader", "no pattern fits"),
    ("glare", "glare may hide"),
    ("own_tiles", "of this table's own tiles"),
    ("own_tiles", "like this table's own"),
    ("health", "the camera or the table was knocked"),
    ("set", "than the set holds"),
    ("set", "another naming of all tiles"),
    ("leaning", "it leans"),
    ("leaning", "lies on another die"),
    ("time", "pictures of it were"),
    ("time", "it was verified in "),
    ("time", "not lain still"),
    ("time", "hidden for a while"),
    ("time", "other tiles lay here"),
    ("time", "its tiles were moved since"),
    ("time", "as different values"),
    ("lay", "told apart by rank"),
    ("lay", "both pairs rank alike"),
)

CODES: Final = frozenset({code for code, _ in _PHRASES}) | {"other"}


def code_of(reason: str) -> str:
    """The word for a reason; ``other`` for one that has none.

    >>> code_of("6-5: not sure enough: 6-5 at 71%, next 6-4")
    'classifier'
    """
    return next((code for code, phrase in _PHRASES if phrase in reason), "other")
