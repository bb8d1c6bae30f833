"""The log: a line per request, without the tokens of links."""

import logging

import httpx
import pytest

from oneof.annotation.web.logs import AccessLog, access, set_up_logs, shown_path


async def teapot(scope, receive, send):
    if scope["path"] == "/bad":
        raise RuntimeError("broken")
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def ask(caplog):
    caplog.set_level(logging.INFO, "oneof.access")
    client = httpx.AsyncClient(transport=httpx.ASGITransport(AccessLog(teapot)), base_url="http://x")

    async def get(path):
        caplog.clear()
        try:
            await client.get(path)
        finally:
            said = [(record.levelname, record.getMessage()) for record in caplog.records]
        return said

    return get


@pytest.mark.anyio
async def test_one_line_a_request(ask):
    ((level, line),) = await ask("/pets/items/1?token=secret")
    assert level == "INFO"
    assert line.startswith("127.0.0.1 GET /pets/items/1 418 ")
    ((_, line),) = await ask("/join/secret")
    assert "secret" not in line


@pytest.mark.anyio
async def test_a_mistake_is_logged_as_500_and_goes_on_upwards(ask, caplog):
    with pytest.raises(RuntimeError, match="broken"):
        await ask("/bad")
    assert " GET /bad 500 " in caplog.text


def test_a_path_cannot_forge_a_line():
    assert shown_path("/a\nb") == "/a\\nb"
    assert shown_path("/p/join/x/y") == "/p/join/..."


def test_levels(capsys):
    set_up_logs("info")
    try:
        access.info("seen")
        access.debug("not seen")
        logging.getLogger("uvicorn.error").info("not seen either")
        logging.getLogger("uvicorn.error").error("wrong")
    finally:
        for name in ("oneof", "uvicorn"):
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [], True
            logger.setLevel(logging.NOTSET)
    written = capsys.readouterr().err
    assert "INFO oneof.access seen" in written
    assert "ERROR uvicorn.error wrong" in written
    assert "not seen" not in written
