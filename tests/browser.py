"""A headless Chromium, spoken to over a pipe: the Chrome DevTools protocol without a server or a package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Browser", "find_browser", "open_browser"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# By way of numbers that are not 3 or 4, as either may be in the place of the other.
_MOVE = """
import os, sys
source, sink = (os.dup(os.dup(os.dup(int(number)))) for number in sys.argv[1:3])
os.dup2(source, 3)
os.dup2(sink, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
_PATIENCE = 60.0  # seconds that an answer may take


def find_browser() -> str | None:
    """Return the program: that which SAPWOOD_BROWSER names, or the first known one on the path."""
    return os.environ.get("SAPWOOD_BROWSER") or next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """One page of a browser.

    The protocol is JSON texts that end with a zero byte: https://chromedevtools.github.io/devtools-protocol/.
    """

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to = to_browser
        self._from = from_browser
        self._waiting = b""
        self._last = 0
        self._session: str | None = None
        self.complaints: list[str] = []  # errors and warnings of the console, and exceptions
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def open(self, page: Path, *, width: int = 1280, dark: bool = False) -> None:
        """Go to a file, and wait until its scripts have run."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url=page.resolve().as_uri())
        end = time.monotonic() + _PATIENCE
        while self.run("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < end, "the page must be loaded within a minute"
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def point_at(self, x: float, y: float) -> None:
        """Move the mouse."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, *, whole: bool = True) -> bytes:
        """Return a picture of the page as PNG."""
        answer = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        return base64.b64decode(answer["data"])

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._from], [], [], _PATIENCE)
            assert ready, "the browser must answer within a minute"
            more = os.read(self._from, 1 << 16)
            assert more, "the browser must not end by itself"
            self._waiting += more
        text, self._waiting = self._waiting.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        details = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(details["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded" and details["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(details["entry"]["text"])
        elif event.get("method") == "Runtime.consoleAPICalled" and details["type"] in {"error", "warning", "assert"}:
            self.complaints.append(json.dumps(details["args"]))


@contextmanager
def open_browser(program: str, profile: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it after use."""
    # The browser reads its descriptor 3 and writes to 4.
    in_browser, to_browser = os.pipe()
    from_browser, out_browser = os.pipe()
    command = [
        program,
        "--headless=new",
        "--remote-debugging-pipe",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
    ]
    if os.geteuid() == 0:
        # The sandbox refuses to run as root, as containers do; the only page is our own.
        command.append("--no-sandbox")
    # Python hands descriptors on under their own numbers only, so another Python puts them in their places.
    mover = [sys.executable, "-c", _MOVE, str(in_browser), str(out_browser), *command]
    process = subprocess.Popen(
        mover, pass_fds=(in_browser, out_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(in_browser)
    os.close(out_browser)
    try:
        yield Browser(to_browser, from_browser)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(to_browser)
        os.close(from_browser)
