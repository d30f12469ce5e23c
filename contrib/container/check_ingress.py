#!/usr/bin/env python3
"""Looks at the add-on through the ingress of home_assistant.py.

  check_ingress.py open      an add-on without an owner: page, scripts, events, commands, and who is refused
  check_ingress.py users     one with the owner anna: users of Home Assistant as users
  check_ingress.py browser   the page in a frame, in Debian's Chromium

Exit status: 0 passed, 1 failed, 77 no browser.
"""

import http.client
import json
import re
import sys
import time
from urllib.parse import urljoin, urlsplit

from home_assistant import INGRESS

HOST = "127.0.0.1:8123"
PAGE = f"http://{HOST}{INGRESS}"


def fail(text):
    print(f"check_ingress: {text}", file=sys.stderr)
    sys.exit(1)


def expect(value, text):
    if not value:
        fail(text)


def ask(method, path, body=None, host=HOST, port=8123, **headers):
    """Returns status, headers and text."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    data = None if body is None else json.dumps(body)
    fields = {"Host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    if data is not None:
        fields["Content-Type"] = "application/json"
    link.request(method, path, data, fields)
    answer = link.getresponse()
    result = answer.status, dict(answer.getheaders()), answer.read().decode(errors="replace")
    link.close()
    return result


def look_at_page():
    status, fields, text = ask("GET", INGRESS)
    expect(status == 303, f"the first page is {status}")
    expect(urljoin(PAGE, fields["Location"]) == PAGE + "kiosk", f"it leads to {fields['Location']}")
    status, fields, text = ask("GET", INGRESS + "kiosk")
    expect(status == 200 and "kiosk/" in text, f"the kiosk page is {status}: {text[:200]}")
    expect("frame-ancestors 'self'" in fields.get("Content-Security-Policy", ""), "it cannot be shown in a frame")
    files = re.findall(r'(?:src|href)="?([^\s">]+)', text)
    expect(len(files) > 4, "the page has no files")
    for file in files:
        address = urljoin(PAGE + "kiosk", file)
        expect(address.startswith(PAGE), f"{file} is outside of the prefix")
        status, _, _ = ask("GET", urlsplit(address).path)
        expect(status == 200, f"{file} is {status}")


def read_event(display, **headers):
    link = http.client.HTTPConnection("127.0.0.1", 8123, timeout=20)
    link.request("GET", f"{INGRESS}api/events?display={display}", headers=headers)
    answer = link.getresponse()
    began = time.monotonic()
    lines = []
    while time.monotonic() - began < 10:
        line = answer.fp.readline().decode() if not answer.chunked else answer.readline().decode()
        lines.append(line)
        if line.startswith("event:"):
            link.close()
            return line.split(":", 1)[1].strip()
    fail(f"no event: {lines}")


def check_open():
    look_at_page()
    status, _, text = ask("GET", INGRESS + "api/state")
    expect(status == 200 and json.loads(text), f"api/state is {status}: {text[:200]}")
    expect(read_event("ingress") in ("state", "permissions"), "the event stream begins with something else")
    ping = INGRESS + "api/request/ping"
    for name in (HOST, "homeassistant.local:8123", "home.example"):
        for scheme in ("http", "https"):
            status, _, text = ask("POST", ping, {}, name, Origin=f"{scheme}://{name}")
            expect(status == 200, f"a command of a page of {scheme}://{name} is {status}: {text[:200]}")
    for origin in ("http://evil.example", "null", f"http://{HOST}.evil.example"):
        status, _, text = ask("POST", ping, {}, Origin=origin)
        expect(status == 403, f"a command of a page of {origin} is {status}")
    status, _, text = ask("GET", INGRESS + "api/users")
    expect(status in (401, 403), f"without an owner users are administered: {status}")
    status, _, _ = ask("GET", "/api/state", port=8099)
    expect(status == 403, f"somebody else than the Supervisor gets {status}")


def check_users():
    look_at = lambda user, path: ask("GET", INGRESS + path, X_Check_User=user)
    status, _, text = look_at("anna", "api/session")
    expect(status == 200 and json.loads(text).get("user") == "anna", f"anna is {status}: {text[:200]}")
    status, _, text = look_at("anna", "api/users")
    expect(status == 200, f"anna cannot administer: {status}: {text[:200]}")
    status, _, text = look_at("bob", "api/session")
    expect(status == 200 and json.loads(text).get("user") == "bob", f"bob is {status}: {text[:200]}")
    status, _, text = look_at("bob", "api/users")
    expect(status == 403 or json.loads(text) == [], f"bob, without a right, gets {status}: {text[:200]}")
    status, _, text = look_at("Not Legal", "api/state")
    expect(status == 403, f"a name that is not allowed gets {status}")
    status, _, text = look_at("-", "api/state")
    expect(status == 401, f"nobody gets {status}: {text[:200]}")
    status, fields, _ = ask("GET", INGRESS + "kiosk/icon.svg", X_Check_User="-")
    expect(status == 200, f"the watchdog's address is {status}")


def check_browser():
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        sys.exit(77)
    settings = Options()
    for argument in ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-sandbox",
                     "--disable-background-networking"]:
        settings.add_argument(argument)
    settings.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    settings.binary_location = "/usr/bin/chromium"
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=settings)
    try:
        driver.get(f"http://{HOST}/")
        driver.switch_to.frame("add-on")
        end = time.monotonic() + 20
        script = "return [document.documentElement.dataset.ready, document.body && document.body.dataset.link]"
        while True:
            ready, link = driver.execute_script(script)
            if ready and link == "up":
                break
            expect(time.monotonic() < end, f"the page is not ready: ready {ready}, link {link}")
            time.sleep(0.05)
        asked = []
        for entry in driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        foreign = [address for address in asked if not address.startswith((PAGE, "data:", "blob:"))
                   and address not in (f"http://{HOST}/", f"http://{HOST}/favicon.ico")]
        expect(not foreign, f"the page asks outside of the prefix: {foreign}")
        expect(any("api/events" in address for address in asked), "the page opens no event stream")
        errors = [entry["message"] for entry in driver.get_log("browser")
                  if entry["level"] == "SEVERE" and "favicon.ico" not in entry["message"]]
        expect(not errors, f"the console has errors: {errors}")
        print(f"check_ingress: {len(asked)} requests, ready after {ready} ms", file=sys.stderr)
    finally:
        driver.quit()


{"open": check_open, "users": check_users, "browser": check_browser}[sys.argv[1]]()
