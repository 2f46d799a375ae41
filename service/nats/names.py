"""Names that a table has in NATS; all of them hold the name of the table, and a table may use no other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """What everything of one table is called.

    Attributes:
        table: name of the table on the floor.
    """

    table: str

    @property
    def leaf(self) -> str:
        """The table's server, its JetStream domain, its user and its stream, and the copy of that in the middle."""
        return f"houseway-{self.table}"

    @property
    def entries(self) -> str:
        """Subject that the entries of its record are published to."""
        return f"houseway.{self.table}.entries"

    @property
    def requests(self) -> str:
        """Subject that its service is asked on."""
        return f"houseway.{self.table}.http"

    def reply(self, unique: str) -> str:
        """Subject on which the answer to one request comes."""
        return f"houseway.{self.table}.reply.{unique}"

    @property
    def deliver(self) -> str:
        """Beginning of the subjects on which its stream is handed to the servers in the middle."""
        return f"houseway.{self.table}.deliver"

    @property
    def api(self) -> str:
        """Beginning of the subjects on which its own server is asked about streams."""
        return f"$JS.{self.leaf}.API"
