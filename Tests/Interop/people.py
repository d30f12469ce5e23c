"""The pages of users in a real browser: signing up, signing in, the account, a forgotten password, administration, and
things with owners.

Arguments: the page's address, the broker's port, the root of the topics, a link of `trilateral sign-in`. With the
variable PICTURES, a folder gets a picture of each page.
"""
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import time

from PIL import Image
from pyzbar import pyzbar

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
loader = importlib.machinery.SourceFileLoader("kiosk_check", f"{ROOT}/contrib/kiosk-check")
kiosk = importlib.util.module_from_spec(importlib.util.spec_from_loader("kiosk_check", loader))
loader.exec_module(kiosk)

PICTURES = os.environ.get("PICTURES")
SIZES = [(1280, 800), (800, 480), (390, 844)]
# What is too wide, has no name for a screen reader, or is too small for a finger.
LOOK = """
const wrong = [];
if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`${document.documentElement.scrollWidth} wide in ${innerWidth}`);
for (const node of document.querySelectorAll("input, select")) {
    if (node.offsetParent && !(node.labels && node.labels.length) && !node.getAttribute("aria-label")) wrong.push(`no label: ${node.name || node.id}`);
}
for (const node of document.querySelectorAll("button, input, select")) {
    const box = node.getBoundingClientRect();
    if (node.offsetParent && box.height < 40) wrong.push(`${node.textContent || node.name} is only ${box.height} high`);
}
if (document.querySelectorAll("h1").length !== 1 || !document.title) wrong.push("no title");
return wrong;
"""
PRESS = """
const all = Array.from(document.querySelectorAll(arguments[1] + " button, " + arguments[1] + " a"));
const node = all.find(one => one.offsetParent && one.textContent.trim() === arguments[0]);
if (node) node.click();
return Boolean(node);
"""

# Answers for the history of a thing, of which the daemon has none yet: groups of a quarter of an hour, one of them missing.
HISTORY = """
const real = window.fetch;
window.fetch = (address, ...rest) => {
    if (!/\\/history\\?/.test(address)) return real(address, ...rest);
    const asked = new URL(address, location.href).searchParams;
    window.asked = asked.getAll("agg");
    const groupedResults = [];
    for (let from = Number(asked.get("from")); from < Number(asked.get("to")); from += 900000) {
        const mean = 21 + Math.sin(from / 3600000) * 3;
        const values = { mean, min: mean - 1, max: mean + 1 };
        const aggregations = window.asked.map(one => ({ name: one.replace(":", "_"), value: values[one.split(":")[0]] }));
        if (groupedResults.length !== 5 || window.wasGap) groupedResults.push({ range: { from, to: from + 900000 }, aggregations });
        else window.wasGap = true;
    }
    return Promise.resolve(new Response(JSON.stringify({ groupedResults }), { status: 200 }));
};
"""

# Points in a corner of the place, which nobody has measured.
SURVEY = """
const fetched = window.fetch;
window.fetch = (address, ...rest) => {
    if (!/api\\/survey$/.test(address)) return fetched(address, ...rest);
    const points = [];
    for (let x = 0; x < 4; x += 0.5) for (let y = 0; y < 2; y += 0.5) points.push({ id: points.length, name: "P", x: x + 0.25, y: 3.75 - y, z: 0, floor: 0, beacons: 1 });
    return Promise.resolve(new Response(JSON.stringify({ points, receivers: [] }), { status: 200 }));
};
"""
# The names on the plan, and whether one lies on a point. Browsers round the boxes of letters that are less than a unit high.
PLAN = """
const points = Array.from(document.querySelectorAll("main svg circle[r='0.15']"), one => [one.cx.baseVal.value, one.cy.baseVal.value]);
const names = Array.from(document.querySelectorAll("main svg text"));
const covers = node => {
    const [x, y, size] = ["x", "y", "font-size"].map(name => Number(node.getAttribute(name)));
    return points.some(([left, top]) => left > x - 0.1 && left < x + node.getComputedTextLength() + 0.1 && top > y - size && top < y + 0.1);
};
return points.length > 30 && { names: names.map(one => one.textContent).sort().join(), covers: names.some(covers) };
"""


class Story:
    def __init__(self, address, port, root, link):
        self.address, self.port, self.root, self.link = address.rstrip("/"), port, root, link
        self.page = kiosk.Page(address)
        self.failures = []

    def expect(self, is_true, text):
        if not is_true:
            self.failures.append(text)
            print(f"failed: {text}", flush=True)

    def see(self, what, script, seconds=10):
        found = self.page.wait("return " + script, seconds)
        shown = "" if found else self.page.run("return location.pathname + ' ' + document.body.innerText.slice(0, 300)")
        self.expect(found, f"{what} is not seen; there is {shown!r}")
        return found

    def text(self, text, seconds=10):
        return self.see(text, f"document.body.innerText.includes({json.dumps(text)})", seconds)

    def open(self, page, title):
        self.page.driver.get(f"{self.address}/{page}")
        self.see(f"the page {page}", f"(document.querySelector('h1') || {{}}).textContent === {json.dumps(title)}")

    def fill(self, **values):
        for name, value in values.items():
            node = self.page.driver.find_element("css selector", f"form [name='{name}']")
            if node.tag_name == "select":
                self.page.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))", node, value)
                self.expect(self.page.run("return arguments[0].value", node) == value, f"no choice {value} of {name}")
            else:
                node.clear()
                node.send_keys(value)

    def press(self, text, within="body"):
        end = time.monotonic() + 10
        while not self.page.run(PRESS, text, within):
            if time.monotonic() > end:
                return self.expect(False, f"there is no button {text} in {within}")
            time.sleep(0.05)

    def row(self, name):
        """A selector of the row with a name."""
        self.see(f"the row {name}", f"Array.from(document.querySelectorAll('.rows li[data-key]')).some(one => one.querySelector('.item-name').textContent === {json.dumps(name)})")
        key = self.page.run(
            "return Array.from(document.querySelectorAll('.rows li[data-key]')).find(one => one.querySelector('.item-name').textContent === arguments[0]).dataset.key", name)
        return f".rows li[data-key='{key}']"

    def look(self, name):
        for width, height in SIZES:
            for theme in ["light", "dark"]:
                self.page.size(width, height, theme)
                for wrong in self.page.run(LOOK):
                    self.expect(False, f"{name} at {width} x {height}: {wrong}")
                if PICTURES:
                    os.makedirs(PICTURES, exist_ok=True)
                    self.page.driver.save_screenshot(os.path.join(PICTURES, f"{name}-{width}-{theme}.png"))
        self.page.size(1280, 800)

    def letter(self, action):
        """The link of the letter that follows an action."""
        reader = subprocess.Popen(
            ["stdbuf", "-oL", "mosquitto_sub", "-h", "127.0.0.1", "-p", self.port, "-t", f"{self.root}/outbox/email", "-C", "1", "-W", "20", "-q", "1", "-d"],
            stdout=subprocess.PIPE, text=True)
        # Debugging lines tell when it listens.
        for line in reader.stdout:
            if "SUBACK" in line:
                break
        action()
        rest = reader.communicate(timeout=30)[0]
        found = re.search(r"https?://\S+?token=[\w-]+", rest.replace("\\n", "\n"))
        self.expect(found, f"no link in {rest!r}")
        return found.group(0) if found else self.address

    def forget(self):
        self.page.driver.delete_all_cookies()

    def sign_in(self, password):
        self.open("sign-in", "Sign in")
        self.fill(user="carol", password=password)
        self.press("Sign in", "form")

    def secret(self, pattern):
        self.see(f"a secret like {pattern}", f"/^{pattern}/.test((document.getElementById('secret') || {{}}).value)")

    def code(self, *names):
        """The QR code beside a secret, as a phone reads it from the screen: the secret by the last name, and another value."""
        self.see("a QR code", "document.querySelector('.confirm .qr svg')")
        picture = self.page.driver.find_element("css selector", ".confirm .qr svg").screenshot_as_png
        found = [json.loads(one.data) for one in pyzbar.decode(Image.open(io.BytesIO(picture)))]
        secret = self.page.run("return document.getElementById('secret').value")
        self.expect(len(found) == 1 and list(found[0]) == list(names) and found[0][names[1]] == secret, f"a code with {names}, not {found!r}")
        return found[0][names[0]] if found else None

    def bindings(self):
        """Things with owners."""
        self.open("admin#bindings", "Administration")
        self.text("Nobody has claimed a thing yet.")
        self.press("Claim a thing")
        self.look("admin-claim")
        self.fill(vendorThingID="v-1", thingPassword="s3cret-of-v1", thing="fridge", dataGroupingInterval="15_MINUTES")
        self.press("Claim", "form")
        self.secret("tlt_")
        self.expect((self.code("thingID", "accessToken") or "").startswith("th."), "the thing's identifier in its code")
        self.look("admin-token")
        self.press("I have it")
        row = self.row("v-1")
        self.text("Thing: Fridge")
        self.text("Owners: owner")
        self.press("Details", row)
        self.text("History by 15 minutes")
        self.press("Close", row)
        self.page.run(HISTORY)
        self.press("History", row)
        # The thing is new, so the shortest time is shown at first.
        self.see("the times that can be shown", "document.getElementById('history-range')")
        self.page.run("const node = document.getElementById('history-range'); node.value = Array.from(node.options).find(one => one.textContent === '6 hours').value; node.dispatchEvent(new Event('change'))")
        self.see("two runs of means", f"((document.querySelector({json.dumps(row)} + ' svg .mean') || {{ getAttribute: () => '' }}).getAttribute('d').match(/M/g) || []).length === 2")
        self.expect(self.page.run("return window.asked.join()") == "mean:temperature,min:temperature,max:temperature", "what is asked of the history")
        self.text("temperature, ")
        self.press("Earlier", row)
        self.see("that later times can be chosen", "Array.from(document.querySelectorAll('button')).some(one => one.textContent === 'Later' && !one.disabled)")
        self.look("admin-history")
        self.press("Close", row)
        self.press("Add an owner", row)
        self.fill(who="carol")
        self.press("Add", f"{row} form")
        self.text("Owners: carol, owner")
        self.press("New token", self.row("v-1"))
        self.text("The ones that it has end at once.")
        self.press("New token", f"{row} .confirm")
        self.secret("tlt_")
        self.press("Expect a thing")
        self.fill(vendorThingID="v-2", type="meter")
        self.press("Make the password", "form")
        self.secret("[a-z2-9]{24}$")
        password = self.page.run("return document.getElementById('secret').value")
        self.expect(self.code("vendorThingID", "thingPassword") == "v-2", "the thing's name in its code")
        expected = self.row("v-2")
        self.look("admin-bindings")
        self.expect(
            self.page.run("return Array.from(document.querySelectorAll(arguments[0] + ' button')).every(one => one.textContent !== 'Add an owner')", expected),
            "an owner can be added before anybody has claimed the thing")
        self.press("Claim", expected)
        self.expect(self.page.run("return !document.querySelector(arguments[0] + ' [name=thingType]')", expected), "a field for a type that is fixed")
        self.fill(thingPassword=password)
        self.press("Claim", f"{expected} form")
        self.text("No thing waits for an owner.")
        # The list is drawn anew with it, and would close the question.
        self.see("the thing with its owner", "Array.from(document.querySelectorAll('.rows li[data-key]')).some(one => one.querySelector('.item-name').textContent === 'v-2' && Array.from(one.querySelectorAll('button')).some(button => button.textContent === 'Add an owner'))")
        self.press("Forget", row)
        self.text("Forget v-1?")
        self.press("Forget", f"{row} .confirm")
        self.see("that it is forgotten", f"!document.querySelector({json.dumps(row)})")

    def survey(self):
        here = self.page.run("return fetch('api/state').then(one => one.json())")["environment"]["slug"]
        rooms = self.page.run("return fetch('api/zones').then(one => one.json())")
        wanted = ",".join(sorted(one["name"] for one in rooms if one.get("perimeter") and one["environment"] == here))
        self.page.run(SURVEY)
        self.open("admin#survey", "Administration")
        plan = self.page.wait(PLAN, 10)
        self.expect(plan and plan["names"] == wanted, f"the plan names {plan}, not {wanted}")
        self.expect(plan and not plan["covers"], "a name on the plan lies on a point")
        self.look("admin-survey")

    def tell(self):
        self.open("sign-up", "Sign up")
        self.look("sign-up")
        self.fill(user="carol", email="carol@example.org", password="a first password", **{"password-again": "a first passw0rd"})
        self.press("Sign up", "form")
        self.text("The two passwords differ.")
        self.fill(password="a first password", **{"password-again": "a first password"})
        link = self.letter(lambda: (self.press("Sign up", "form"), self.text("Look into your mail")))
        self.page.driver.get(link)
        self.see("the button of the link", "Boolean(document.querySelector('form button'))")
        self.look("verify")
        self.press("Confirm my address", "form")
        self.text("The address is confirmed.")
        self.page.driver.get(link)
        self.press("Confirm my address", "form")
        self.text("used already")

        self.sign_in("a wrong password")
        self.see("that it is wrong", "Boolean((document.querySelector('.wrong') || {}).textContent)")
        self.look("sign-in")
        self.sign_in("a first password")
        self.see("the kiosk", "location.pathname.endsWith('/kiosk')")
        self.open("me", "My account")
        self.text("carol")
        self.text("You have no rights yet.")
        self.look("me")
        self.press("Add a token")
        self.fill(name="panel")
        self.press("Add", ".parts, main")
        self.see("the token", "/^tlu_/.test((document.getElementById('secret') || {}).value)")
        self.open("admin", "Administration")
        self.text("You own nothing here")

        self.open("forgot", "Forgotten password")
        self.look("forgot")
        self.fill(user="carol")
        link = self.letter(lambda: (self.press("Send me a link", "form"), self.text("Look into your mail")))
        self.page.driver.get(link)
        self.see("the form of the link", "Boolean(document.querySelector('form [name=password]'))")
        self.fill(password="another password", **{"password-again": "another password"})
        self.press("Set the password", "form")
        self.text("All sessions of before have ended.")
        self.page.driver.get(f"{self.address}/me")
        self.see("that the session has ended", "location.pathname.endsWith('/sign-in')")
        self.sign_in("another password")
        self.see("the kiosk again", "location.pathname.endsWith('/kiosk')")
        self.open("me", "My account")
        self.press("Sign out")
        self.see("that nobody is signed in", "location.pathname.endsWith('/sign-in')")

        self.forget()
        self.page.driver.get(f"{self.address}/admin")
        self.see("that the owner has to sign in", "location.pathname.endsWith('/sign-in')")
        self.text("trilateral sign-in")
        self.page.driver.get(self.link)
        self.text("This link signs you in, once.")
        self.look("sign-in-link")
        self.press("Sign in", "form")
        self.see("administration", "location.pathname.endsWith('/admin')")
        self.page.driver.get(self.link)
        self.press("Sign in", "form")
        self.text("used already")
        self.open("admin#users", "Administration")
        self.row("carol")
        self.look("admin-users")
        self.open("admin#things", "Administration")
        self.press("Add a thing")
        zone = self.page.run("return document.querySelector('form [name=zone] option:last-child').value")
        self.fill(name="Corner lamp", zone=zone, x="1.5", y="2")
        self.look("admin-things")
        self.press("Add", "form")
        row = self.row("Corner lamp")
        self.press("Another value", row)
        self.fill(key="on", value="true")
        self.press("Save", row)
        self.text("On: Yes")
        self.press("Edit", self.row("Corner lamp"))
        self.fill(name="Wall lamp")
        self.press("Save", row)
        row = self.row("Wall lamp")
        self.press("Remove", row)
        self.text("Remove the thing Wall lamp?")
        self.press("Remove", f"{row} .confirm")
        self.see("that it is gone", "!document.body.innerText.includes('Wall lamp')")
        self.bindings()
        self.survey()
        self.open("admin#log", "Administration")
        self.text("thing rm")
        self.look("admin-log")
        severe = [one for one in self.page.errors() if "40" not in one]
        self.expect(not severe, f"the console: {severe}")


story = Story(*sys.argv[1:5])
try:
    story.tell()
finally:
    story.page.driver.quit()
sys.exit(1 if story.failures else 0)
