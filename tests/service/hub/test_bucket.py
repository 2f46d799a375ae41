"""Pictures copied into a bucket, of a server that speaks the protocol of S3 (moto's)."""

import asyncio
import base64
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import boto3
import pytest
from moto.server import ThreadedMotoServer
from pydantic import ValidationError
from typer.testing import CliRunner

from service.access.roles import UserRole
from service.cli import app as command_line
from service.hub.copies import Copies, CopyError
from service.system.remote_settings import BucketConfig
from service.system.settings import load_config
from service.system.settings_file import ConfigError
from tests.service.hub.hubs import hub_config, serving_hub, written
from tests.service.hub.remote_tables import serving_table, table_config
from tests.service.hub.test_evidence import has_all, played, some_picture
from tests.service.stand_ins import HOUSE_WRONG, new_folder, wait_until

SECRET = "a-secret-of-the-store"  # noqa: S105  of the tests


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = ThreadedMotoServer(port=0, verbose=False)
    made.start()
    host, port = made.get_host_and_port()
    yield f"http://{host}:{port}"
    made.stop()


@pytest.fixture
def client(server: str) -> Any:  # noqa: ANN401  of boto3
    return boto3.client(
        "s3", endpoint_url=server, region_name="us-east-1", aws_access_key_id="floor", aws_secret_access_key=SECRET
    )


@pytest.fixture
def settings(server: str, client: Any, request: pytest.FixtureRequest) -> BucketConfig:  # noqa: ANN401
    name = f"pictures-{abs(hash(request.node.name)) % 10**9}"
    client.create_bucket(Bucket=name)
    return settings_of(server, name)


def settings_of(endpoint: str, name: str, **more: Any) -> BucketConfig:  # noqa: ANN401
    file = new_folder() / "secret"
    file.write_text(SECRET)
    told = {"endpoint": endpoint, "name": name, "key_id": "floor", "key_file": str(file), "prefix": "floor/"}
    return BucketConfig.model_validate(told | more)


def test_a_picture_is_kept_under_its_hash_and_checked(settings: BucketConfig, client: Any) -> None:  # noqa: ANN401
    picture, bucket = some_picture("r1"), Copies.in_bucket(settings.model_copy(update={"encryption": "AES256"}))

    async def keep() -> None:
        await bucket.open()
        assert not await bucket.holds(picture.sha256, len(picture.data))
        assert await bucket.get(picture.sha256) is None
        await bucket.put(picture.sha256, picture.data, "image/jpeg")
        assert await bucket.holds(picture.sha256, len(picture.data))
        assert not await bucket.holds(picture.sha256, 3)
        assert await bucket.get(picture.sha256) == picture.data

    asyncio.run(keep())
    key = f"floor/{picture.sha256[:2]}/{picture.sha256}"
    head = client.head_object(Bucket=settings.name, Key=key)
    assert (head["ContentType"], head["ServerSideEncryption"]) == ("image/jpeg", "AES256")
    assert bucket.verify() == (1, ())
    assert bucket.used == len(picture.data)
    client.put_object(Bucket=settings.name, Key=key, Body=b"something else")
    assert asyncio.run(bucket.get(picture.sha256)) is None
    assert bucket.verify() == (0, (picture.sha256,))


class Listening(BaseHTTPRequestHandler):
    """Takes whatever is uploaded, and notes the headers."""

    heard: ClassVar[list[dict[str, str]]] = []

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.heard.append(dict(self.headers.items()))
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_an_upload_says_what_must_arrive() -> None:
    """The store is told the hash twice, as the checksum and in what is signed: it can refuse what arrives changed."""
    picture = some_picture("r1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Listening) as heard:
        thread = threading.Thread(target=heard.serve_forever)
        thread.start()
        bucket = Copies.in_bucket(settings_of(f"http://127.0.0.1:{heard.server_port}", "pictures"))
        asyncio.run(bucket.put(picture.sha256, picture.data, "image/jpeg"))
        heard.shutdown()
        thread.join(30)
    (headers,) = ({name.lower(): value for name, value in each.items()} for each in Listening.heard)
    assert headers["x-amz-checksum-sha256"] == base64.b64encode(bytes.fromhex(picture.sha256)).decode()
    assert "x-amz-checksum-sha256" in headers["authorization"]
    assert SECRET not in str(headers)


def test_what_the_store_does_not_do_is_told_without_a_secret(server: str) -> None:
    for each in (settings_of(server, "no-such-bucket"), settings_of("http://127.0.0.1:9", "pictures")):
        with pytest.raises(CopyError) as caught:
            asyncio.run(Copies.in_bucket(each).open())
        said = f"{caught.value} {caught.value.__cause__}"
        assert said.startswith(f"bucket {each.name}: the store ")
        assert SECRET not in said
        assert caught.value.__suppress_context__


def test_pictures_of_tables_are_copied_and_served_without_the_table(
    postgresql_url: str,
    settings: BucketConfig,
    client: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    with serving_table(table_config("t0")) as (served, told):
        picture = some_picture("wrong")
        played(served, HOUSE_WRONG, "r1", picture)
        config = hub_config(postgresql_url, {"t0": told})
        evidence = config.evidence.model_copy(update={"copied": "all"})
        config = config.model_copy(update={"evidence": evidence, "bucket": settings})

        def keys() -> list[str]:
            return [each["Key"] for each in client.list_objects_v2(Bucket=settings.name).get("Contents", ())]

        with serving_hub(config) as hub, hub.client(UserRole.ADMIN) as asks:
            wait_until(lambda: keys() == [f"floor/{picture.sha256[:2]}/{picture.sha256}"])
            served.stop()
            assert asks.get(f"/v1/evidence/{picture.sha256}").content == picture.data
            metrics = asks.get("/metrics").text
            assert "houseway_hub_evidence_failing 0.0" in metrics
            assert f"houseway_hub_evidence_bytes {float(len(picture.data))}" in metrics
        assert Copies.in_bucket(settings).get_now(picture.sha256) == picture.data
        path = written(config, tmp_path)
        path.write_text(path.read_text() + as_toml(settings))
        proven = CliRunner().invoke(command_line, ["floor", "verify", "--config", str(path)])
        assert (proven.exit_code, f"1 pictures are intact in bucket {settings.name}" in proven.output) == (0, True), (
            proven.output
        )


def _told(settings: BucketConfig) -> dict[str, str]:
    told = {"endpoint": settings.address, "name": settings.name, "key_id": settings.key_id, "prefix": settings.prefix}
    return told | {"key_file": str(settings.key_file)}


def as_toml(settings: BucketConfig) -> str:
    return "[bucket]\n" + "".join(f'{name} = "{value}"\n' for name, value in _told(settings).items())


def test_a_store_that_fails_is_told_and_collecting_goes_on(
    postgresql_url: str, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with serving_table(table_config("t0")) as (served, told):
        picture = some_picture("wrong")
        played(served, HOUSE_WRONG, "r1", picture)
        config = hub_config(postgresql_url, {"t0": told})
        evidence = config.evidence.model_copy(update={"copied": "all"})
        bucket = settings_of(server, "no-such-bucket")
        config = config.model_copy(update={"evidence": evidence, "bucket": bucket})
        with serving_hub(config) as hub, hub.client() as asks:
            wait_until(lambda: has_all(hub, served))
            wait_until(lambda: "houseway_hub_evidence_failing 1.0" in asks.get("/metrics").text)
            assert asks.get(f"/v1/evidence/{picture.sha256}").content == picture.data
        assert "cannot be copied into bucket no-such-bucket: " in caplog.text
        assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"endpoint": "https://ann@host"}, "without a user"),
        ({"endpoint": "https://host/path"}, "a path behind it"),
        ({"prefix": "/floor"}, "match"),
        ({"name": "Pictures"}, "match"),
        ({"key_env": "SECRET"}, "either key_file or key_env"),
        ({"kms_key": "x"}, "aws:kms"),
    ],
)
def test_settings_that_cannot_be_are_refused(server: str, told: dict[str, str], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        BucketConfig.model_validate({**_told(settings_of(server, "pictures")), **told})


def test_a_folder_or_a_bucket(server: str, tmp_path: Path) -> None:
    config = hub_config("postgresql+pg8000://ann@db.example/floor", {"t0": {"url": "http://127.0.0.1:9"}})
    path = written(config, tmp_path)
    text = path.read_text()
    bucket = as_toml(settings_of(server, "pictures"))
    path.write_text(text.replace('copy = "none"', 'copy = "all"'))
    with pytest.raises(ConfigError, match="needs a folder, or a \\[bucket\\]"):
        load_config(path)
    path.write_text(text.replace('copy = "none"', 'copy = "all"') + bucket)
    assert load_config(path).bucket is not None
    assert SECRET in load_config(path).secrets()
    assert SECRET not in str(load_config(path).public())
    path.write_text(text.replace('copy = "none"', 'copy = "all"\nfolder = "pictures"') + bucket)
    with pytest.raises(ConfigError, match="leave one of them out"):
        load_config(path)
