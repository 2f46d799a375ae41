"""A round or a tournament described in a file, read into the shape that it should have."""

import json
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from service.words.validation import fault_message

Shape = TypeVar("Shape", bound=BaseModel)


class DescribedModel(BaseModel):
    """A part of what a file or a request describes, or of its answer: unknown keys are refused, nothing changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DescribedFileError(ValueError):
    """A file that does not describe what it should; the message says where and what to write."""


def load(path: Path, shape: type[Shape]) -> Shape:
    """Read a file: JSON if its name ends so, else TOML.

    Raises:
        DescribedFileError: the file is missing, is neither, or a key is unknown, missing or wrong.
    """
    written_in = "JSON" if path.suffix == ".json" else "TOML"
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors may add a byte order mark
        raw = json.loads(text, object_pairs_hook=_once) if written_in == "JSON" else tomllib.loads(text)
        return shape.model_validate(raw)
    except (OSError, UnicodeDecodeError) as error:
        raise DescribedFileError(f"{path}: cannot be read: {error}") from None
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise DescribedFileError(f"{path}: {'; '.join(map(_explain, faults))}") from None
    except (ValueError, RecursionError) as error:
        raise DescribedFileError(f"{path}: not {written_in}: {' '.join(str(error).split())}") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object whose keys are there once; two banks, say, are a mistake and not a choice."""
    keys = [key for key, _ in pairs]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise ValueError(f"{twice!r} is written twice")
    return dict(pairs)


def _explain(fault: Any) -> str:  # noqa: ANN401  pydantic's own shape
    where = ".".join(str(part) for part in fault["loc"] if part != "[key]")
    what = "unknown key" if fault["type"] == "extra_forbidden" else fault_message(fault)
    return f"{where}: {what}" if where else what
