"""Python loads this module at its start if it is on PYTHONPATH: `time.sleep` then moves the clock of the emulator."""

import json
import os
import time
from urllib.request import Request, urlopen


def sleep(seconds):
    address = os.environ["ASYNC_MUSIC_BASE_URL"] + "/_emulator/clock/advance"
    body = json.dumps({"seconds": seconds}).encode()
    urlopen(Request(address, body, {"Content-Type": "application/json"})).close()


time.sleep = sleep
