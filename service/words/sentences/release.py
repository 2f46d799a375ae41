"""The sentences of releases, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import ReleaseCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

RELEASE: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    ReleaseCode.UNREADABLE: (sentence("%(file)s is not a readable release (%(why)s)"),),
    ReleaseCode.NOT_SIGNED: (sentence("it is not signed with the release key that is expected, %(key)s"),),
    ReleaseCode.FILE_DIFFERS: (sentence("%(file)s is missing, or not the file that was signed"),),
    ReleaseCode.FILE_NOT_ALLOWED: (
        sentence(
            "%(file)s cannot be in a release: a release contains the four models with their cards, and settings.toml"
        ),
    ),
    ReleaseCode.SETTING_NOT_ALLOWED: (
        sentence(
            "%(key)s cannot be in a release: secrets, places, the camera, the calibration and the rulebook "
            "belong to the table"
        ),
    ),
    ReleaseCode.SETTINGS_WRONG: (sentence("its settings cannot be used (%(why)s)"),),
    ReleaseCode.MODELS_INCOMPLETE: (
        sentence("%(file)s is missing: a release has all four models, each with its card"),
    ),
    ReleaseCode.EMPTY: (sentence("it contains neither models nor settings"),),
    ReleaseCode.MODEL_UNUSABLE: (sentence("a model of it cannot be used (%(why)s)"),),
    ReleaseCode.READS_FEWER: (
        sentence("in the bundled pictures it verifies %(after)s tiles and dice; the models in use verify %(before)s"),
    ),
    ReleaseCode.READS_OTHERWISE: (
        sentence("in the bundled picture %(file)s it verifies %(face)s, which is not read there now"),
    ),
    ReleaseCode.CHECK_ENDED: (sentence("the check ended early (%(why)s)"),),
    ReleaseCode.NUMBER_NOT_GREATER: (
        sentence("its number %(number)s is not higher than %(highest)s, the highest that this table has accepted"),
    ),
    ReleaseCode.NOT_REACHED: (sentence("the floor does not deliver it (%(why)s)"),),
    ReleaseCode.FEWER_VERIFIED: (
        sentence(
            "in %(after)s of %(after_of)s rounds all hands were verified, before in %(before)s of "
            "%(before_of)s: by chance alone the probability of that is %(chance)s"
        ),
    ),
    ReleaseCode.MORE_IN_DOUBT: (
        sentence(
            "%(after)s of %(after_of)s rounds were left to a person, before %(before)s of %(before_of)s: by"
            " chance alone the probability of that is %(chance)s"
        ),
    ),
    ReleaseCode.SLOWER: (sentence("a picture with tiles takes %(after_ms)s ms, before it took %(before_ms)s ms"),),
    ReleaseCode.NOT_STARTED: (sentence("the service started %(starts)s times with it and did not stay up"),),
    ReleaseCode.NOT_USABLE_NOW: (sentence("the service does not start with it (%(why)s)"),),
    ReleaseCode.ONE_BEFORE_GIVEN: (sentence("the floor rolled out the previous release again"),),
    ReleaseCode.HELD: (
        sentence(
            "in %(after)s of %(after_of)s rounds all hands were verified, before in %(before)s of "
            "%(before_of)s: the difference is within chance"
        ),
    ),
    ReleaseCode.NOT_COMPARED: (
        sentence(
            "there were too few rounds to compare: %(before_of)s before and %(after_of)s with it; a person "
            "decides whether to continue"
        ),
    ),
    ReleaseCode.UNKNOWN_RELEASE: (
        sentence("the floor has no release %(name)s: add it with `houseway floor release add FOLDER`"),
    ),
    ReleaseCode.ANOTHER_OF_THAT_NAME: (
        sentence("the floor has another release with the name or number of %(name)s: use a new name and number"),
    ),
    ReleaseCode.UNKNOWN_RING: (sentence("%(ring)s is not a table, a pit or `all`"),),
    ReleaseCode.AMBIGUOUS_RING: (sentence("%(ring)s is a table and a pit: write table:%(ring)s or pit:%(ring)s"),),
    ReleaseCode.RING_GIVEN_ALREADY: (sentence("%(name)s was already rolled out to %(ring)s"),),
    ReleaseCode.STOPPED: (
        sentence(
            "the rollout of %(name)s is halted (%(why)s): look at those tables, then make a new release, or"
            " continue with `houseway floor release go-on`"
        ),
    ),
    ReleaseCode.NOTHING_TO_ACCEPT: (sentence("the rollout of %(name)s is not halted"),),
}
