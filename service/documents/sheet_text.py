"""Text of printed sheets: in the reader's language, and in a font that has its characters.

Chinese is set in the fonts that every PDF reader brings for it, so none need be installed or shipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from babel.dates import format_datetime
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Paragraph

from service.words.languages import locale_of, translations
from service.words.wording import Sayable

if TYPE_CHECKING:
    from datetime import datetime
    from gettext import NullTranslations
    from zoneinfo import ZoneInfo

_LATIN: Final = "Helvetica"
_CHINESE: Final = "STSong-Light"
"""Its characters (Adobe-GB1) are traditional ones too."""
_NOT_LATIN: Final = re.compile(r"[^\x00-\xff]+")
_LIKE_LATIN: Final = str.maketrans({"‑": "-", "–": "-", "—": "-", "’": "'", "“": '"', "”": '"', "…": "..."})  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class SheetText:
    """Writes in a language and a time zone.

    Attributes:
        language: as the page names it.
        zone: the casino's.
    """

    language: str
    zone: ZoneInfo

    @property
    def english(self) -> bool:
        """Whether the language is that of the rulebooks."""
        return self.language == "en"

    @property
    def catalogue(self) -> NullTranslations:
        """The texts of the language."""
        return translations(self.language)

    def say(self, what: object) -> str:
        """Words in the language; everything else as it is written."""
        return what.said_in(self.catalogue) if isinstance(what, Sayable) else str(what)

    def moment(self, at: datetime) -> str:
        """Day and time of day in the zone."""
        return str(format_datetime(at.astimezone(self.zone), "medium", locale=locale_of(self.language)))

    def markup(self, what: object) -> str:
        """Text as a paragraph takes it, with each character in a font that has it."""
        if _CHINESE not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(UnicodeCIDFont(_CHINESE))
        text = self.say(what).translate(_LIKE_LATIN)
        parts, end = [], 0
        for found in _NOT_LATIN.finditer(text):
            parts += [escape(text[end : found.start()]), f'<font name="{_CHINESE}">{escape(found.group())}</font>']
            end = found.end()
        return "".join((*parts, escape(text[end:])))

    def paragraph(self, what: object, style: ParagraphStyle) -> Paragraph:
        """A paragraph of words."""
        return Paragraph(self.markup(what), style)


def style(name: str, size: float, **more: object) -> ParagraphStyle:
    """A style of a sheet: its size in points, whatever else reportlab knows of styles."""
    bold = more.pop("bold", False)
    font = f"{_LATIN}-Bold" if bold else _LATIN
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=1.3 * size, wordWrap="CJK", **more)
