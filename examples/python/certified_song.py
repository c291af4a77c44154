"""A song from Python that keeps every rule of the service, with nothing but the standard library.

It makes one song, and saves no orders: see "When the outcome is unknown" in docs/other-languages.md.

Check it with `npx async-music certify -- python3 examples/python/certified_song.py`, or run it against the service
with ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY. It prints the path of each file.
"""

import json
import mimetypes
import os
import sys
import time
import uuid
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen

BASE_URL = os.environ["ASYNC_MUSIC_BASE_URL"]
API_KEY = os.environ["ASYNC_MUSIC_API_KEY"]
OUT_DIR = Path(os.environ.get("ASYNC_MUSIC_OUT_DIR", "."))

SONG = {
    "model": "provider_a",
    "task_type": "music",
    "audio_format": "mp3",
    "input": {"gpt_description_prompt": "rain in Lisbon"},
}
POLL_SECONDS = 5
LONGEST_WAIT_SECONDS = 65 * 60
# The operator of the service finds a task by it.
REQUEST_ID = str(uuid.uuid4())
# Python does not know every type.
EXTENSIONS = {"audio/mpeg": ".mp3", "audio/wav": ".wav"}
# No connection, or no complete response.
INCOMPLETE = (OSError, HTTPException, ValueError)


class NoRedirects(HTTPRedirectHandler):
    """A redirect would carry the API key to another address."""

    def redirect_request(self, *_):
        return None


service = build_opener(NoRedirects)


def call(method, path, body=None):
    """Sends one request. Returns the data of its response."""
    request = Request(BASE_URL + path, method=method, headers={"x-api-key": API_KEY})
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.add_header("X-Request-Id", REQUEST_ID)
        request.data = json.dumps(body).encode()
    with service.open(request, timeout=30) as response:
        return json.load(response)["data"]


def stated_wait(error, default):
    """The seconds of the Retry-After header."""
    value = error.headers.get("Retry-After", "")
    return int(value) if value.isdigit() else default


def create():
    """Sends the POST once. Only a 429 allows another one: it has no effect."""
    for _ in range(5):
        try:
            return call("POST", "/api/v1/task", SONG)["task_id"]
        except HTTPError as error:
            if error.code == 429:
                time.sleep(stated_wait(error, 60))
            # A gateway that sends 408 may have forwarded the request.
            elif 400 <= error.code < 500 and error.code != 408:
                sys.exit(f"The service refused the request: {error_code(error)}.")
            else:
                sys.exit(f"Status {error.code}: a task may exist, of request {REQUEST_ID}. Do not start again.")
        except (*INCOMPLETE, KeyError, TypeError) as error:
            sys.exit(f"No usable response ({error}): a task may exist, of request {REQUEST_ID}. Do not start again.")
    sys.exit("The rate limit is exceeded.")


def read(task_id):
    """Reads a task until a read succeeds. Reads are safe to repeat."""
    for _ in range(20):
        try:
            return call("GET", f"/api/v1/task/{task_id}")
        except HTTPError as error:
            if error.code < 500 and error.code != 429:
                sys.exit(f"Task {task_id}: {error_code(error)}.")
            time.sleep(stated_wait(error, POLL_SECONDS))
        except (*INCOMPLETE, KeyError):
            time.sleep(POLL_SECONDS)
    sys.exit(f"Task {task_id} can't be read. It continues.")


def error_code(error):
    """The classification of an error, which is stable. Its message is not."""
    try:
        return json.load(error)["error_code"]
    except (*INCOMPLETE, KeyError, TypeError):
        return f"status {error.code}"


def wait(task_id):
    """Polls until the task has ended. Returns its clips. Unknown statuses are not final."""
    for _ in range(LONGEST_WAIT_SECONDS // POLL_SECONDS):
        time.sleep(POLL_SECONDS)
        task = read(task_id)
        if task["status"] == "success":
            return task["output"]["result"]
        if task["status"] in ("failure", "timeout"):
            again = "may succeed" if task.get("retryable") else "can't succeed"
            sys.exit(f"{task['status']}: {task.get('error_code')}. Refunded. The same request {again} later.")
    sys.exit(f"Task {task_id} has not ended. It continues.")


def download(task_id, index, url):
    """Saves a clip. The format is that of the Content-Type. The key is not sent: the audio can be on another server."""
    for _ in range(4):
        try:
            with urlopen(url, timeout=30) as response:
                audio = response.read()
                kind = response.headers.get_content_type()
            suffix = EXTENSIONS.get(kind) or mimetypes.guess_extension(kind) or ".bin"
            draft = OUT_DIR / f"{task_id}-{index}.part"
            draft.write_bytes(audio)
            return draft.rename(draft.with_suffix(suffix))
        except HTTPError as error:
            if error.code == 404:
                sys.exit("The audio has expired.")
            time.sleep(stated_wait(error, POLL_SECONDS))
            if error.code in (401, 403, 410):
                # The address has expired: another read of the task has a new one.
                url = read(task_id)["output"]["result"][index - 1]["audio_url"]
        except INCOMPLETE:
            time.sleep(POLL_SECONDS)
    sys.exit("The audio can't be downloaded. The task can be read again for seven days.")


task_id = create()
clips = wait(task_id)
if not clips:
    sys.exit(f"Task {task_id} has no clips.")
for index, clip in enumerate(clips, 1):
    print(download(task_id, index, clip["audio_url"]))
