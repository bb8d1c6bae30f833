"""Everything that the dashboard does is a command and an address of the HTTP API."""

from typing import Any

from fastapi.routing import APIRoute

from oneof.annotation.web import manage_routes, program_routes
from oneof.annotation.web.dashboard import items, model, overview, people, programs, project, review
from oneof.cli.annotate import app as commands

# What a manager can do on the dashboard -> commands, addresses under /api/v1.
DONE_BY = {
    "POST /admin/pause": (["pause", "resume"], ["POST /pause"]),
    "POST /admin/items/{number}": (
        ["ask", "gold", "remove", "restore"],
        ["POST /items/{number}/ask", "PUT /items/{number}/gold", "POST /items/{name}/{action}"],
    ),
    "POST /admin/review": (["review"], ["GET /review", "POST /review"]),
    "POST /admin/people/invite": (["invite"], ["POST /people"]),
    "POST /admin/people/act": (
        ["pause", "resume", "reassign", "revoke", "withdraw", "restore"],
        ["POST /people/{name}/{action}"],
    ),
    "POST /admin/model/train": (["train"], ["POST /train", "GET /jobs/{kind}"]),
    "POST /admin/model/judge": (["judge"], ["POST /judge"]),
    "POST /admin/model/schedule": (["settings"], ["PATCH /settings"]),
    "GET /admin/model/{version}.zip": (["model"], ["GET /models", "GET /models/{version}.zip"]),
    "GET /admin/model/predictions.csv": (["predict"], ["GET /predictions.csv"]),
    "POST /admin/project/import": (["import"], ["POST /items"]),
    "GET /admin/project/answers.{kind}": (["export"], ["GET /answers.{kind}"]),
    "GET /admin/project/backup.sqlite": (["backup"], ["GET /backup.sqlite"]),
    "POST /admin/project/settings": (["settings"], ["GET /settings", "PATCH /settings"]),
    "POST /admin/project/classes": (["classes"], ["GET /classes", "POST /classes"]),
    "POST /admin/project/classes/{kind}": (["classes"], ["POST /classes"]),
    "POST /admin/project/classes/take-back": (["classes"], ["POST /classes/take-back"]),
    "POST /admin/project/guidelines": (["guidelines"], ["GET /guidelines", "PUT /guidelines"]),
    "POST /admin/project/programs": (
        ["key", "webhook"],
        ["POST /keys", "DELETE /keys/{number}", "POST /webhooks", "DELETE /webhooks/{number}"],
    ),
    # The pages themselves.
    "GET /admin": (["status"], ["GET /status"]),
    "GET /admin/items": ([], ["GET /items"]),
    "GET /admin/items/{number}": ([], ["GET /items/{number}"]),
    "GET /admin/review": (["review"], ["GET /review"]),
    "GET /admin/people": (["status"], ["GET /status"]),
    "GET /admin/model": (["status", "report"], ["GET /models"]),
    "GET /admin/project": (["settings", "history"], ["GET /settings", "GET /journal"]),
    "GET /admin/project/programs": (["key", "webhook"], ["GET /keys", "GET /webhooks"]),
}
ONLY_HERE = {
    "GET /admin/people/{number}": "one person's past answers are in `export`, by annotator",
}


def addresses(*modules: Any, prefix: str = "") -> set[str]:
    routes = [route for module in modules for route in module.router.routes]
    return {
        f"{method} {route.path.removeprefix(prefix)}"
        for route in routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }


def test_every_action_of_the_dashboard_is_a_command_and_an_address() -> None:
    shown = addresses(items, model, overview, people, programs, project, review)
    assert shown == {*DONE_BY, *ONLY_HERE}
    names = {one.name or one.callback.__name__ for one in commands.registered_commands if one.callback is not None}
    api = addresses(manage_routes, program_routes, prefix="/api/v1")
    assert {name for known, _ in DONE_BY.values() for name in known} <= names
    assert {path for _, known in DONE_BY.values() for path in known} <= api
