"""contrib/display in a real browser: what it shows, and what it says on the broker.

Arguments: the page's file, the broker's TCP port, its WebSocket port, the root of the topics; and for a broker with
users, name and password of one who may do everything, and of the display. The daemon is in the place of the integration
tests, and the device may be set by command.
"""
import json
import os
import signal
import subprocess
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

page, port, web, root = sys.argv[1:5]
users = sys.argv[5:9]
client = ["-p", port] + (["-u", users[0], "-P", users[1]] if users else [])
presence = f"{root}/display/wall/presence"


def publish(tail, payload):
    subprocess.run(["mosquitto_pub", *client, "-q", "1", "-t", f"{root}/{tail}", "-m", json.dumps(payload)],
                   check=True)


def retained(topic):
    told = subprocess.run(["mosquitto_sub", *client, "-t", topic, "-C", "1", "-W", "2"],
                          capture_output=True, text=True)
    return told.stdout.strip()


def wait(what, seen, wanted, seconds=30):
    end = time.monotonic() + seconds
    while True:
        value = seen()
        if wanted(value) if callable(wanted) else value == wanted:
            return value
        if time.monotonic() > end:
            sys.exit(f"{what}: {value!r}")
        time.sleep(0.02)


options = Options()
for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=800,480"]:
    options.add_argument(flag)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
try:
    text = lambda name: browser.find_element(By.ID, name).text
    browser.get(f"file://{page}?broker=ws://127.0.0.1:{web}&root={root}&display=wall")
    if users:
        form = browser.find_element(By.ID, "sign-in")
        wait("the sign-in form", form.is_displayed, True)
        for name, value in [("user", users[2]), ("password", "wrong")]:
            form.find_element(By.NAME, name).send_keys(value)
        form.find_element(By.TAG_NAME, "button").click()
        wait("the refusal of a wrong password", lambda: text("problem"), lambda told: "password" in told)
        wait("the sign-in form again", form.is_displayed, True)
        form.find_element(By.NAME, "password").clear()
        form.find_element(By.NAME, "password").send_keys(users[3])
        form.find_element(By.TAG_NAME, "button").click()
    wait("the environment", lambda: text("environment"), "Flat")
    wait("the presence", lambda: retained(presence), "visible")

    # The device comes near to the table lamp.
    publish("device/set", {"position": {"x": 1, "y": 2, "z": 1}, "angle": 90})
    wait("the nearby thing", lambda: text("name"), "Table lamp")
    wait("its state", lambda: text("value"), lambda told: told.startswith("on, 60 %"))
    wait("the flash", lambda: browser.find_element(By.ID, "nearby").get_attribute("class"), "arrived")
    wait("the heading", lambda: text("angle"), "90°")
    arrow = "return document.getElementById('arrow').style.transform"
    # It lies in the east, straight ahead.
    wait("the arrow", lambda: browser.execute_script(arrow), "rotate(0deg)")

    browser.find_element(By.ID, "toggle").click()
    wait("the switched lamp", lambda: text("value"), lambda told: told.startswith("off"))

    # Places between two positions come from frames only.
    wait("the place", lambda: text("position"), "x 1.00 m, y 2.00 m")
    browser.execute_script("""
        window.places = [];
        new MutationObserver(() => window.places.push(document.getElementById('position').textContent))
            .observe(document.getElementById('position'), { childList: true });
    """)
    publish("device/set", {"position": {"x": 2, "y": 2, "z": 1}})
    wait("the new place", lambda: text("position"), "x 2.00 m, y 2.00 m")
    places = browser.execute_script("return window.places")
    between = [place for place in places if not place.startswith(("x 1.00", "x 2.00"))]
    if len(between) < 5:
        sys.exit(f"frames: {places}")

    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    if errors:
        sys.exit(f"the console: {errors}")
    # It leaves in good order, and comes back.
    browser.get("about:blank")
    wait("the presence of a page that was left", lambda: retained(presence), "gone")
    browser.back()
    wait("the presence of a page that is back", lambda: retained(presence), "visible")

    # The broker speaks for a display that was killed.
    children = subprocess.run(["pgrep", "-P", str(browser.service.process.pid)], capture_output=True, text=True)
    for child in children.stdout.split():
        os.kill(int(child), signal.SIGKILL)
    wait("the will", lambda: retained(presence), "gone")
finally:
    browser.service.stop()
