"""A song from Python, with nothing but its standard library.

Run it against the emulator with `npx async-music emulator -- python3 examples/python/song.py`,
or against the service with ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY.
"""

import json
import mimetypes
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE_URL = os.environ["ASYNC_MUSIC_BASE_URL"]
API_KEY = os.environ["ASYNC_MUSIC_API_KEY"]


def call(method, path, body=None):
    """One request of the service: its data, and whether it is an emulator."""
    request = Request(BASE_URL + path, method=method, headers={"x-api-key": API_KEY})
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    with urlopen(request, timeout=30) as response:
        return json.load(response)["data"], "X-Emulator" in response.headers


def create(body):
    """Submits a task once. After a lost response, a task may exist and be charged."""
    while True:
        try:
            return call("POST", "/api/v1/task", body)[0]["task_id"]
        except HTTPError as error:
            if error.code != 429:
                raise
            time.sleep(int(error.headers.get("Retry-After", 60)))


def wait(task_id):
    """Polls every five seconds until the task has ended. A failed poll is repeated."""
    while True:
        pause(5)
        try:
            task, _ = call("GET", f"/api/v1/task/{task_id}")
        except HTTPError as error:
            if error.code in (401, 404):
                raise
            pause(int(error.headers.get("Retry-After", 0)))
            continue
        except (OSError, HTTPException, ValueError):
            # No connection, or no complete response.
            continue
        if task["status"] in ("failure", "timeout"):
            sys.exit(f"{task['status']}: {task['error_code']}. The credits were refunded.")
        if task["status"] == "success":
            return task["output"]["result"]


def pause(seconds):
    """Sleeps, or moves the emulator's clock, which takes no time."""
    if is_emulator:
        body = json.dumps({"seconds": seconds}).encode()
        headers = {"Content-Type": "application/json"}
        urlopen(Request(BASE_URL + "/_emulator/clock/advance", body, headers)).close()
    else:
        time.sleep(seconds)


balance, is_emulator = call("GET", "/api/v1/account/balance")
print(f"{balance['available']} credits are available.")

song = {
    "model": "provider_a",
    "task_type": "music",
    "audio_format": "mp3",
    "input": {"gpt_description_prompt": "rain in Lisbon"},
}
for index, clip in enumerate(wait(create(song)), 1):
    with urlopen(clip["audio_url"]) as audio:
        # Only the Content-Type states the format.
        kind = audio.headers["Content-Type"]
        # Python does not know audio/wav.
        suffix = ".wav" if kind == "audio/wav" else mimetypes.guess_extension(kind) or ".bin"
        name = f"rain-{index}{suffix}"
        with open(name, "wb") as file:
            file.write(audio.read())
    print(f"\"{clip['title']}\": {name}")

print(f"{call('GET', '/api/v1/account/balance')[0]['available']} credits are left.")
