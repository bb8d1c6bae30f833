"""The requests that the page sends. Anything else, of another type or with other names, is refused with 422."""

from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator


def storable(value: Any) -> Any:
    """The value itself, once every text in it can be stored; an error names the field.

    PostgreSQL takes no zero byte in a text, not even to look for it, and half of a surrogate pair is no text at all.

    >>> storable({"name": "a\\0b"})
    Traceback (most recent call last):
    ...
    ValueError: name: may not hold a zero byte
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            storable(name)
            try:
                storable(inner)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
    elif isinstance(value, list):
        for inner in value:
            storable(inner)
    elif isinstance(value, str):
        if "\0" in value:
            raise ValueError("may not hold a zero byte")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("is not valid Unicode") from None
    return value


def _uuid_text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 64:
        raise ValueError("expected a UUID as text")
    return str(UUID(value))


ClientId = Annotated[str, BeforeValidator(_uuid_text)]
TaskId = Annotated[int, Field(ge=1, lt=2**63)]
Remark = Annotated[str, Field(max_length=2000)]
Number = Annotated[int, Field(ge=1, lt=2**62)]
"""The number of something that is stored, in an address."""
Word = Annotated[str, AfterValidator(storable)]
"""A text in an address."""


class Message(BaseModel):
    """Types are taken as they are sent (a number in quotes is not a number); unknown names are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    _texts_are_storable = model_validator(mode="before")(storable)


class Claim(Message):
    """Ask for questions."""

    count: Annotated[int, Field(ge=1, le=5)] | None = None
    resume: bool = False
    exclude: Annotated[list[TaskId], Field(max_length=200)] = []


class Release(Message):
    """Give questions back."""

    tasks: Annotated[list[TaskId], Field(max_length=200)]


class Answer(Message):
    """Answer a question. guess: after "can't tell", what it would be. private: the browser has flipped what it says."""

    id: ClientId
    task: TaskId
    answer: Literal["yes", "no", "skip"]
    seconds: Annotated[float, Field(ge=0, le=86_400 * 7)]
    reason: Remark | None = None
    guess: Literal["yes", "no"] | None = None
    private: bool | None = None
    guidelines_version: Annotated[int, Field(ge=1, lt=2**31)] | None = None

    @model_validator(mode="after")
    def _only_a_skip_has_a_guess(self) -> Self:
        if self.guess is not None and self.answer != "skip":
            raise ValueError('guess: only "can\'t tell" comes with a guess')
        return self


class Undo(Message):
    """Take back the last answer, or the given one."""

    id: ClientId
    answer_id: ClientId | None = None


class Redo(Message):
    """Bring back the answer that was undone last, or the given one."""

    id: ClientId
    answer_id: ClientId | None = None


class Flag(Message):
    """Leave a remark about an item."""

    id: ClientId
    task: TaskId
    comment: Annotated[str, Field(min_length=1, max_length=2000)]
