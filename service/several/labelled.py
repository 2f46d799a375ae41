"""The metrics of several tables as one text, in which each says which table it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from prometheus_client.core import Metric

LABEL: Final = "table"


def labelled(texts: Iterable[tuple[str, str]], processes: Sequence[tuple[str, bool, int]]) -> str:
    """The text of all tables' metrics.

    Args:
        texts: of each table its name and its own text; empty where it did not answer.
        processes: of each table its name, whether its process runs, and how often it was started.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(list(_merged(texts, processes))))
    return generate_latest(registry).decode()


class _Collected(Collector):
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        """The families as they were put together."""
        yield from self._families


def _merged(texts: Iterable[tuple[str, str]], processes: Sequence[tuple[str, bool, int]]) -> Iterator[Metric]:
    found: dict[str, Metric] = {}
    for table, text in texts:
        for family in text_string_to_metric_families(text):
            into = found.get(family.name)
            if into is None:
                into = found[family.name] = family
                samples, family.samples = family.samples, []
            else:
                samples = family.samples
            into.samples += [sample._replace(labels={LABEL: table, **sample.labels}) for sample in samples]
    yield from found.values()
    runs = GaugeMetricFamily("houseway_table_running", "1 if the table's process runs, 0 if not", labels=[LABEL])
    starts = CounterMetricFamily("houseway_table_starts", "Times that the table's process was started", labels=[LABEL])
    for table, well, started in processes:
        runs.add_metric([table], float(well))
        starts.add_metric([table], started)
    yield from (runs, starts)
