"""The rules were written from the texts whose fingerprints they carry."""

from hashlib import sha256
from pathlib import Path

import pytest

from engine.books.house_ways import get

TEXTS = {
    "crown-6.1": "crown-melbourne-v6.1.txt",
    "nz-1998": "nz-gazette-1998-division-12.txt",
    "star-2024": "star-sydney-2024.txt",
    "star-classic": "star-sydney-classic.txt",
}


@pytest.mark.parametrize("book", TEXTS)
def test_the_fingerprint_of_the_text(book: str, shared: Path) -> None:
    text = (shared / "rulebooks" / TEXTS[book]).read_bytes()
    assert get(book).source.sha256 == sha256(text).hexdigest()


@pytest.mark.parametrize("book", TEXTS)
def test_the_sources_page_names_it(book: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "sources.md").read_text()
    assert f"`{get(book).source.sha256}`" in page
