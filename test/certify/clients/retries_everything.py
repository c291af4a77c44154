"""One function for all requests, which tries each of them again, whatever went wrong."""

import json
import os
import time
from urllib.request import Request, urlopen

BASE_URL = os.environ["ASYNC_MUSIC_BASE_URL"]
HEADERS = {"x-api-key": os.environ["ASYNC_MUSIC_API_KEY"], "Content-Type": "application/json"}


def request(url, body=None):
    for attempt in range(5):
        try:
            data = None if body is None else json.dumps(body).encode()
            with urlopen(Request(url, data, HEADERS), timeout=5) as response:
                return response.read()
        except Exception:
            if attempt == 4:
                raise
            time.sleep(2**attempt)


def make(prompt):
    order = {"model": "provider_a", "task_type": "music", "input": {"gpt_description_prompt": prompt}}
    task_id = json.loads(request(BASE_URL + "/api/v1/task", order))["data"]["task_id"]
    while True:
        task = json.loads(request(BASE_URL + "/api/v1/task/" + task_id))["data"]
        if task["status"] == "success":
            return task["output"]["result"][0]
        if task["status"] in ("failure", "timeout"):
            # Another one may succeed.
            return make(prompt)
        time.sleep(2)


path = os.path.join(os.environ["ASYNC_MUSIC_OUT_DIR"], "song.wav")
with open(path, "wb") as file:
    file.write(request(make("rain in Lisbon")["audio_url"]))
print(path)
