"""What leads from the address of a form to its page."""

import pytest

from oneof.annotation.web.dashboard import model, overview, people, project
from oneof.annotation.web.dashboard.returning import ways_back

FORMS = {
    "/admin/pause": "/admin",
    "/admin/people/invite": "/admin/people",
    "/admin/people/act": "/admin/people",
    "/admin/model/train": "/admin/model",
    "/admin/model/judge": "/admin/model",
    "/admin/model/schedule": "/admin/model",
    "/admin/project/import": "/admin/project",
    "/admin/project/settings": "/admin/project",
    "/admin/project/classes": "/admin/project",
    "/admin/project/classes/take-back": "/admin/project",
    "/admin/project/classes/{kind}": "/admin/project",
    "/admin/project/guidelines": "/admin/project",
}


def test_every_form_without_a_page_of_its_own_is_among_them():
    routes = ways_back([page.router for page in (overview, people, model, project)]).routes
    assert {route.path for route in routes} == set(FORMS)


@pytest.mark.parametrize("backend", ["sqlite"])
def test_the_address_of_a_form_leads_to_its_page(world):
    admin = world.admin()
    shown = admin.post("/admin/people/invite", data={"name": "Ann"})
    assert "/join/" in shown.text
    for form, page in FORMS.items():
        reply = admin.get(form.format(kind="merge"))
        assert (reply.status_code, reply.headers["location"]) == (303, page), form
    assert "Ann" in admin.get("/admin/people/invite", follow_redirects=True).text
    assert world.browser().get("/admin/people/invite", follow_redirects=True).status_code == 401
