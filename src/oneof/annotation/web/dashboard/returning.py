"""Addresses of forms, opened like a page.

A form that is answered by a page, such as the one that shows a new link, leaves its own address in the browser.
Whoever opens that again (by Enter in the address line, from a bookmark) is led to the page that the form is on; so is
the script that looks for fresh figures.
"""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from fastapi.routing import APIRoute

from oneof.annotation.web.dashboard import frame


def ways_back(routers: Sequence[APIRouter]) -> APIRouter:
    """Routes from the address of each form that has no page of its own to the page that it is on.

    >>> forms = APIRouter()
    >>> _ = forms.post("/admin/people/invite")(lambda: None)
    >>> [(route.path, sorted(route.methods)) for route in ways_back([forms]).routes]
    [('/admin/people/invite', ['GET'])]
    """
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    pages = {route.path for route in routes if "GET" in (route.methods or ())}
    found = APIRouter()
    for path in dict.fromkeys(route.path for route in routes if "POST" in (route.methods or ())):
        if path.startswith("/admin/") and path not in pages:
            found.add_api_route(path, _back, methods=["GET"], include_in_schema=False)
    return found


def _back(request: Request) -> Response:
    page = request.scope["path"].removeprefix(frame.root(request)).split("/")[2]
    return RedirectResponse(frame.address(request, page if page in frame.PAGES else "overview"), status_code=303)
