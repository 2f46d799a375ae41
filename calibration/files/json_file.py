"""Strict JSON files: wrong types, non-finite numbers and unknown keys are errors.

The message names the file, the key by its path (``places[2].size_mm``), what was expected and what was found.
"""

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails


class FileModel(BaseModel):
    """The content of a file, or of an object in it: strict types, finite numbers, no unknown keys, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


Content = TypeVar("Content", bound=FileModel)

Mm: TypeAlias = Annotated[float, Field(ge=-100_000, le=100_000)]
"""A length or coordinate at a table, in millimetres; anything larger is not part of it."""
Pair: TypeAlias = tuple[Mm, Mm]
FourPoints: TypeAlias = Annotated[tuple[Pair, ...], Field(min_length=4, max_length=4)]


def _whole(value: object) -> object:
    """Convert a number such as 640.0 to an integer; other values are unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Pixels: TypeAlias = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=32_000)]
PictureSize: TypeAlias = tuple[_Pixels, _Pixels]
"""Width and height of a picture in pixels."""


MOST_BYTES: Final = 64_000_000
"""Largest file, or picture in a record, that is read: far more than any that this program or a person writes."""


def read_bounded(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a file that may come from anywhere; OSError if it cannot be read or is too large, as a device may be."""
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {most_bytes // 1_000_000} MB")
    return data


def read_json(path: Path, error: type[Exception]) -> dict[str, object]:
    """The JSON object in a file; raises ``error`` if it cannot be read or is not a JSON object."""
    try:
        text = read_bounded(path)
    except OSError as fault:
        raise error(f"{path}: cannot be read ({fault.strerror})") from fault
    return json_object(text, str(path), error)


def json_object(text: bytes, where: str, error: type[Exception]) -> dict[str, object]:
    """The JSON object in the content of a file named ``where``; raises ``error`` otherwise."""
    try:
        data = json.loads(text.decode("utf-8-sig"))
        json.dumps(data)  # content nested too deeply for this would fail later
    except UnicodeDecodeError as fault:
        raise error(f"{where}: is not a text file; a JSON file was expected") from fault
    except (ValueError, RecursionError) as fault:
        raise error(f"{where}: is not valid JSON ({fault})") from fault
    if not isinstance(data, dict):
        raise error(f"{where}: expected a JSON object, got {_excerpt(data)}")
    return data


def parse(
    model: type[Content],
    data: object,
    where: str,
    error: type[Exception],
    unknown_keys: Literal["forbid", "ignore"] | None = None,
) -> Content:
    """Validate a JSON object and return its content.

    Args:
        model: the expected content.
        data: from ``read_json``.
        where: name of the file, for the message.
        error: the exception to raise at the first fault, for each format its own.
        unknown_keys: what to do with unknown keys; default as defined by each model.
    """
    with named_faults(where, error):
        # As JSON text: there a list is accepted as a tuple and an object as a model, even in strict mode.
        return model.model_validate_json(json.dumps(data), extra=unknown_keys)


@contextmanager
def named_faults(where: str, error: type[Exception]) -> Iterator[None]:
    """Convert pydantic's errors to one error with the file and the first fault."""
    try:
        yield
    except ValidationError as faults:
        raise error(f"{where}, {_message(faults.errors()[0])}") from faults


def _message(fault: ErrorDetails) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    match fault["type"]:
        case "missing":
            words = "is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            words = "unknown key; see that it is spelt rightly, or take it out"
        case "value_error":
            words = str(fault["ctx"]["error"])
        case _:
            words = f"{fault['msg'].replace('Input should be', 'expected')}, got {_excerpt(fault['input'])}"
    return f"{path}: {words}" if path else words


def _excerpt(value: object) -> str:
    """A value as written in the file, shortened if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."
