"""What people call the browser that a session is in, from what it calls itself."""

from __future__ import annotations

from typing import Final

# The first that is found: later ones are named by others as well.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_name(agent: str) -> str:
    """Such as ``Firefox, Windows``; the beginning of what it calls itself if that is unknown.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    """
    found = [next((name for sign, name in known.items() if sign in agent), "") for known in (_BROWSERS, _SYSTEMS)]
    return ", ".join(filter(None, found)) or agent[:40]
