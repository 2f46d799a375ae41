"""A secret planted in every setting that may hold one is in nothing that the service and its commands write."""

import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.api.permissions import routes_of
from service.system.settings import config_schema, load_config
from tests.conftest import ROOT
from tests.service.cli.test_run import certificate_of_this_machine
from tests.service.stand_ins import FakeReader, app_of, config, wait_until

SECRET = {
    "bucket.endpoint",
    "mqtt.username",
    "record.url",
    "tables.url",
    "tables.source.url",
    "webhooks.url",
    "witnesses.url",
}
"""Settings with a secret in them, which are shown as host and port at most."""
NAMES_A_SECRET = {
    *("letter.password_env", "letter.password_file"),
    *("mqtt.password_env", "mqtt.password_file", "record.url_file", "server.tls_key"),
    *("tables.key_env", "tables.key_file", "bucket.key_env", "bucket.key_file"),
    "tables.source.url_file",
    *("webhooks.secret_env", "webhooks.secret_file"),
    *("accounts.oidc.client_secret_env", "accounts.oidc.client_secret_file"),
}
"""Settings that say where a secret is: that may be seen, what is there may not."""
SAMPLE_CALIBRATION = ROOT / "service" / "sample" / "calibration.json"
"""No alarm is raised for a table that is not set up."""
PLAIN = {
    *(
        "learning.folder",
        "models.shadow",
        "models.weights",
        "record.archive",
        "record.folder",
        "server.tls_certificate",
        "tables.source.path",
        "mqtt.ca_file",
    ),
    *("letter.ca_file", "letter.host", "letter.username", "letter.sender", "letter.to"),
    *(
        "mqtt.client_id",
        "mqtt.host",
        "mqtt.prefix",
        "page.shifts.starts",
        "page.shifts.name",
        "page.time_zone",
    ),
    *(
        "server.host",
        "server.path",
        "server.trusted_proxies",
        "tables.source.simulator",
        "tables.source.device",
        "webhooks.name",
        "webhooks.networks",
    ),
    *(
        "tables.calibration",
        "tables.dice",
        "tables.enrolment",
        "tables.house_way",
        "tables.markers",
        "tables.name",
        "tables.rulebook",
        "tables.variant",
    ),
    *(
        f"accounts.oidc.{name}"
        for name in (
            *("issuer", "title", "client_id", "ca_file", "scopes", "name_claim", "groups_claim", "second_factor"),
            *("groups.group", "groups.pits"),
        )
    ),
    *("pits.name", "pits.title", "service.name", "service.title", "tables.ca_file", "tables.pit", "tables.record"),
    *("bucket.ca_file", "bucket.key_id", "bucket.kms_key", "bucket.name", "bucket.prefix", "bucket.region"),
    *("evidence.folder", "tables.title", "record.mark_file", "record.checkpoints_file", "witnesses.key"),
}
"""Settings in which nobody has a reason to write a secret; those of them that take no address refuse one."""


def test_every_setting_of_text_is_known_to_be_secret_or_not() -> None:
    """A new one has to be thought about: it is added above, and if it is secret, to what is planted below as well."""
    schema = config_schema()
    found = dict(_texts(schema, schema))
    assert set(found) == SECRET | NAMES_A_SECRET | PLAIN
    assert {name for name, secret in found.items() if secret} == SECRET


def _texts(node: dict[str, Any], schema: dict[str, Any], name: str = "") -> Iterator[tuple[str, bool]]:
    """The settings that take any text, and whether the schema calls them secret."""
    for kind in (*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from _texts({**kind, "writeOnly": kind.get("writeOnly", node.get("writeOnly"))}, schema, name)
    if "$ref" in node:
        yield from _texts(schema["$defs"][node["$ref"].rpartition("/")[2]], schema, name)
    if "items" in node:
        yield from _texts(node["items"], schema, name)
    for key, inner in node.get("properties", {}).items():
        yield from _texts(inner, schema, f"{name}.{key}".lstrip("."))
    if node.get("type") == "string" and not {"enum", "const"} & set(node):
        yield name, bool(node.get("writeOnly"))


class _Receiver(BaseHTTPRequestHandler):
    """Takes what is posted to ``/good``, refuses everything else."""

    taken: list[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.taken.append(self.path)
        self.send_response(204 if self.path.startswith("/good") else 500)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def receiver() -> Iterator[tuple[int, list[str]]]:
    taken: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Receiver", (_Receiver,), {"taken": taken}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1], taken
    server.shutdown()
    server.server_close()
    thread.join()


def _planted(name: str) -> str:
    """A secret that is nowhere by chance, and in which its setting is told."""
    return f"planted{name}{os.urandom(6).hex()}"


class _Table:
    """A table's settings with a secret in each place, and everything that was written of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secrets: dict[str, str] = {}
        self.written: dict[str, bytes] = {}
        self.environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "PYTHONWARNINGS": "default"}

    def secret(self, name: str) -> str:
        return self.secrets.setdefault(name, _planted(name))

    def signing(self, name: str) -> str:
        self.secrets[name] = base64.b64encode(os.urandom(30)).decode()
        return f"whsec_{self.secrets[name]}"

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o600)
        return name

    def settings(self, text: str) -> Path:
        return self.folder / self.file("table.toml", text)

    def command(self, *arguments: str) -> str:
        """Run a command of ours to its end; what it says is kept."""
        done = subprocess.run(
            [sys.executable, "-m", "service", *arguments],
            *(),
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
        self.written[f"houseway {' '.join(arguments[:2])} {len(self.written)}"] = done.stdout + done.stderr
        return done.stdout.decode()

    @contextlib.contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """The service; what it says is kept."""
        with (self.folder / "out").open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "service", "run", *arguments],
                *(),
                cwd=ROOT,
                env=self.environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            try:
                yield process
            finally:
                process.terminate()
                process.wait(30)
                self.written["houseway run"] = (self.folder / "out").read_bytes()

    def leaks(self) -> list[tuple[str, str]]:
        for path in (self.folder / "state").rglob("*"):
            if path.is_file() and path.name != "record.key":
                self.written[path.name] = path.read_bytes()
        return [
            (where, name)
            for where, text in self.written.items()
            for name, secret in self.secrets.items()
            if secret.encode() in text
        ]


@pytest.fixture
def table(tmp_path: Path) -> _Table:
    return _Table(tmp_path)


def _settings(table: _Table, receiver: int, free: tuple[int, int]) -> str:
    certificate, key = certificate_of_this_machine(table.folder)
    table.secrets["tls_key"] = key.read_text().splitlines()[2]
    key.chmod(0o600)
    table.file("hook.secret", table.signing("file") + "\n")
    table.environment["HOOK_SECRET"] = table.signing("variable")
    table.file("mqtt.password", table.secret("mqttpassword") + "\n")
    table.file(
        "camera",
        f"rtsp://{table.secret('camerauser')}:{table.secret('camera')}%40{table.secret('escaped')}@127.0.0.1:{free[0]}/"
        f"{table.secret('camerapath')}?password={table.secret('cameraquery')}\n",
    )
    by_file = ('secret_file = "hook.secret"\n', "")
    hook = 'secret_file = "hook.secret"\nstart = "oldest"\nfirst_pause_s = 0.05\nlongest_pause_s = 0.1\nattempts = 4\n'
    hook += 'networks = ["127.0.0.0/8"]\n'
    return (
        f'[[tables]]\nname = "planted"\ncalibration = "{SAMPLE_CALIBRATION}"\n'
        f'[tables.source]\nkind = "rtsp"\nurl_file = "camera"\nopen_timeout_s = 2.0\n'
        f'[tables.clock]\nneed_sync = false\n[log]\nlevel = "debug"\n'
        f'[server]\nport = {free[1]}\ntls_certificate = "{certificate}"\ntls_key = "{key}"\n'
        f'[[webhooks]]\nname = "good"\nurl = "http://127.0.0.1:{receiver}/good/{table.secret("goodpath")}?token='
        f'{table.secret("goodquery")}"\n{hook}'
        f'[[webhooks]]\nname = "bad"\nurl = "http://127.0.0.1:{receiver}/bad/{table.secret("badpath")}?token='
        f'{table.secret("badquery")}"\n{hook.replace(*by_file)}secret_env = "HOOK_SECRET"\n'
        f'[[webhooks]]\nname = "gone"\nurl = "http://127.0.0.1:{free[0]}/{table.secret("gonepath")}"\n{hook}'
        f'[[witnesses]]\nurl = "http://127.0.0.1:{free[0]}/{table.secret("witnesspath")}"\nkey = "w+00000000+BAAA"\n'
        f'[mqtt]\nhost = "127.0.0.1"\nport = {free[0]}\nusername = "{table.secret("mqttuser")}"\n'
        f'password_file = "mqtt.password"\n'
    )


@pytest.mark.slow
def test_a_running_service(table: _Table, receiver: tuple[int, list[str]], free_ports: tuple[int, int]) -> None:
    port, taken = receiver
    settings = str(table.settings(_settings(table, port, free_ports)))
    key = table.command("key", "add", "reader", "--role", "admin", "--reason", "a test", "--config", settings)
    token = next(word for word in key.split() if word.startswith("hw_"))
    table.secrets["key"] = token
    table.written.clear()
    shown = table.command("config", "check", settings, "--show")
    assert json.loads(shown)["tables"][0]["source"]["url"] == f"rtsp://127.0.0.1:{free_ports[0]}/..."
    with table.running("--config", settings) as process:
        client = httpx2.Client(
            base_url=f"https://localhost:{free_ports[1]}",
            verify=False,
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,  # the edges of the House Ways are counted while the page waits
        )
        wait_until(lambda: process.poll() is not None or _answers(client), 60)
        assert process.poll() is None, (table.folder / "out").read_text()
        # A camera that is not there is bad health: recorded, shown, and told to everybody who wants to know.
        wait_until(lambda: sum(path.startswith("/bad") for path in taken) >= 4, 60)
        wait_until(lambda: any(path.startswith("/good") for path in taken))
        for path in _paths():
            table.written[path] = client.get(path).content
        table.written["html"] = client.get("/", headers={"Accept": "text/html"}).content
        with client.stream("GET", "/v1/events") as events:
            table.written["/v1/events"] = next(events.iter_bytes())
        table.written["problem"] = client.post("/v1/house-way", json={"hand": table.folder.name}).content
        table.written["stranger"] = httpx2.get(f"{client.base_url}/v1/tables", verify=False).content
        client.close()
        table.command("doctor", "--config", settings)
        table.command("webhook", "list", "--config", settings)
    table.command("doctor", "--config", settings, "--json")
    table.command("record", "export", str(table.folder / "state" / "export"), "--config", settings)
    table.command("read", (table.folder / "camera").read_text().strip())
    assert b"planted" in table.written["/v1/tables"]
    assert "record.db" in {path.name for path in (table.folder / "state").rglob("*")}
    assert table.leaks() == []


@pytest.mark.slow
def test_a_database_that_is_not_there(table: _Table, free_ports: tuple[int, int]) -> None:
    url = f"postgresql+pg8000://{table.secret('dbuser')}:{table.secret('db')}@127.0.0.1:{free_ports[0]}/record"
    table.file("database", f"{url}?application_name={table.secret('dbquery')}")
    text = '[[tables]]\nname = "planted"\n[tables.source]\nkind = "simulator"\n[record]\nurl_file = "database"\n'
    settings = str(table.settings(text))
    table.command("config", "check", settings, "--show")
    table.command("doctor", "--config", settings)
    table.command("record", "verify", "--config", settings)
    table.command("key", "revoke", "till", "--reason", "lost", "--config", settings)
    assert table.leaks() == []


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('[record]\nurl = "postgresql://user:{}@more@host/db"', id="database-at"),
        pytest.param('[record]\nurl = "postgresql://user:p/{}@host/db"', id="database-slash"),
        pytest.param('[record]\nurl_file = "postgresql://user:{}@host/db"', id="address-as-file"),
        pytest.param('[record]\nfolder = "postgresql://user:{}@host/db"', id="address-as-folder"),
        pytest.param('[[webhooks]]\nname = "a"\nurl = "https://user:{}@host/"\nsecret_env = "A"', id="webhook-user"),
        pytest.param('[[webhooks]]\nname = "a"\nurl = "https://host:{}/"\nsecret_env = "A"', id="webhook-port"),
        pytest.param('[[webhooks]]\nname = "a"\nurl = "ftp://host/{}"\nsecret_env = "A"', id="webhook-scheme"),
        pytest.param(
            '[[webhooks]]\nname = "a"\nurl = "https://host/"\nsecret_env = "whsec_{}"', id="secret-as-variable"
        ),
        pytest.param('[[webhooks]]\nname = "a"\nurl = "https://host/"\nsecret_file = "whsec_{}"', id="secret-as-file"),
        pytest.param('[mqtt]\nhost = "mqtt://user:{}@host"', id="address-as-broker"),
        pytest.param('[mqtt]\nhost = "host"\npassword_file = "{}"', id="password-without-a-name"),
        pytest.param('[server]\nhost = "http://user:{}@host"', id="address-as-host"),
        pytest.param('[server]\ntrusted_proxies = ["http://user:{}@proxy"]', id="proxy-with-a-password"),
        pytest.param('[server]\ntls_key = "https://user:{}@host"', id="address-as-key"),
        pytest.param("[server]\nport = '{}'", id="port"),
        pytest.param('[table.secret]\ntoken = "{}"', id="unknown-section"),
        pytest.param('[record]\nurl = "{}', id="not-toml"),
    ],
)
def test_a_refused_setting_is_not_repeated(table: _Table, line: str) -> None:
    name = '[[tables]]\nname = "planted"\n' if "[tables]" not in line else ""
    text = name + '[tables.source]\nkind = "simulator"\n' + line.format(table.secret("setting"))
    with pytest.raises(ValueError, match=r"table\.toml") as refused:
        load_config(table.settings(text))
    assert table.secrets["setting"] not in str(refused.value)


@pytest.mark.parametrize("url", ["rtsp://u:{}/w@host/", "rtsp://{}/w@host/", "rtsp://10.0.0.5/live?user=a&password={}"])
def test_a_camera_whose_password_is_not_escaped(table: _Table, url: str) -> None:
    text = (
        f'[[tables]]\nname = "planted"\n[tables.source]\nkind = "rtsp"\nurl = "{url.format(table.secret("camera"))}"\n'
    )
    read = load_config(table.settings(text))
    assert table.secrets["camera"] not in json.dumps(read.public()) + repr(read)
    assert any(table.secrets["camera"] in each for each in read.secrets())


def _answers(client: httpx2.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx2.HTTPError:
        time.sleep(0.1)
        return False


def _paths() -> list[str]:
    """Everything that can be asked for without naming one thing, as long as it ends."""
    app = app_of(config(), reader=FakeReader(), watch=False)
    paths = (str(route.path) for route in routes_of(app) if "GET" in (route.methods or ()))
    return sorted({path for path in paths if "{" not in path} - {"/v1/events", "/set-up"})


@pytest.fixture
def free_ports() -> tuple[int, int]:
    """Two ports on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]
