"""Configuration of NATS servers for a floor: one or three in the middle, and one beside each table as its leaf node.

Who may publish what stands here: the server of a table only below its table's name, the floor only requests to tables.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.nats.names import Names
from service.record.store.files import write_durably

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

CLIENT_PORT: Final = 4222
LEAF_PORT: Final = 7422
CLUSTER_PORT: Final = 6222
FLOOR_USER: Final = "floor"
TABLE_USER: Final = "table"
FILE: Final = "nats-server.conf"
USERS: Final = "users.conf"
_MADE: Final = "# Made by `houseway floor nats-config`, which makes it anew with the same passwords.\n"
_SECRETS_BYTES: Final = 24


@dataclass(frozen=True, slots=True)
class Server:
    """A server in the middle.

    Attributes:
        host: under which the tables, the floor and the other servers reach it.
        listen: the address that it listens on.
        client: port for the floor.
        leaf: port for the tables' servers.
        cluster: port for the other servers.
        store: folder of its streams.
        forwarded: port at which the tables' servers reach it, if something in between leads from there to ``leaf``.
    """

    host: str
    listen: str = "0.0.0.0"  # noqa: S104  it is there to be reached
    client: int = CLIENT_PORT
    leaf: int = LEAF_PORT
    cluster: int = CLUSTER_PORT
    store: str = "/var/lib/nats/houseway"
    forwarded: int | None = None

    @property
    def for_tables(self) -> str:
        """Host and port for the tables' servers."""
        return f"{self.host}:{self.forwarded or self.leaf}"


@dataclass(frozen=True, slots=True)
class Tls:
    """Where each server has its certificate, its key, and the certificates that it trusts."""

    certificate: str = "/etc/nats/server.pem"
    key: str = "/etc/nats/server.key"
    trusted: str = "/etc/nats/ca.pem"


@dataclass(frozen=True, slots=True)
class Leaf:
    """The server beside a table.

    Attributes:
        port: for the table's service, on this computer alone.
        store: folder of its stream.
    """

    port: int = CLIENT_PORT
    store: str = "/var/lib/nats/houseway"


def server_file(place: int, servers: tuple[Server, ...], tls: Tls | None, cluster_password: str) -> str:
    """Configuration of one of the servers in the middle."""
    own = servers[place]
    secured = "" if tls is None else f"tls {{ cert_file: {_q(tls.certificate)}, key_file: {_q(tls.key)} }}\n"
    text = f"""{_MADE}server_name: {_q(f"floor-{place + 1}")}
listen: {_q(f"{own.listen}:{own.client}")}
{secured}max_payload: 8MB
ping_interval: "10s"
ping_max: 2
jetstream {{ domain: "floor", store_dir: {_q(own.store)} }}
leafnodes {{
  listen: {_q(f"{own.listen}:{own.leaf}")}
  advertise: {_q(own.for_tables)}
  {secured}}}
include {USERS}
"""
    if len(servers) == 1:
        return text
    login = f"houseway:{cluster_password}"
    routes = [f"nats-route://{login}@{each.host}:{each.cluster}" for each in servers if each is not own]
    both_ways = (
        ""
        if tls is None
        else f"  tls {{ cert_file: {_q(tls.certificate)}, key_file: {_q(tls.key)}, ca_file: {_q(tls.trusted)} }}\n"
    )
    return f"""{text}cluster {{
  name: "floor"
  listen: {_q(f"{own.listen}:{own.cluster}")}
  no_advertise: true
  authorization {{ user: "houseway", password: {_q(cluster_password)} }}
  routes: {_list(routes)}
{both_ways}}}
"""


def users_file(  # noqa: D417  the rest says itself
    floor_password: str, tables: Mapping[str, str]
) -> str:
    """Who may sign in to the servers in the middle, and what each may publish and hear.

    Args:
        tables: the passwords of the tables' servers.
    """
    users = [
        _user(
            FLOOR_USER,
            floor_password,
            ["houseway.*.http", "$JS.API.>", "$JS.*.API.STREAM.INFO.*"],
            ["houseway.*.reply.*", "_INBOX.>"],
        )
    ]
    for table, password in tables.items():
        names = Names(table)
        own = f"houseway.{table}.>"
        # $JSC.R.> are answers to the servers in the middle, $JS.FC.> is their word that more can be sent.
        heard = [names.requests, own, f"{names.api}.>", "$JS.FC.>"]
        users.append(_user(names.leaf, password, [own, "$JSC.R.>"], heard))
    listed = "\n".join(f"      {each}" for each in users)
    return f"""{_MADE}accounts {{
  FLOOR {{
    jetstream: enabled
    users: [
{listed}
    ]
  }}
}}
"""


def leaf_file(  # noqa: D417  the rest says itself
    table: str, leaf: Leaf, servers: Iterable[Server], tls: Tls | None, password: str, service_password: str
) -> str:
    """Configuration of the server beside a table.

    Args:
        password: with which it signs in to the servers in the middle.
        service_password: with which the table's service signs in to it.
    """
    names = Names(table)
    scheme = "nats-leaf" if tls is None else "tls"
    urls = [f"{scheme}://{names.leaf}:{password}@{each.for_tables}" for each in servers]
    trusted = "" if tls is None else f", tls {{ ca_file: {_q(tls.trusted)} }}"
    return f"""{_MADE}server_name: {_q(names.leaf)}
listen: {_q(f"127.0.0.1:{leaf.port}")}
max_payload: 8MB
ping_interval: "10s"
ping_max: 2
jetstream {{ domain: {_q(names.leaf)}, store_dir: {_q(leaf.store)} }}
accounts {{
  TABLE {{
    jetstream: enabled
    users: [ {{ user: {_q(TABLE_USER)}, password: {_q(service_password)} }} ]
  }}
}}
leafnodes {{
  reconnect: 1
  remotes: [ {{ urls: {_list(urls)}, account: TABLE{trusted} }} ]
}}
"""


def write_files(
    folder: Path,
    tables: Iterable[str],
    servers: tuple[Server, ...],
    tls: Tls | None,
    leaves: Mapping[str, Leaf] | None = None,
) -> None:
    """Write the configuration of all servers into a folder; passwords that are there already stay. OSError."""
    of_floor = _password(folder / "floor.password")
    of_cluster = _password(folder / "cluster.password")
    passwords = {}
    for table in tables:
        place = folder / "tables" / table
        passwords[table] = _password(place / "leaf.password")
        of_service = _password(place / "service.password")
        leaf = (leaves or {}).get(table, Leaf())
        _write(place / FILE, leaf_file(table, leaf, servers, tls, passwords[table], of_service))
    for number in range(len(servers)):
        place = folder / f"server-{number + 1}"
        _write(place / FILE, server_file(number, servers, tls, of_cluster))
        _write(place / USERS, users_file(of_floor, passwords))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_durably(path, text.encode(), mode=0o600)


def _password(path: Path) -> str:
    if path.exists():
        return path.read_text(encoding="ascii").strip()
    made = secrets.token_hex(_SECRETS_BYTES)
    _write(path, made)
    return made


def _user(name: str, password: str, publish: list[str], subscribe: list[str]) -> str:
    may = f"publish: {_list(publish)}, subscribe: {_list(subscribe)}"
    return f"{{ user: {_q(name)}, password: {_q(password)}, permissions: {{ {may} }} }}"


def _list(texts: list[str]) -> str:
    return f"[{', '.join(map(_q, texts))}]"


def _q(text: str) -> str:
    return json.dumps(text)
