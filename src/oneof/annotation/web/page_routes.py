"""The pages and files: joining by personal link, the annotation page, pictures of items and examples."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, RedirectResponse, Response
from sqlalchemy import Connection, select, update
from starlette.exceptions import HTTPException

from oneof.annotation.asking import access
from oneof.annotation.asking.access import Person
from oneof.annotation.project.classes import IMAGE_TYPES
from oneof.annotation.project.thumbnails import thumbnail
from oneof.annotation.store.schema import items, people, sources
from oneof.annotation.web import prose, translating
from oneof.annotation.web.site import ANNOTATING, Manager, SignedIn, Site, TheSite, session_of, signed_in
from oneof.items.pictures import Unreadable
from oneof.items.sounds import SOUND_TYPES

router = APIRouter(include_in_schema=True, tags=["pages"])
FILE_TYPES = IMAGE_TYPES | SOUND_TYPES
FILE_HEADERS = {"Content-Security-Policy": "default-src 'none'", "Cache-Control": "private, max-age=86400"}


@router.get("/join/{token}")
def join(request: Request, site: TheSite, token: str) -> Response:
    """Sign in with a personal link."""
    person, secret = sign_in(site, token)
    if person is None:
        raise translating.Refusal(403, "wrong_link")
    place = "/" if person.role in ANNOTATING else "/admin"
    response = RedirectResponse(site.base + place, status_code=303)
    set_cookie(request, response, site, person.role, secret)
    return response


@router.get("/")
def page(request: Request, site: TheSite) -> Response:
    """The annotation page; the dashboard for those who have no questions to answer."""
    person = session_of(request, site, ANNOTATING)
    if person is None:
        signed_in(request, site)
        return RedirectResponse(f"{site.base}/admin", status_code=303)
    version, text = site.guidelines()
    if person.guidelines != version:
        seen = update(people).where(people.c.id == person.id).values(guidelines=version)
        site.database.write(Connection.execute, seen)
    settings = site.project.settings
    language = translating.language_of(request, settings.language)
    boot = {
        "project": settings.name,
        "base": site.base,
        "owner": site.owner(person.id),
        "annotator": person.name,
        "question": language.question(settings),
        "instruction": settings.question,
        "guidelines": {"version": version, "html": prose.render(language.guidelines(text), site.base)},
        "epsilon": settings.epsilon,
        "flip_probability": settings.flip if settings.epsilon is not None else None,
        "show_predictions": settings.show_predictions,
        "show_names": settings.show_names,
        "prefetch": settings.prefetch,
    }
    response = site.templates.TemplateResponse(
        request, "annotate.html", translating.context(language, site.root) | {"boot": boot}
    )
    response.headers["Cache-Control"] = "no-store"
    return response


@router.get("/items/{key}")
def item(site: TheSite, person: SignedIn, key: str) -> Response:
    """The picture or sound of an item, by its opaque key: no path ever comes from the request. Ranges are served."""
    path = _item_file(site, key)
    return FileResponse(path, media_type=FILE_TYPES.get(path.suffix.lower()), headers=FILE_HEADERS)


@router.get("/thumbnails/{key}")
def small_item(site: TheSite, person: SignedIn, key: str) -> Response:
    """The picture of an item in small, for lists; made when it is first asked for."""
    try:
        small = thumbnail(site.project.folder, key, _item_file(site, key))
    except Unreadable:
        raise HTTPException(404, "the picture cannot be shown") from None
    return FileResponse(small, media_type="image/jpeg", headers=FILE_HEADERS)


def _item_file(site: Site, key: str) -> Path:
    # PostgreSQL takes no zero byte in a text, not even to look for it.
    if not key.isalnum():
        raise HTTPException(404, "no such item")
    with site.database.read() as connection:
        row = connection.execute(
            select(items.c.name, sources.c.root)
            .join(sources, sources.c.id == items.c.source_id)
            .where(items.c.key == key)
        ).first()
    if row is None:
        raise HTTPException(404, "no such item")
    return _inside(Path(row.root), row.name)


@router.get("/guidelines/{name}")
def guidelines_picture(site: TheSite, person: SignedIn, name: str) -> Response:
    """A picture that the guidelines show."""
    if "/" in name or name.startswith(".") or Path(name).suffix.lower() not in IMAGE_TYPES:
        raise HTTPException(404, "no such picture")
    return _picture(site.project.folder / "guidelines", name)


@router.post("/api/guidelines", tags=["managing"])
async def preview(request: Request, person: Manager, site: TheSite) -> Response:
    """Guidelines as annotators will see them: Markdown in, HTML out."""
    return Response(prose.render((await request.body()).decode("utf-8", "replace"), site.base), media_type="text/html")


@router.get("/examples/{index}")
def example(site: TheSite, person: SignedIn, index: int) -> Response:
    """The example picture of a class."""
    known = 0 <= index < len(site.project.classes)
    name = site.project.classes[index].example if known else None
    if name is None:
        raise HTTPException(404, "no such example")
    return _picture(site.project.folder / "examples", name)


def sign_in(site: Site, token: str) -> tuple[Person | None, str]:
    """The person of a token and a new session for them."""

    def work(connection: Connection) -> tuple[Person | None, str]:
        person = access.by_token(connection, token)
        if person is None:
            return None, ""
        days = site.project.settings.session_days
        return person, access.start_session(connection, person, site.clock(), days)

    return site.database.write(work)


def set_cookie(request: Request, response: Response, site: Site, role: str, secret: str) -> None:
    """Give the browser its session: not readable by scripts, not sent with another site's requests."""
    response.set_cookie(
        site.cookie(role),
        secret,
        path=f"{site.root}/",
        max_age=int(site.project.settings.session_days * 86_400),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    response.headers["Cache-Control"] = "no-store"


def _picture(root: Path, name: str) -> Response:
    path = _inside(root, name)
    return FileResponse(path, media_type=IMAGE_TYPES.get(path.suffix.lower()), headers=FILE_HEADERS)


def _inside(root: Path, name: str) -> Path:
    real_root = root.resolve()
    path = real_root / name
    try:
        # A file may have become a link since the import: what leads outside, or round in a circle, is not there.
        if path.is_file() and (path := path.resolve()).is_relative_to(real_root):
            return path
    except OSError:
        pass  # a name that is too long, or a folder that may not be read
    raise HTTPException(404, "the picture is not there any more")
