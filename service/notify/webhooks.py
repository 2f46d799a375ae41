"""Webhooks: notices posted as CloudEvents, signed as Standard Webhooks says."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit, urlunsplit

import httpx2
from standardwebhooks import Webhook

from service.codes import ServiceCode
from service.notify.delivery import NotTakenError
from service.notify.envelopes import CONTENT_TYPE
from service.notify.webhook_addresses import AddressError, find
from vision.findings import Finding

if TYPE_CHECKING:
    from service.config.subscriber_settings import WebhookConfig
    from service.notify.notices import Notice

_TIMEOUT_S: Final = 20.0
_GONE: Final = 410
_LONGEST_REST_S: Final = 3600.0


class WebhookChannel:
    """Posts notices to one address; ConfigError if its secret cannot be read or is none."""

    def __init__(self, config: WebhookConfig) -> None:
        self._config = config
        self._signers = tuple(Webhook(secret) for secret in config.secrets())
        # No proxy from the environment and no redirects: where it goes is what was judged.
        self._client = httpx2.AsyncClient(timeout=_TIMEOUT_S, trust_env=False, follow_redirects=False)

    async def send(self, notice: Notice) -> None:
        """Post a notice; NotTakenError unless it is answered with a status of success."""
        try:
            async with asyncio.timeout(2 * _TIMEOUT_S):
                status, retry_after = await self._post(notice)
        except TimeoutError:
            raise NotTakenError.of(ServiceCode.NO_ANSWER, seconds=round(2 * _TIMEOUT_S)) from None
        except AddressError as error:
            raise NotTakenError(error.finding) from None
        except httpx2.HTTPError as error:
            why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise NotTakenError.of(ServiceCode.NOT_REACHED, why=why) from None
        if not 200 <= status < 300:
            raise NotTakenError(Finding.of(ServiceCode.ANSWERED, status=status), retry_after, gone=status == _GONE)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _post(self, notice: Notice) -> tuple[int, float]:
        url = self._config.url.get_secret_value()
        target = await find(url, self._config.networks)
        parts = urlsplit(url)
        host = f"[{target.address}]" if target.address.version == 6 else str(target.address)
        place = urlunsplit((parts.scheme, host if parts.port is None else f"{host}:{parts.port}", *parts[2:4], ""))
        request = self._client.build_request(
            "POST",
            place,
            content=notice.body.encode(),
            headers={
                "Host": parts.netloc.rpartition("@")[2],
                "Content-Type": CONTENT_TYPE,
                "User-Agent": "Houseway",
                **self._signed(notice),
            },
            extensions={"sni_hostname": target.host},
        )
        # What it answers is of no interest, however long it is.
        answer = await self._client.send(request, stream=True)
        await answer.aclose()
        return answer.status_code, _seconds(answer.headers.get("retry-after", ""))

    def _signed(self, notice: Notice) -> dict[str, str]:
        now = datetime.now(UTC)
        signatures = (signer.sign(notice.id, now, notice.body) for signer in self._signers)
        return {
            "webhook-id": notice.id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signatures),
        }


def _seconds(retry_after: str) -> float:
    return min(float(retry_after), _LONGEST_REST_S) if retry_after.isdecimal() else 0.0
