"""browser.py - a page in a real browser, Debian's chromium without a screen, by its DevTools protocol."""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # of CTest


class Browser:
    """A page that is open; complaints are errors and warnings of its console."""

    def __init__(self, path, width=1200, dark=False):
        program = shutil.which("chromium")
        if not program:
            print("skipped: there is no chromium here (scripts/install-deps.sh --test)")
            sys.exit(SKIPPED)
        self.folder = tempfile.TemporaryDirectory()
        pipes = *os.pipe(), *os.pipe()
        to_browser, self.requests, self.answers, from_browser = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in pipes)
        for fd in pipes:
            os.close(fd)
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        # The protocol has descriptors 3 and 4.
        script = f'exec 3<&{to_browser} 4>&{from_browser} {to_browser}<&- {from_browser}>&-; exec "$@"'
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *command], stderr=subprocess.DEVNULL,
                                        pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        self.received, self.n, self.session, self.complaints, self.loaded = b"", 0, None, [], False
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not self.loaded:
            self.hear()

    def hear(self):
        """The next message; events are noted."""
        while b"\0" not in self.received:
            more = os.read(self.answers, 1 << 20)
            assert more, "the browser ended"
            self.received += more
        message, self.received = self.received.split(b"\0", 1)
        message = json.loads(message)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(params["args"])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"])
        elif method == "Page.loadEventFired":
            self.loaded = True
        return message

    def ask(self, method, **params):
        """The answer to a request."""
        self.n += 1
        request = {"id": self.n, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        message = {}
        while message.get("id") != self.n:
            message = self.hear()
        assert "error" not in message, message
        return message["result"]

    def run(self, script):
        """The value of a JavaScript expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self, path, whole=False):
        """A screenshot, for people."""
        import base64
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.session = None
        try:
            self.ask("Browser.close")
        except (AssertionError, BrokenPipeError):
            pass  # it ended before it answered
        self.process.wait(60)
        os.close(self.requests)
        os.close(self.answers)
        self.folder.cleanup()
