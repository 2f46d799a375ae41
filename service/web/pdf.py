"""HTML as a PDF file, by WeasyPrint: fonts are embedded, and nothing is fetched from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

from markupsafe import Markup
from PIL import ImageFile

from service.api.problems import ProblemError
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pydyf
    from weasyprint import Document
    from weasyprint.urls import URLFetcherResponse

LIBRARIES: Final = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
"""Debian packages with the libraries that lay out text."""
CHINESE_FONT: Final = "fonts-droid-fallback"
"""Debian package of a font with Traditional and Simplified Chinese; any other font that has both will do."""
_CHINESE: Final = "莊庄"
_ONE_AT_A_TIME: Final = Lock()  # Pango's font map is not made for several threads


@dataclass(frozen=True, slots=True)
class Printed:
    """A PDF file, and the characters in it that no installed font has: boxes stand in their place."""

    pdf: bytes
    missing: str


def print_pdf(html: str, pictures: Mapping[str, bytes]) -> Printed:
    """Print a page.

    Args:
        html: with its own style.
        pictures: JPEG files by the last part of their address in the page; no other address is allowed.

    Raises:
        ProblemError: the libraries that lay out text are not installed, or no font has Chinese that the page holds.
    """
    with _ONE_AT_A_TIME:
        printed = _print(html, pictures)
        if printed.missing and _print(f"<p>{_CHINESE}</p>", {}).missing:
            raise _not_installed(CHINESE_FONT)
    return printed


def _print(html: str, pictures: Mapping[str, bytes]) -> Printed:
    # Not at import: a PDF is seldom wanted, and all that draws one takes memory from then on.
    try:
        from weasyprint import HTML  # noqa: PLC0415
        from weasyprint.urls import URLFetcher, URLFetcherResponse  # noqa: PLC0415
    except OSError as error:
        raise _not_installed(LIBRARIES) from error
    finally:
        # WeasyPrint lets Pillow accept damaged pictures in the whole process; pictures sent to us must stay refused.
        ImageFile.LOAD_TRUNCATED_IMAGES = False

    class Pictures(URLFetcher):  # type: ignore[misc]  # WeasyPrint has no types
        def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
            del headers
            data = pictures[url.rpartition("/")[2]]
            return URLFetcherResponse(url, body=data, headers={"Content-Type": "image/jpeg"})

    missing: set[int] = set()

    def note_missing(document: Document, _: pydyf.PDF) -> None:
        for font in document.fonts.values():
            missing.update(font.missing)

    page = HTML(string=html, base_url="http://houseway.invalid/", url_fetcher=Pictures(fail_on_errors=True))
    pdf: bytes = page.write_pdf(finisher=note_missing)
    return Printed(pdf, "".join(map(chr, sorted(missing))))


def _not_installed(packages: str) -> ProblemError:
    needed = words("PDF files need these Debian packages on this computer: %(packages)s", packages=Markup(packages))  # noqa: S704  constants of this file
    return ProblemError("cannot_print", needed)
