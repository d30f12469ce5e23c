"""The kiosk page with the screens of experience/application.json, in a real browser.

Arguments: what to check, the page's address, the broker's port, the root of the topics, and what that check takes. The
daemon is in the place of experience/place.json. With the variable PICTURES, a folder gets a picture of each screen.
"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
loader = importlib.machinery.SourceFileLoader("kiosk_check", f"{ROOT}/contrib/kiosk-check")
kiosk = importlib.util.module_from_spec(importlib.util.spec_from_loader("kiosk_check", loader))
loader.exec_module(kiosk)

PICTURES = os.environ.get("PICTURES")
SCREENS = [("welcome", None), ("home", None), ("tiles", None), ("single", None), ("plan", None), ("whole", None),
           ("board", None), ("times", "fan"), ("details", "fan"), ("details", "climate"), ("details", "mixer"),
           ("details", "spotlight"), ("details", "blind"), ("details", "reading-lamp-beside-the-very-wide-window")]
# The only messages that a console may have: those of what is meant to fail.
MEANT = ["BadStart failed in constructor", "BadUpdate failed in update", "BadScreen failed in update"]
GONE = "/kiosk/modules/not-there.png - Failed to load resource"

# What kiosk-check's own look does not see: areas that scroll, words that are cut, and buttons under something else.
LAYOUT = """
const wrong = [];
const name = node => node.getAttribute("aria-label") || node.textContent.trim().slice(0, 30) || node.id || node.className;
for (const node of document.querySelectorAll(".screen, #drawer, #bar, .tile, .card")) {
    if (node.offsetParent && node.scrollWidth > node.clientWidth + 1 && !node.classList.contains("swipe-screen")) {
        wrong.push(`${node.className || node.id} of ${name(node)} is ${node.scrollWidth} wide in ${node.clientWidth}`);
    }
}
for (const node of document.querySelectorAll("main *, #bar *, #drawer *")) {
    if (!node.offsetParent || node.closest("svg") || node.closest("#compass")) continue;
    const text = Array.from(node.childNodes).filter(child => child.nodeType === 3 && child.data.trim());
    const style = getComputedStyle(node);
    if (text.length && style.overflowX === "visible" && node.scrollWidth > node.clientWidth + 1 && style.display !== "inline") {
        wrong.push(`the words ${name(node)} are wider than their place`);
    }
}
for (const tile of document.querySelectorAll(".tile")) {
    const [a, b] = [".row-text", ".tile-control"].map(one => tile.querySelector(one).getBoundingClientRect());
    if (b.width && b.height && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) {
        wrong.push(`name and control of ${name(tile)} lie over each other`);
    }
}
const isOpen = !document.querySelector(".drawer").hidden;
for (const node of document.querySelectorAll("button, select, input")) {
    if (!node.offsetParent || node.disabled || node.closest("svg") || (isOpen && !node.closest("#drawer"))) continue;
    const box = node.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const area = node.closest(".swipe, .screen, #drawer, .views > section") || document.body;
    const seen = area.getBoundingClientRect();
    if (x < seen.left || x > seen.right || y < seen.top || y > seen.bottom || y > innerHeight || y < 0) continue;
    const top = document.elementFromPoint(x, y);
    if (top && top !== node && !node.contains(top) && !top.contains(node)) wrong.push(`${name(node)} lies under ${name(top)}`);
}
return wrong;
"""


class Check:
    """A browser with the page, and the daemon and the broker behind it."""

    def __init__(self, address, port, root):
        self.address, self.port, self.root = address.rstrip("/"), port, root
        self.daemon = kiosk.Daemon(address, None)
        self.page = kiosk.Page(address)
        self.failures = []

    # What goes wrong

    def expect(self, is_true, text):
        if not is_true:
            self.failures.append(text)
            print(f"failed: {text}", flush=True)
        return is_true

    def see(self, what, script, wanted=True, seconds=10):
        """Waits until a script returns what is wanted."""
        end = time.monotonic() + seconds
        while True:
            found = self.page.look("return " + script)
            if found == wanted:
                return True
            if time.monotonic() > end:
                return self.expect(False, f"{what}: {found!r}, not {wanted!r}")
            time.sleep(0.02)

    def hear(self, what, read, wanted, seconds=10):
        end = time.monotonic() + seconds
        while True:
            found = read()
            if wanted(found) if callable(wanted) else found == wanted:
                return True
            if time.monotonic() > end:
                return self.expect(False, f"{what}: {found!r}")
            time.sleep(0.05)

    # The page

    def open(self, display, more=""):
        self.page.driver.get(f"{self.address}/kiosk?display={display}{more}")
        self.see("the page is ready", "Boolean(document.documentElement.dataset.ready && document.querySelector('.screen'))", seconds=15)

    def screen(self, name, **more):
        self.see(f"the screen {name}", "(document.getElementById('screen') || { dataset: {} }).dataset.screen", name, **more)

    def count(self, selector):
        return self.page.run("return document.querySelectorAll(arguments[0]).length", selector)

    def text(self, selector):
        return self.page.run("const node = document.querySelector(arguments[0]); return node && node.innerText.trim()", selector)

    def key(self, key, code, modifiers=0):
        for kind in ["keyDown", "keyUp"]:
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.page.do("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers, **text)

    def tap(self, selector):
        self.page.tap(selector)

    def look(self, where, axe=None):
        for wrong in self.page.run(kiosk.LAYOUT) + self.page.run(LAYOUT):
            self.expect(False, f"{where}: {wrong}")
        if axe:
            self.page.run(axe)
            for wrong in self.page.driver.execute_async_script(kiosk.SCAN):
                self.expect(False, f"{where}: {wrong}")
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.page.driver.save_screenshot(os.path.join(PICTURES, where.replace(" ", "-") + ".png"))

    def console(self, where):
        for error in self.page.errors():
            self.expect(any(meant in error for meant in MEANT + [GONE]), f"{where}: {error}")
        self.expect(not self.page.foreign_requests(), f"{where}: requests to other machines")

    # The daemon

    def call(self, display, **body):
        return self.daemon.call(f"api/display/{display}/screen", body)

    def say(self, tail, payload):
        subprocess.run(["mosquitto_pub", "-p", self.port, "-q", "1", "-t", f"{self.root}/{tail}", "-m",
                        payload if isinstance(payload, str) else json.dumps(payload)], check=True)

    def retained(self, tail):
        told = subprocess.run(["mosquitto_sub", "-p", self.port, "-t", f"{self.root}/{tail}", "-C", "1", "-W", "2"],
                              capture_output=True, text=True)
        return json.loads(told.stdout) if told.stdout.strip() else None


def axe():
    found = kiosk.glob.glob(f"{ROOT}/.build/interop/browser/lib/python*/site-packages/*/axe.min.js")
    if not found:
        kiosk.skip("axe.min.js is missing; contrib/setup --tests installs it")
    with open(found[0], encoding="utf-8") as file:
        return file.read()


def looks(check, language, theme):
    """Every screen and the open menu, in three sizes."""
    scan = axe()
    check.daemon.call("api/lifecycle/language/set", {"value": language})
    for width, height in kiosk.SIZES[:3]:
        check.page.size(width, height, theme)
        check.open("looks")
        for screen, thing in SCREENS:
            where = f"{screen}{'-' + thing[:9] if thing else ''}-{width}x{height}-{language}-{theme}"
            check.call("looks", call="navigateHome")
            if screen == "welcome":
                check.call("looks", call="sessionClosed")
            elif screen != "home":
                check.call("looks", call="pushScreen", screen=screen, **({"thing": thing} if thing else {}))
            check.screen(screen)
            check.see("the end of the motion", "document.getAnimations().some(one => one.playState === 'running')", False)
            check.look(where, scan)
        check.call("looks", call="navigateHome")
        check.screen("home")
        check.page.run("document.querySelector('#bar [aria-haspopup]').click()")
        check.look(f"menu-{width}x{height}-{language}-{theme}", scan)
        check.console(f"{width}x{height}")


def ways(check, application):
    """By touch and by keyboard from screen to screen."""
    check.page.size(390, 844)
    check.open("ways")
    check.screen("home")
    check.call("ways", call="sessionClosed")
    check.screen("welcome")
    check.see("the title of the sign-in screen", "document.querySelector('.app-name').textContent", "Welcome to the studio")
    check.expect(not check.page.run("return document.querySelector('#bar [aria-haspopup]').offsetParent"), "a menu before the sign-in")
    check.look("the sign-in screen")
    check.tap(".screen .main")
    check.screen("home")

    check.tap("#bar [aria-haspopup]")
    check.see("the menu", "document.querySelector('.drawer').hidden", False)
    check.see("its focus", "document.activeElement.textContent", "My things")
    check.hear("the context", lambda: check.daemon.call("api/lifecycle")["context"], "menu")
    check.tap("#drawer li:nth-child(4) .entry")
    check.screen("plan")
    check.see("the menu after it was used", "document.querySelector('.drawer').hidden")
    check.hear("the context", lambda: check.daemon.call("api/lifecycle")["context"], "main")
    ground = "getComputedStyle(document.body).backgroundColor"
    check.see("the ground of the plan", ground, "rgb(16, 24, 32)")
    check.see("the title bar of a screen that wants none", "getComputedStyle(document.getElementById('bar')).position", "absolute")
    check.tap("#bar [aria-haspopup]")
    check.page.touch((370, 400))
    check.see("the menu after a tap beside it", "document.querySelector('.drawer').hidden")
    check.tap("#bar .tool:nth-child(2)")
    check.screen("home")
    check.see("the ground at home", ground, "rgb(251, 247, 238)")

    check.tap(".tile:nth-child(4) .tile-head")
    check.screen("details")
    check.see("the thing that was tapped", "(document.querySelector('.screen .thing-name') || {}).textContent", "Fan")
    check.tap(".screen .about .button")
    check.screen("times")
    check.see("the back button of a screen without a menu", "document.querySelector('#bar [aria-haspopup]').hidden")
    for screen in ["details", "home"]:
        check.tap("#bar .tool:nth-child(2)")
        check.screen(screen)

    # The keyboard alone.
    check.page.size(1280, 800)
    focus = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
    check.page.run("document.querySelector('#bar [aria-haspopup]').focus()")
    check.key("Enter", 13)
    for key, code, name in [("ArrowDown", 40, "Side by side"), ("ArrowUp", 38, "My things"), ("ArrowUp", 38, "Close menu"),
                            ("ArrowUp", 38, "<b>ruin</b>"), ("Tab", 9, "Close menu"), ("Tab", 9, "My things")]:
        check.key(key, code)
        check.see(f"the focus after {key}", focus, name)
    check.key("Escape", 27)
    check.see("the menu after Escape", "document.querySelector('.drawer').hidden")
    check.see("the focus after Escape", focus, "Menu")
    check.key("Enter", 13)
    check.key("ArrowDown", 40)
    check.key("ArrowDown", 40)
    check.key("Enter", 13)
    check.screen("single")
    check.see("the focus in a new screen", focus, "One by one")
    check.page.run("document.querySelector('.swipe .tile-head').focus()")
    check.key("ArrowRight", 39)
    check.see("the next thing", "document.querySelector('.place').textContent", "2 of 7")

    # The browser's own buttons.
    check.page.driver.back()
    check.screen("home")
    check.page.driver.forward()
    check.screen("single")
    check.tap("#bar .tool:nth-child(2)")
    check.screen("home")
    check.tap(".tile:nth-child(4) .tile-head")
    check.screen("details")
    check.tap(".screen .about .button")
    check.screen("times")
    for screen in ["details", "home", "single"]:
        check.page.driver.back()
        check.screen(screen)
    stack = lambda: [entry["screen"] for entry in check.retained("display/ways/screen")["stack"]]
    check.hear("the screens on the broker", stack, ["home", "single"])

    # What was chosen stays when the page is loaded again.
    check.call("ways", call="pushScreen", screen="whole")
    check.screen("whole")
    chosen = "(document.querySelector('#list .row[aria-pressed=true] .row-name') || {}).textContent"
    check.page.run("Array.from(document.querySelectorAll('#list .row')).find(row => row.textContent.startsWith('Blind')).click()")
    check.see("the chosen thing", chosen, "Blind")
    check.page.driver.refresh()
    check.screen("whole")
    check.see("the chosen thing after a reload", chosen, "Blind")
    check.console("ways")


def controls(check, application):
    """Controls drive their properties, and what others set is shown."""
    def values(thing):
        return check.retained(f"things/{thing}")["values"]

    check.page.size(390, 844)
    check.open("controls")
    check.call("controls", call="pushScreen", screen="details", thing="fan")
    check.screen("details")
    check.tap(".property [role=switch]")
    check.hear("the fan on the broker", lambda: values("fan")["running"], True)
    check.see("the switch", "document.querySelector('.property [role=switch]').getAttribute('aria-checked')", "true")
    check.page.run("document.querySelector('.kind-Slider input').focus()")
    check.key("ArrowRight", 39)
    check.hear("the timer on the broker", lambda: values("fan")["timer_min"], 45)
    check.see("the timer", "document.querySelector('.kind-Slider output').textContent", "45\u00a0min")
    check.say("things/fan/set/fan_mode", "fan_high")
    check.see("a speed that was set elsewhere", "document.querySelector('.kind-Select [aria-pressed=true]').textContent", "High")
    check.tap(".kind-Select .button:nth-child(3)")
    check.hear("the speed on the broker", lambda: values("fan")["fan_mode"], 2)

    check.call("controls", call="pushScreen", screen="details", thing="climate")
    check.see("the goal", "document.querySelector('.stepper input').value", "21.5")
    check.tap(".stepper .button:last-child")
    check.hear("the goal on the broker", lambda: values("climate")["goal"], 22)
    check.page.run("document.querySelector('.stepper input').select()")
    check.page.do("Input.insertText", text="19,5")
    check.key("Enter", 13)
    check.hear("a goal that was typed", lambda: values("climate")["goal"], 19.5)

    check.call("controls", call="pushScreen", screen="details", thing="mixer")
    check.see("the list", "document.querySelector('select').selectedOptions[0].textContent", "Noon")
    check.page.run("const list = document.querySelector('select'); list.value = '4'; list.dispatchEvent(new Event('change'));")
    check.hear("the programme on the broker", lambda: values("mixer")["program"], 5)
    check.tap(".kind-Button .button:last-child")
    check.hear("the cue on the broker", lambda: values("mixer")["cue"], 2)

    # A list shows the control of the whole thing.
    check.call("controls", call="navigateHome")
    check.screen("home")
    check.say("things/climate/set/climate_mode", "cool")
    tile = "getComputedStyle(Array.from(document.querySelectorAll('.tile')).find(one => one.textContent.startsWith('Climate'))).backgroundColor"
    check.see("the colour of what cools", tile, "rgb(188, 220, 245)")
    check.say("things/climate/set/climate_mode", "off")
    check.see("the colour of what is off", tile, "rgb(85, 85, 85)")
    check.tap(".tile:nth-child(2) .steps .button")
    check.hear("the blind on the broker", lambda: values("blind")["position"], 100)
    check.say("things/blind/action", "close")
    check.see("the blind", "document.querySelector('.tile:nth-child(2) .row-facts').textContent.split(' · ')[0]", "closed")
    check.console("controls")


def modules(check, application):
    """Screens and controls of the configuration's own, and those that fail."""
    check.page.size(1280, 800)
    check.open("modules")
    check.call("modules", call="pushScreen", screen="details", thing="mixer")
    check.see("the dial", "document.querySelector('.dial-text') && document.querySelector('.dial-text').textContent", "Scene 2 · Mixer")
    check.see("its colour", "getComputedStyle(document.querySelector('.dial-text')).borderBottomColor", "rgb(47, 111, 79)")
    check.tap(".dial-3")
    check.see("the dial after a tap", "document.querySelector('.dial-text').textContent", "Scene 3 · Mixer")
    check.hear("the scene on the broker", lambda: check.retained("things/mixer")["values"]["scene"], 3)
    check.say("things/mixer/set/cue", "applause")
    check.hear("the cue", lambda: check.retained("things/mixer")["values"]["cue"], 2)
    check.tap(".dial-gong")
    check.hear("the action", lambda: check.retained("things/mixer")["values"]["cue"], 1)
    for script, wanted in [("window.dial.host.property.name", "scene"), ("window.dial.host.thing.slug", "mixer"),
                           ("window.dial.host.color('ember')", "#f4c7a1"), ("window.dial.host.color('#abc')", "#aabbcc"),
                           ("window.dial.host.color('nonsense')", None), ("window.dial.host.string('applause')", "Applause"),
                           ("window.dial.host.string('nowhere')", "nowhere")]:
        check.see(script, script, wanted)
    pushed = check.page.driver.execute_async_script("window.dial.host.pushScreen('nowhere').then(arguments[0])")
    check.expect(pushed is False, f"a screen that is not there: {pushed}")
    check.see("the notice", "document.querySelector('.notice').textContent.includes('nowhere')")
    check.screen("details")
    # A refused call is a failed request, which browsers tell.
    before = [error for error in check.page.errors() if "/api/display/modules/screen - Failed to load resource" not in error]
    icon = "document.querySelector('.screen .thing-head .icon')"
    check.see("a picture of the folder", f"{icon}.naturalWidth > 0 && {icon}.src.endsWith('/kiosk/modules/mixer.svg')")
    failing = "Array.from(document.querySelectorAll('.property'), card => card.querySelector('input') ? card.querySelector('h2').textContent : '')"
    check.see("the generic controls", failing + ".filter(Boolean).join()", "caption,gain,channel".title())
    check.expect(not check.count(".bad-update"), "half of a control that failed is left")
    check.see("the value of one that failed", "document.querySelectorAll('.property input')[0].value", "Sound check")

    check.call("modules", call="pushScreen", screen="board")
    check.see("the board", "(document.querySelector('.board-note') || {}).textContent", "Everything is ready.")
    check.see("what it is told", "document.querySelector('.board-count').textContent", "7 · – · en")
    check.see("a screen in it", "document.querySelector('.board-part .time-note p').innerText.trim()", "Sign in to see and to set when things happen by themselves.")
    check.tap(".way-details")
    check.see("where it leads", "(document.querySelector('.screen .thing-name') || {}).textContent", "Climate")
    check.see("that it was unmounted", "window.boardsUnmounted", 1)
    check.tap("#bar .tool:nth-child(2)")
    check.screen("board")
    check.see("the board again", "Boolean(document.querySelector('.way-back'))")
    check.tap(".way-back")
    check.screen("details")
    check.call("modules", call="pushScreen", screen="board", thing="fan")
    check.see("a board for a thing", "(document.querySelector('.board-count') || {}).textContent", "7 · Fan · en")
    check.tap(".way-home")
    check.screen("home")

    check.call("modules", call="pushScreen", screen="ruin")
    check.see("the generic screen", "document.querySelectorAll('.tile').length", 7)
    check.see("its title", "document.querySelector('#bar h1').textContent", "<b>ruin</b>")
    # A page is drawn before the driver has the message.
    errors = before

    def missing():
        errors.extend(check.page.errors())
        return [meant for meant in MEANT if not any(meant in error for error in errors)]

    check.hear("messages that are missing in the console", missing, [])
    check.expect(all(any(meant in error for meant in MEANT + [GONE]) for error in errors), f"the console: {errors}")


def calls(check, application):
    """Calls on the broker move the page, which finds its place again."""
    def stack():
        return [entry["screen"] for entry in check.retained("display/calls/screen")["stack"]]

    check.page.size(390, 844)
    check.open("calls")
    check.screen("home")
    check.say("display/calls/screen/set", {"call": "pushScreen", "screen": "details", "thing": "fan", "tx": 1})
    check.see("the thing", "(document.querySelector('.screen .thing-name') || {}).textContent", "Fan")
    check.say("display/calls/screen/set", {"call": "pushScreen", "screen": "plan"})
    check.screen("plan")
    check.open("calls")
    check.screen("plan")
    check.tap("#bar .tool:nth-child(2)")
    check.see("the thing again", "(document.querySelector('.screen .thing-name') || {}).textContent", "Fan")
    check.hear("the stack on the broker", stack, ["home", "details"])
    check.say("display/calls/screen/set", "back")
    check.screen("home")
    check.tap(".tile:nth-child(2) .tile-head")
    check.hear("an own step on the broker", stack, ["home", "details"])
    check.say("display/calls/screen/set", "navigateHome")
    check.screen("home")
    check.say("display/other/screen/set", {"call": "pushScreen", "screen": "tiles"})
    check.tap("#bar [aria-haspopup]")
    check.see("the menu", "document.querySelector('.drawer').hidden", False)
    check.say("display/all/screen/set", "sessionClosed")
    check.screen("welcome")
    check.see("the menu on a screen without one", "document.querySelector('.drawer').hidden && !document.querySelector('[inert]')")
    check.hear("the sign-in screen on the broker", stack, ["welcome"])
    check.open("calls")
    check.screen("welcome")
    check.say("display/all/screen/set", "signInComplete")
    check.screen("home")
    check.say("display/calls/screen/set", "board")
    check.screen("board")
    session = check.daemon.call("api/session")
    check.expect(session["signed_in"] is True and session["user"] == "owner", f"the session: {session}")
    check.console("calls")


def reload(check, application):
    """A changed configuration, and a changed module, come to a page that is open."""
    check.page.size(390, 844)
    check.open("reload")
    check.page.run("window.isOld = true")
    with open(application, encoding="utf-8") as file:
        text = file.read()
    with open(application, "w", encoding="utf-8") as file:
        file.write(text.replace('"my_things": "My things"', '"my_things": "Our things"'))
    check.say("request/reload", "")
    check.see("the new title", "(document.querySelector('#bar h1') || {}).textContent", "Our things", seconds=20)
    check.see("that it is another page", "window.isOld", None)
    known = "performance.getEntriesByType('resource').some(one => one.name.endsWith('/kiosk/modules/Board.js') && one.responseEnd)"
    check.see("that the page knows its modules", known)
    check.page.run("window.isOld = true")
    with open(os.path.join(os.path.dirname(application), "modules", "Board.js"), "a", encoding="utf-8") as file:
        file.write("// Changed.\n")
    check.say("request/reload", "")
    check.see("that it is another page again", "window.isOld", None, seconds=20)
    check.page.errors()


def plain(check, application):
    """Without screens, things with a profile have its controls in the view of a thing."""
    check.page.size(390, 844)
    check.page.driver.get(f"{check.address}/kiosk?display=plain&view=list")
    check.see("the list", "document.querySelectorAll('.row').length", 7)
    blind = ".row[data-id$='0105']"
    check.see("the blind in the list", f"document.querySelector(\"{blind} .row-facts\").textContent", "40\u00a0%\u00a0open")
    check.see("its picture", f"Boolean(document.querySelector(\"{blind} .badge.lit path\"))")
    check.see("a lamp in its colour", "document.querySelector(\".row[data-id$='0103'] .badge\").style.getPropertyValue('--thing')", "rgb(255,165,0)")
    check.page.size(1280, 800)
    check.page.run("document.querySelector('[data-view=map]').click()")
    check.see("its value on the map", "Array.from(document.querySelectorAll('#map .label .value'), node => node.textContent).some(text => text.startsWith('40\u00a0%\u00a0open'))")
    check.page.size(390, 844)
    check.page.run("document.querySelector('[data-view=list]').click()")
    check.tap(blind)
    check.see("its value in its view", "document.querySelector('#thing .hero-value').textContent", "40\u00a0%\u00a0open")
    titles = "Array.from(document.querySelectorAll('#thing .property h2'), node => node.textContent).join()"
    check.see("the properties", titles, "position,tilt,movement")
    check.see("the style", "getComputedStyle(document.querySelector('#thing .reading')).fontWeight", "700")
    check.tap("#thing .buttons .button:last-child")
    check.hear("the blind on the broker", lambda: check.retained("things/blind")["values"]["position"], 0)
    check.say("things/blind/set/position", "75")
    check.see("the blind", "document.querySelector('#thing output').textContent", "75\u00a0%")
    check.expect(not check.count(".screen") and not check.page.run("return document.getElementById('tabs').hidden"), "screens without any")
    for wrong in check.page.run(kiosk.LAYOUT):
        check.expect(False, wrong)
    check.console("plain")


def rights(check, application):
    """What its viewer may not drive is not offered, until it may be driven."""
    check.page.size(390, 844)
    check.open("rights")
    check.screen("home")
    drives = lambda area: f"document.querySelectorAll('{area} button, {area} input, {area} select').length"
    check.see("the controls of the blind", drives(".tile:nth-child(2) .tile-control"), 0)
    check.see("the controls of the fan", drives(".tile:nth-child(4) .tile-control"), 1)
    check.tap(".tile:nth-child(2) .tile-head")
    check.screen("details")
    check.see("the position of the blind", "(document.querySelector('.properties .reading') || {}).textContent", "40\u00a0%")
    check.see("what drives the blind", drives(".properties"), 0)
    check.page.run("window.isOld = true")
    path = os.path.join(os.path.dirname(application), "trilateral.yaml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("read_only: [blind]", "read_only: [fan]"))
    check.say("request/reload", "")
    check.see("what drives the blind now", "document.querySelectorAll('.properties input[type=range]').length", 2, seconds=20)
    check.tap("#bar .tool:nth-child(2)")
    check.screen("home")
    check.see("the controls of the blind now", drives(".tile:nth-child(2) .tile-control") + " > 1")
    check.see("the controls of the fan now", drives(".tile:nth-child(4) .tile-control"), 0)
    check.see("that it is the same page", "window.isOld")
    check.console("rights")


def patience(check, application):
    """The page of the place, until the answer about the screens can be had."""
    check.page.size(390, 844)
    check.page.do("Network.enable")
    check.page.do("Network.setBlockedURLs", urls=["*/api/experience"])
    check.page.driver.get(f"{check.address}/kiosk?display=patience")
    check.see("the place", "document.getElementById('device').offsetParent ? document.querySelector('.card-environment .card-name').textContent : ''", "House")
    check.page.run("window.isOld = true")
    check.page.do("Network.setBlockedURLs", urls=[])
    check.screen("home")
    check.expect(check.page.run("return window.isOld"), "the page was loaded anew")
    check.see("the views of the page without screens", "document.getElementById('tabs').hidden")
    check.page.errors()


CHECKS = {check.__name__: check for check in [looks, ways, controls, modules, calls, rights, reload, plain, patience]}

if __name__ == "__main__":
    what, address, port, root = sys.argv[1:5]
    check = Check(address, port, root)
    try:
        CHECKS[what](check, *sys.argv[5:])
    finally:
        check.page.driver.quit()
    sys.exit(1 if check.failures else 0)
