"""The sentences of releases, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import ReleaseCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

RELEASE: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    ReleaseCode.UNREADABLE: (sentence("%(file)s is no release that can be read (%(why)s)"),),
    ReleaseCode.NOT_SIGNED: (sentence("it is not signed with the release key that is expected, %(key)s"),),
    ReleaseCode.FILE_DIFFERS: (sentence("%(file)s is missing, or not the file that was signed"),),
    ReleaseCode.FILE_NOT_ALLOWED: (
        sentence("%(file)s cannot be given out: a release holds the four models with their cards, and settings.toml"),
    ),
    ReleaseCode.SETTING_NOT_ALLOWED: (
        sentence(
            "%(key)s cannot be given out: secrets, places, the camera, the calibration and what a table plays are its "
            "own"
        ),
    ),
    ReleaseCode.SETTINGS_WRONG: (sentence("its settings cannot be used (%(why)s)"),),
    ReleaseCode.MODELS_INCOMPLETE: (
        sentence("%(file)s is missing: models are given out all four together, each with its card"),
    ),
    ReleaseCode.EMPTY: (sentence("it holds neither models nor settings"),),
    ReleaseCode.MODEL_UNUSABLE: (sentence("a model of it cannot be used (%(why)s)"),),
    ReleaseCode.READS_FEWER: (
        sentence("of the bundled pictures it verifies %(after)s tiles and dice, and what is in use %(before)s"),
    ),
    ReleaseCode.READS_OTHERWISE: (
        sentence("in the bundled picture %(file)s it verifies %(face)s, which is not read there now"),
    ),
    ReleaseCode.CHECK_ENDED: (sentence("checking it ended before it was done (%(why)s)"),),
    ReleaseCode.NUMBER_NOT_GREATER: (
        sentence("its number %(number)s is not greater than %(highest)s, the greatest that this table has taken"),
    ),
    ReleaseCode.NOT_REACHED: (sentence("the floor does not give it (%(why)s)"),),
    ReleaseCode.FEWER_VERIFIED: (
        sentence(
            "in %(after)s of %(after_of)s rounds all hands were verified, before in %(before)s of %(before_of)s: the "
            "chance of that without a cause is %(chance)s"
        ),
    ),
    ReleaseCode.MORE_IN_DOUBT: (
        sentence(
            "%(after)s of %(after_of)s rounds were left to a person, before %(before)s of %(before_of)s: the chance of "
            "that without a cause is %(chance)s"
        ),
    ),
    ReleaseCode.SLOWER: (sentence("a picture with tiles takes %(after_ms)s ms, before it took %(before_ms)s ms"),),
    ReleaseCode.NOT_STARTED: (sentence("the service began %(starts)s times with it and did not stay up"),),
    ReleaseCode.NOT_USABLE_NOW: (sentence("the service does not start with it (%(why)s)"),),
    ReleaseCode.ONE_BEFORE_GIVEN: (sentence("the floor gave out the one before again"),),
    ReleaseCode.HELD: (
        sentence(
            "in %(after)s of %(after_of)s rounds all hands were verified, before in %(before)s of %(before_of)s: no "
            "worse than chance explains"
        ),
    ),
    ReleaseCode.NOT_COMPARED: (
        sentence(
            "there were too few rounds to compare: %(before_of)s before and %(after_of)s with it; a person decides "
            "whether it goes on"
        ),
    ),
    ReleaseCode.UNKNOWN_RELEASE: (
        sentence("the floor has no release %(name)s: add it with `houseway floor release add FOLDER`"),
    ),
    ReleaseCode.ANOTHER_OF_THAT_NAME: (
        sentence("the floor has another release of the name or number of %(name)s: make it with new ones"),
    ),
    ReleaseCode.UNKNOWN_RING: (sentence("%(ring)s is no table, no pit and not `all`"),),
    ReleaseCode.AMBIGUOUS_RING: (sentence("%(ring)s is a table and a pit: write table:%(ring)s or pit:%(ring)s"),),
    ReleaseCode.RING_GIVEN_ALREADY: (sentence("%(name)s was given to %(ring)s already"),),
    ReleaseCode.STOPPED: (
        sentence(
            "%(name)s is stopped (%(why)s): look at those tables, then make a new release, or go on with "
            "`houseway floor release go-on`"
        ),
    ),
    ReleaseCode.NOTHING_TO_ACCEPT: (sentence("nothing keeps %(name)s from going on"),),
}
