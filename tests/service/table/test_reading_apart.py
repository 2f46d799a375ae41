"""Pictures that are sent are read in a process of their own: the same as in this one, and within bounds."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.files.calibration_file import CalibrationError
from engine.vocabulary.play import Lie
from service.system import limited_process
from service.system.service_settings import ReadConfig
from service.table.sent_pictures import SentPicture, SeparateProcessReader, read_sent
from tests.sample import DEALT, EMPTY, FILE
from tests.service.api.test_uploads import saved
from tests.service.stand_ins import config
from vision.capture.images import ImageError
from vision.reader import Reader
from vision.reading import Reading

PLAIN = SentPicture("dealt.jpg", DEALT.read_bytes())
CALIBRATED = replace(PLAIN, calibration=FILE.read_bytes(), reference=EMPTY.read_bytes())


LONGEST_S = 600.0
"""The process has its turn when nobody else wants to compute."""


@pytest.fixture(scope="module")
def apart() -> Iterator[SeparateProcessReader]:
    settings = config().model_copy(update={"read": ReadConfig(max_s=LONGEST_S)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limited_process, "_START_S", LONGEST_S)
        made = SeparateProcessReader(settings, None, {"test": Lie.VERTICAL})
        yield made
        made.close()


def read(reads: SeparateProcessReader, sent: SentPicture) -> Reading:
    return asyncio.run(reads.read(sent, config()))


@pytest.mark.parametrize("sent", [PLAIN, CALIBRATED], ids=["plain", "calibrated"])
@pytest.mark.slow
def test_it_reads_what_would_be_read_here(apart: SeparateProcessReader, sent: SentPicture) -> None:
    here = read_sent(Reader.load(), sent, 13_000_000, None)
    there = read(apart, sent)
    assert here.tiles
    assert replace(there, elapsed_ms={}) == replace(here, elapsed_ms={})
    assert [tile.scores for tile in there.tiles] == [tile.scores for tile in here.tiles]


def test_what_is_refused_there_is_refused_here(apart: SeparateProcessReader) -> None:
    with pytest.raises(ImageError, match="13 megapixels"):
        read(apart, SentPicture("large.png", saved("PNG", 3_606)))
    with pytest.raises(CalibrationError, match="not a calibration"):
        read(apart, replace(PLAIN, calibration=b"{}"))


def test_a_picture_over_the_limit_needs_no_process() -> None:
    """It is refused at once by its header, also while the process reads another, or has to start."""
    reads = SeparateProcessReader(config(), None, {"test": Lie.VERTICAL})
    large, large_jpeg = saved("PNG", 3_606), saved("JPEG", 3_606)
    for sent in (
        SentPicture("large.png", large),
        SentPicture("large.jpg", large_jpeg),
        replace(CALIBRATED, reference=large),
    ):
        with pytest.raises(ImageError, match="13 megapixels"):
            read(reads, sent)
    assert reads._process.pid is None
    reads.close()


def test_no_calibration_has_a_picture_enlarged_without_end(apart: SeparateProcessReader) -> None:
    told = json.loads(FILE.read_bytes())
    (fx, _, cx), (_, _, cy), last = told["camera"]["K"]
    short = {**told["camera"], "K": [[fx / 5, 0, cx], [0, fx / 5, cy], last]}
    far = {**short, "t": [*short["t"][:2], 20 * short["t"][2]]}
    described = {"size": told["size"], "camera": far, "layout": {}}
    with pytest.raises(CalibrationError, match="tile would be"):
        read(apart, replace(PLAIN, calibration=json.dumps(described).encode()))


def test_the_process_takes_no_more_than_it_may(apart: SeparateProcessReader) -> None:
    read(apart, PLAIN)
    pid = apart._process.pid
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    assert int(status["VmHWM"].split()[0]) < 350_000  # kB; libraries that the service has loaded too are some 90,000
    limits = Path(f"/proc/{pid}/limits").read_text()
    assert str(config().read.max_memory_mb * 1_000_000) in limits
