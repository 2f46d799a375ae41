"""The page of all metrics, from the registry that the service is scraped from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from docs.site.markdown import code, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import CollectorRegistry

_HEAD = """\
# Metrics

What `GET /metrics` gives to Prometheus. `docs/operations.md` says how to ask for it and what deserves an alarm.
"""
_SUFFIXES: Final = {"counter": "_total", "info": "_info"}


def metrics_page(registry: CollectorRegistry) -> Iterator[str]:
    """Yield the lines of the page: every metric with its type and meaning, ours before those of the process."""
    yield _HEAD
    families = sorted(registry.collect(), key=lambda each: not each.name.startswith("houseway"))
    rows = [(code(each.name + _SUFFIXES.get(each.type, "")), each.type, plain(each.documentation)) for each in families]
    yield from table(("metric", "type", "meaning"), rows)
