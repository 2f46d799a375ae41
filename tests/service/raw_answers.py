"""Servers that send any bytes as the answer to a request."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(answer: Answer) -> AsyncIterator[str]:
    """Serve this answer to each request, and return the address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


def sent(head: str, body: bytes = b"") -> Answer:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {head}\r\n\r\n".encode("latin-1") + body)
        await writer.drain()

    return answer


def dripping(head: str, piece: bytes) -> Answer:
    """Each piece comes well before a connection would be given up as silent, and there is no last one."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {head}\r\n".encode())
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.05)

    return answer
