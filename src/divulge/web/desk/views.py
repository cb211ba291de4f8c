"""The one page of a desk, and what can be done on it. Each action is one function of the desk's."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from divulge.errors import DivulgeError, NotAllowedError, NotFoundError, SpecError, StateError
from divulge.record import write_whole
from divulge.web.access import Sent, settings_of
from divulge.web.desk import saving
from divulge.web.desk.access import Form, OpenDesk, keys_of
from divulge.web.desk.desk import Desk
from divulge.web.desk.filled import read_form
from divulge.web.desk.keys import COOKIE
from divulge.web.desk.names import plain_name
from divulge.web.desk.shown import show
from divulge.web.guard import DOWNLOAD_POLICY, REPORT_POLICY
from divulge.web.intake import pieces, sent_files
from divulge.web.views.progress import Watched, events

router = APIRouter(include_in_schema=False)

UPLOADS = ("data", "files")
"""The addresses that take files."""


@router.get("/")
def _page(request: Request, token: str | None = None) -> Response:
    keys = keys_of(request)
    if token is not None and not keys.knows(request.cookies.get(COOKIE)):
        if not keys.spend(token):
            raise NotAllowedError(
                "this address was used before, or is not the one that the terminal printed.",
                hint="It works once. Stop divulge in the terminal with Ctrl-C, and start it again.",
            )
        answer = RedirectResponse(f"{keys.root}/", status_code=303)
        answer.set_cookie(COOKIE, keys.cookie, path=f"{keys.root}/", httponly=True, samesite="strict")
        return answer
    return RedirectResponse(f"{keys.root}/desk", status_code=303)


@router.get("/desk")
def _desk(request: Request, desk: OpenDesk) -> Response:
    return show(request, desk)


@router.post("/data")
def _data(request: Request, desk: OpenDesk, form: Form) -> Response:
    def take() -> None:
        desk.jobs.check_idle()
        files, named = sent_files(form.fields, "file"), form.text("path", 4096)
        if files:
            desk.take_data(_keep(files[0], desk.private), is_copy=True)
        elif named:
            desk.take_data(Path(named).expanduser(), is_copy=False)
        else:
            raise SpecError("the data are needed.", where="data", hint="Choose a file, or say where it is.")
        if desk.must_read:
            desk.start_reading()

    return _done(request, desk, "data", take)


@router.post("/files")
def _files(request: Request, desk: OpenDesk, form: Form) -> Response:
    def take() -> None:
        desk.jobs.check_idle()
        for file in sent_files(form.fields, "files"):
            kept = _keep(file, desk.folder)
            desk.left_out.discard(kept.name)
        desk.files_changed()
        if desk.must_read:
            desk.start_reading()

    return _done(request, desk, "files", take)


@router.post("/files/leave-out")
def _leave_out(request: Request, desk: OpenDesk, form: Form) -> Response:
    def leave_out() -> None:
        desk.jobs.check_idle()
        name = form.text("name", 1000)
        if name not in desk.files:
            raise NotFoundError("there is no such file.")
        desk.left_out.add(name)
        desk.files_changed()
        if desk.must_read:
            desk.start_reading()

    return _done(request, desk, "left-out", leave_out)


@router.post("/files/read")
def _read(request: Request, desk: OpenDesk, form: Form) -> Response:
    return _done(request, desk, None, desk.start_reading)


@router.post("/outputs")
def _output(request: Request, desk: OpenDesk, form: Form) -> Response:
    def keep() -> None:
        desk.keep_output(read_form(form), form.number("number"))
        if form.text("then") == "assess":
            desk.start_assessing()

    return _done(request, desk, None if form.text("then") == "assess" else "output", keep, form)


@router.post("/outputs/remove")
def _remove(request: Request, desk: OpenDesk, form: Form) -> Response:
    return _done(request, desk, "removed", lambda: desk.remove_output(form.number("number") or 0))


@router.post("/assess")
def _assess(request: Request, desk: OpenDesk, form: Form) -> Response:
    return _done(request, desk, None, desk.start_assessing)


@router.post("/mitigate")
def _mitigate(request: Request, desk: OpenDesk, form: Form) -> Response:
    return _done(request, desk, None, desk.start_proposing)


@router.post("/mitigate/use")
def _use(request: Request, desk: OpenDesk, form: Form) -> Response:
    def use() -> None:
        found = desk.proposals["proposals"] if desk.proposals is not None else ()
        number = form.number("number") or 0
        if not 1 <= number <= len(found):
            raise StateError("there is no such proposal.")
        desk.replace_outputs(found[number - 1]["outputs"])
        desk.start_assessing()

    return _done(request, desk, None, use)


@router.post("/stop")
def _stop(request: Request, desk: OpenDesk, form: Form) -> Response:
    return _done(request, desk, "stopped", desk.jobs.stop)


@router.post("/save")
def _save(request: Request, desk: OpenDesk, form: Form) -> Response:
    return _done(request, desk, "saved", saving.Copy(desk).save)


@router.post("/note")
def _note(request: Request, desk: OpenDesk, form: Form) -> Response:
    choice = form.text("choice", 20) or None
    done = "noted" if choice is None else "decided"
    return _done(
        request, desk, done, lambda: saving.Notes(desk).add(form.text("by", 200), form.text("text"), choice), form
    )


@router.get("/progress")
def _progress(request: Request, desk: OpenDesk) -> StreamingResponse:
    def look() -> Watched:
        keys_of(request).touch()
        job = desk.jobs.latest
        if job is None:
            return Watched("", 0, 0, True)
        return Watched(f"{job.what}. {job.words}", job.done, job.total, not job.is_active)

    return StreamingResponse(events(request, look, settings_of(request)), media_type="text/event-stream")


@router.get("/report")
def _report(desk: OpenDesk) -> Response:
    if desk.found is None:
        raise NotFoundError("there is no report of the outputs as they are now.")
    return _framed(desk.found.page)


@router.get("/proposals")
def _proposals(desk: OpenDesk) -> Response:
    if desk.proposals is None:
        raise NotFoundError("there are no proposals for the outputs as they are now.")
    return _framed(Path(desk.proposals["page"]).read_text(encoding="utf-8"))


@router.get("/tables.zip")
def _tables(desk: OpenDesk) -> Response:
    if desk.found is None:
        raise NotFoundError("there are no tables of the outputs as they are now.")
    return _as_file(_as_zip(desk.found.tables), "tables.zip")


@router.get("/hand-in.zip")
def _hand_in(desk: OpenDesk) -> Response:
    copy = saving.Copy(desk)
    return _as_file(_as_zip(copy.files()), f"{copy.folder.name}.zip")


def _keep(file: UploadFile, folder: Path) -> Path:
    """A file that was dropped in, under its plain name in a folder; a link of that name is replaced, not followed."""
    path = folder / plain_name(file.filename or "")
    write_whole(path, pieces(file.file))
    return path


def _done(
    request: Request, desk: Desk, done: str | None, change: Callable[[], object], typed: Sent | None = None
) -> Response:
    """Make a change and go back to the page; where it cannot be made, the page with why not and what was typed."""
    try:
        change()
    except DivulgeError as error:
        return show(request, desk, problem=error, typed=typed)
    at = f"{keys_of(request).root}/desk"
    return RedirectResponse(at if done is None else f"{at}?done={done}", status_code=303)


def _framed(page: str) -> HTMLResponse:
    headers = {"content-security-policy": REPORT_POLICY, "x-frame-options": "SAMEORIGIN"}
    return HTMLResponse(page, headers=headers)


def _as_file(content: bytes, name: str) -> Response:
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "content-security-policy": DOWNLOAD_POLICY,
    }
    return Response(content, media_type="application/zip", headers=headers)


def _as_zip(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return held.getvalue()
