"""The HTTP API for programs, continued: keys and webhooks."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from oneof.annotation.asking import tokens
from oneof.annotation.learning import hooks
from oneof.annotation.web.manage_routes import Program
from oneof.annotation.web.messages import Message, Number
from oneof.annotation.web.site import TheSite

router = APIRouter(prefix="/api/v1", tags=["programs"])


class NewKey(Message):
    """A key to make, for the manager who asks."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


class NewHook(Message):
    """A webhook to add. kinds: what it is sent; everything if none is named."""

    url: Annotated[str, Field(min_length=1, max_length=2000)]
    kinds: list[Literal["answer", "trained", "finished"]] | None = None


@router.get("/keys")
def keys(site: TheSite, person: Program) -> dict[str, Any]:
    """The keys that hold, without their texts."""
    with site.database.read() as connection:
        return {"keys": [asdict(one) for one in tokens.valid(connection)]}


@router.post("/keys", status_code=201)
def make_key(site: TheSite, person: Program, wanted: NewKey) -> dict[str, Any]:
    """A new key, which acts for the same manager. It is shown once."""
    key = site.database.write(tokens.make, person.id, wanted.name, site.clock(), person.id)
    return {"name": wanted.name, "key": key}


@router.delete("/keys/{number}")
def revoke_key(site: TheSite, person: Program, number: Number) -> dict[str, Any]:
    """End a key."""
    site.database.write(tokens.revoke, number, site.clock(), person.id)
    return {"revoked": number}


@router.get("/webhooks")
def webhooks(site: TheSite, person: Program) -> dict[str, Any]:
    """The webhooks, and how the last attempt of each went."""
    with site.database.read() as connection:
        return {"webhooks": [asdict(one) for one in hooks.listed(connection)]}


@router.post("/webhooks", status_code=201)
def add_webhook(site: TheSite, person: Program, wanted: NewHook) -> dict[str, Any]:
    """Add a webhook. The secret that signs its requests is shown once."""
    kinds = hooks.KINDS if wanted.kinds is None else wanted.kinds
    secret = site.database.write(hooks.add, wanted.url, kinds, site.clock(), person.id)
    return {"url": wanted.url, "secret": secret}


@router.delete("/webhooks/{number}")
def remove_webhook(site: TheSite, person: Program, number: Number) -> dict[str, Any]:
    """Remove a webhook."""
    site.database.write(hooks.remove, number, site.clock(), person.id)
    return {"removed": number}
