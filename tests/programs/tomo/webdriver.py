"""A client of chromedriver (https://www.w3.org/TR/webdriver2/): as much as the test of the viewer needs."""
import base64
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
DRIVERS = ("chromedriver", "/usr/lib/chromium-browser/chromedriver")
BROWSERS = ("chromium", "chromium-browser")


def missing():
    """Returns what this machine lacks, or None."""
    if not any(map(shutil.which, BROWSERS)):
        return "needs chromium"
    if not any(map(shutil.which, DRIVERS)):
        return "needs chromium-driver"
    try:
        __import__("PIL")
    except ImportError:
        return "needs python3-pil"
    return ""


class Browser:
    """Chromium without a screen, with a profile and downloads in `folder`."""

    def __init__(self, folder, size=(1400, 900), language="en"):
        driver = next(filter(None, map(shutil.which, DRIVERS)))
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env={**os.environ, "TMPDIR": folder, "HOME": folder})
        self.session = None
        for line in self.process.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                self.base = f"http://127.0.0.1:{match[1]}"
                break
        else:
            raise AssertionError("chromedriver has not started")
        words = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                 "--force-device-scale-factor=1", "--disable-background-networking", "--disable-component-update",
                 f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder}/profile", f"--lang={language}"]
        if os.geteuid() == 0:  # Chromium's sandbox refuses root
            words.append("--no-sandbox")
        options = {"binary": next(filter(None, map(shutil.which, BROWSERS))), "args": words}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = made["sessionId"]
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior",
                                               "params": {"behavior": "allow", "downloadPath": folder}})

    def ask(self, method, path, body=None):
        path = path if self.session is None else f"/session/{self.session}{path}"
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:600]}") from None

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """The value of a function's body."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, what=""):
        """Until the script returns something true, which is returned."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if value := self.run(script, *arguments):
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {what or script}")

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})

    def pointer(self, selector, *steps, keys=()):
        """Steps ("move", dx, dy), from the middle of an element, ("down", button) and ("up", button)."""
        origin = self.find(selector)
        known = {"move": lambda x, y: {"type": "pointerMove", "duration": 0, "origin": origin, "x": x, "y": y},
                 "down": lambda button=0: {"type": "pointerDown", "button": button},
                 "up": lambda button=0: {"type": "pointerUp", "button": button}}
        actions = [known[name](*rest) for name, *rest in steps]
        held = ([{"type": "keyDown", "value": key} for key in keys] + [{"type": "pause"}] * len(actions)
                + [{"type": "keyUp", "value": key} for key in keys])
        mouse = [{"type": "pause"}] * len(keys) + actions
        self.ask("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": held},
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": mouse}]})

    def wheel(self, selector, dy):
        self.ask("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "origin": self.find(selector), "x": 0, "y": 0, "deltaX": 0, "deltaY": dy,
             "duration": 0}]}]})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def complaints(self):
        """Returns the lines of the page's console: errors, and loads that its policy refused."""
        return [entry for entry in self.ask("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def screenshot(self):
        return base64.b64decode(self.ask("GET", "/screenshot"))

    def end(self):
        if self.process.poll() is not None:
            return
        try:
            if self.session is not None:
                self.ask("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(timeout=120)
            self.process.stdout.close()
