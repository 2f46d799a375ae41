"""The copy of a table's stream that the servers in the middle keep: it fills by itself whenever the line is there."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nats.js.api import DiscardPolicy, ExternalStream, RetentionPolicy, StorageType, StreamConfig, StreamSource
from nats.js.errors import NotFoundError

from service.floor.collect.asking import ask, let_go

if TYPE_CHECKING:
    from service.nats.line import NatsLine
    from service.nats.names import Names

_log = logging.getLogger(__name__)

_PATIENCE_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class StreamCopy:
    """The copy of one table's stream.

    Attributes:
        line: to the servers in the middle.
        names: of the table.
        replicas: on how many of them it is kept.
        max_bytes: that it may take.
    """

    line: NatsLine
    names: Names
    replicas: int
    max_bytes: int

    async def tend(self) -> bool:
        """Make the copy as the settings want it; if the table's stream was made anew, anew: a copy does not notice.

        Returns whether it was made. Raises what NATS raises, also if the table's server is away.
        """
        begun = await self._begun()
        if begun is None:
            return False
        streams = self.line.client.jetstream(timeout=_PATIENCE_S)
        wanted = self._config(begun)
        try:
            found = (await streams.stream_info(self.names.leaf)).config
        except NotFoundError:
            await streams.add_stream(wanted)
            return True
        if found.description != wanted.description:
            _log.warning("%s: its stream was made anew, and so is the copy of it", self.names.table)
            await streams.delete_stream(self.names.leaf)
            await streams.add_stream(wanted)
            return True
        if (found.max_bytes, found.num_replicas) != (wanted.max_bytes, wanted.num_replicas):
            await streams.update_stream(found.evolve(max_bytes=self.max_bytes, num_replicas=self.replicas))
        return False

    async def _begun(self) -> str | None:
        """When the table's own stream was made; None if it has none yet."""
        about, subscription = await ask(
            self.line, self.names, f"{self.names.api}.STREAM.INFO.{self.names.leaf}", b"", {}, _PATIENCE_S
        )
        await let_go(subscription)
        try:
            created = json.loads(about.data).get("created")
        except (ValueError, AttributeError):
            return None
        return created if isinstance(created, str) else None

    def _config(self, begun: str) -> StreamConfig:
        origin = ExternalStream(api=self.names.api, deliver=self.names.deliver)
        return StreamConfig(
            name=self.names.leaf,
            description=f"copy of the stream of {begun}",
            mirror=StreamSource(name=self.names.leaf, external=origin),
            retention=RetentionPolicy.LIMITS,
            discard=DiscardPolicy.OLD,
            storage=StorageType.FILE,
            max_bytes=self.max_bytes,
            num_replicas=self.replicas,
        )
