"""The kiosk page over slow and broken links, and in many pages of one browser.

Arguments: the page's address and the daemon's process. The daemon has a full place, and device/set is allowed.
"""
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
loader = importlib.machinery.SourceFileLoader("kiosk_check", f"{ROOT}/contrib/kiosk-check")
kiosk = importlib.util.module_from_spec(importlib.util.spec_from_loader("kiosk_check", loader))
loader.exec_module(kiosk)

READY = "return document.documentElement.dataset.ready"
LISTS = ["/api/environments", "/api/zones", "/api/things"]
# What lies over the middle of a control that is in view.
COVERED = """
return Array.from(document.querySelectorAll("main button, main input, nav button")).filter(node => {
    const box = node.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const area = node.closest("main > section, nav");
    const seen = area.getBoundingClientRect();
    if (!node.offsetParent || y < seen.top || y > Math.min(seen.bottom, innerHeight) || x > seen.right) return false;
    const top = document.elementFromPoint(x, y);
    return top && top.closest("#link, #notices");
}).map(node => node.textContent || node.getAttribute("aria-label"));
"""


class Check:
    def __init__(self, address, process):
        self.address, self.process = address.rstrip("/"), process
        self.daemon = kiosk.Daemon(address, None)
        self.page = kiosk.Page(address)
        self.failures = []
        self.isWalking = False

    def expect(self, is_true, text):
        if not is_true:
            self.failures.append(text)
            print(f"failed: {text}", flush=True)

    def say(self, text):
        print(text, flush=True)

    def walk(self):
        step = 0
        while self.isWalking:
            step += 1
            self.daemon.call("api/device/set", {"position": {"x": 2 + step * 0.7 % 36, "y": 2 + step * 0.4 % 26}, "angle": step * 17 % 360})
            time.sleep(0.25)

    def link(self, kilobytes=0, latency=0):
        """A link with so many kB/s and milliseconds; without limits if nothing is said."""
        self.page.do("Network.enable")
        rate = kilobytes * 1000 if kilobytes else -1
        self.page.do("Network.emulateNetworkConditions", offline=False, latency=latency, downloadThroughput=rate, uploadThroughput=rate)

    def requests(self):
        """Paths and bodies of what was asked for since the last look."""
        found = []
        for entry in self.page.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                request = message["params"]["request"]
                found.append((request["url"].split("?")[0].replace(self.address, ""), request.get("postData", "")))
        return found

    def load(self, path, seconds):
        self.requests()
        self.page.driver.get(f"{self.address}/kiosk?{path}")
        ready = self.page.wait(READY, seconds)
        self.expect(ready, f"{path} is not ready after {seconds} s")
        return ready

    # What is tried

    def slow(self):
        self.isWalking = True
        walker = threading.Thread(target=self.walk)
        walker.start()
        try:
            for name, kilobytes, latency, most in [("30 kB/s", 30, 100, 15), ("125 kB/s", 125, 100, 8), ("2 s latency", 0, 2000, 25)]:
                self.page.do("Network.enable")
                self.page.do("Network.clearBrowserCache")
                self.link(kilobytes, latency)
                for turn in ["first", "second"]:
                    ready = self.load("view=device&display=slow", most)
                    time.sleep(4)
                    paths = [path for path, _ in self.requests() if path.startswith("/")]
                    self.say(f"{name}, {turn} time: ready after {ready} ms, {len(paths)} requests")
                    for one in LISTS:
                        self.expect(paths.count(one) == 1, f"{name}: {one} was read {paths.count(one)} times")
                    self.expect(len(paths) <= 20, f"{name}: {len(paths)} requests: {paths}")
        finally:
            self.isWalking = False
            walker.join()
            self.link()

    def level(self):
        return self.daemon.call("api/lifecycle")["level"]

    def tabs(self, is_seen=False):
        """Seven pages of which one is seen, then back to the first one, which has to be live again."""
        driver = self.page.driver
        first = driver.current_window_handle
        displays = set()
        for number in range(7):
            if number:
                driver.switch_to.new_window("tab")
            if is_seen:
                self.at_start("for (const key of ['hidden', 'visibilityState']) Object.defineProperty(document, key, "
                              "{ get: () => key === 'hidden' ? false : 'visible' });")
            driver.get(f"{self.address}/kiosk?view=device")
            self.expect(self.page.wait(READY, 10), f"tab {number + 1} is not ready after 10 s")
            displays.add(self.page.run("return sessionStorage.getItem('trilateral-display')"))
        self.expect(len(displays) == 7 and None not in displays, f"seven tabs have the displays {displays}")
        time.sleep(7)
        driver.switch_to.window(first)
        self.page.run("window.dispatchEvent(new Event('focus'))")
        self.live("the first of seven tabs")
        for handle in driver.window_handles[1:]:
            driver.switch_to.window(handle)
            driver.close()
        driver.switch_to.window(first)

    def windows(self):
        """Seven pages that are all seen, as windows beside each other."""
        self.tabs(is_seen=True)

    def live(self, name):
        lamp = self.daemon.lamp()
        self.page.wait("return document.body.dataset.link === 'up'", 5)
        self.page.run("document.querySelector('[data-view=list]').click()")
        selector = f".row[data-id='{lamp['id']}'] .row-facts"
        before = self.page.wait(f"return document.querySelector(\"{selector}\").textContent", 3)
        self.daemon.set(lamp, {"state": "TOGGLE"})
        changed = self.page.wait(f"return document.querySelector(\"{selector}\").textContent !== {json.dumps(before)}", 3)
        self.expect(changed, f"{name} shows no change within 3 s")

    def presence(self):
        """Two pages with one display: what one says does not count for the other."""
        driver = self.page.driver
        first = driver.current_window_handle
        self.load("view=device&display=hall", 10)
        driver.switch_to.new_window("window")
        self.load("view=device&display=hall", 10)
        driver.close()
        driver.switch_to.window(first)
        self.page.run("document.dispatchEvent(new Event('visibilitychange'))")
        end = time.monotonic() + 13
        levels = set()
        while time.monotonic() < end:
            levels.add(self.level())
            time.sleep(0.3)
        self.expect(levels == {"FULL"}, f"while one of two pages was closed, the level was {levels}")

    def slider(self):
        self.page.size(1280, 800)
        lamp = next(thing for thing in self.daemon.things_here() if "brightness" in thing.get("settable", []))
        self.load(f"view=thing&thing={lamp['slug']}&display=slider", 10)
        self.expect(self.page.wait("return document.querySelector('#thing input[type=range]')", 3), "the lamp has no slider")
        self.requests()
        self.page.driver.execute_async_script("""
            const done = arguments[0];
            const input = document.querySelector("#thing input[type=range]");
            const began = performance.now();
            const move = () => {
                const part = (performance.now() - began) / 3000;
                input.value = part < 1 ? Math.round(20 + part * 150) : 177;
                input.dispatchEvent(new Event("input", { bubbles: true }));
                if (part < 1) requestAnimationFrame(move); else setTimeout(done, 1500);
            };
            move();""")
        sent = [json.loads(body) for path, body in self.requests() if path.endswith("/set") and body]
        self.say(f"a slider that moves for 3 s sends {len(sent)} commands")
        self.expect(6 <= len(sent) <= 20, f"a slider that moves for 3 s sends {len(sent)} commands")
        self.expect(sent and sent[-1].get("brightness") == 177, f"the last value was not sent: {sent[-1:]}")
        self.expect(self.daemon.call(f"api/things/{lamp['slug']}").get("brightness") == 177, "the lamp does not have the last value")

    def ways(self):
        """The back button, and a page that is loaded anew."""
        lamp = self.daemon.lamp()
        view = "return new URLSearchParams(location.search).get('view')"
        self.load("view=list&display=ways", 10)
        self.page.run(f"document.querySelector(\".row[data-id='{lamp['id']}']\").click()")
        self.expect(self.page.run(view) == "thing", "a tapped thing is not shown")
        self.page.driver.refresh()
        self.page.wait(READY, 10)
        name = self.page.wait("return document.querySelector('.thing-name').textContent", 3) or ""
        self.expect(name[:15] == lamp["name"][:15], f"a page that is loaded anew shows {name}, not {lamp['name']}")
        self.page.driver.back()
        self.expect(self.page.wait(f"{view} === 'list' && !document.getElementById('list').hidden", 3), "the back button leads to another view")

    def hang(self):
        """A daemon that hangs, and comes back."""
        for width, height in [(1280, 800), (480, 320)]:
            self.page.size(width, height)
            lamp = self.daemon.lamp()
            self.load(f"view=thing&thing={lamp['slug']}&display=hang", 10)
            self.page.wait("return document.querySelector('#thing .power')", 3)
            os.kill(self.process, signal.SIGSTOP)
            try:
                began = time.monotonic()
                self.page.run("document.querySelector('#thing .power').click()")
                told = self.page.wait("return document.querySelector('.notice')", 5)
                self.expect(told and time.monotonic() - began < 4, "a command without an answer is not told within 4 s")
                self.expect(not self.page.run(COVERED), f"a notice covers {self.page.run(COVERED)} at {width}×{height}")
                lost = self.page.wait("return document.body.dataset.link === 'lost'", 15 - (time.monotonic() - began) + 1)
                took = time.monotonic() - began
                self.say(f"a daemon that hangs is noticed after {took:.1f} s")
                self.expect(lost and took <= 15, f"a daemon that hangs is noticed after {took:.1f} s")
                time.sleep(0.3)
                faded = self.page.run("return getComputedStyle(document.getElementById('thing')).opacity < 0.8")
                self.expect(faded, "old values look like new ones")
                self.expect(not self.page.run(COVERED), f"the notice covers {self.page.run(COVERED)} at {width}×{height}")
            finally:
                os.kill(self.process, signal.SIGCONT)
            up = self.page.wait("return document.body.dataset.link === 'up' && !document.getElementById('link').textContent", 20)
            self.expect(up, "the page does not come back after a daemon that hung")

    def at_start(self, source):
        return self.page.do("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]

    def swipe(self, way):
        self.page.touch(*[(195 + way * step * 20, 100 + step) for step in range(-4, 5)])

    def touches(self):
        """A browser that has only the events of touches."""
        script = self.at_start("""
            delete window.PointerEvent;
            for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
                addEventListener(name, event => { if (event.isTrusted) event.stopImmediatePropagation(); }, true);
            }""")
        self.page.size(390, 844)
        self.load("view=device&display=touches", 10)
        # What stands in for pointer events is a file of its own.
        self.page.wait("return performance.getEntriesByType('resource').some(one => one.name.includes('touches.js') && one.responseEnd)", 10)
        time.sleep(0.5)
        # On the map a finger moves the map, so that there is no way from there.
        for number, (way, expected) in enumerate([(-1, "compass"), (1, "device"), (-1, "compass"), (-1, "map")]):
            self.swipe(way)
            view = f"new URLSearchParams(location.search).get('view') === '{expected}'"
            self.expect(self.page.wait(f"return {view}", 8), f"without pointer events swipe {number + 1} does not lead to {expected}")
        time.sleep(1)
        place = "return document.querySelector('#map .zone.current').getAttribute('x')"
        before = self.page.run(place)
        self.swipe(1)
        self.expect(self.page.wait(f"{place} !== {json.dumps(before)}", 8), "without pointer events a finger does not move the map")
        self.expect(self.page.run("return document.getElementById('map').hidden") is False, "a finger on the map leads elsewhere")
        self.page.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)

    def oldest(self):
        """Browsers that cannot run the page, and a script that does not come."""
        text = "return document.body.innerText"
        script = self.at_start("delete HTMLScriptElement.prototype.noModule;")
        self.page.driver.get(f"{self.address}/kiosk")
        told = self.page.wait("return (document.getElementById('why') || {}).textContent", 5) or ""
        self.expect("Chrome 64" in told or self.page.run(READY), f"an old browser is told nothing: {self.page.run(text)[:200]}")
        self.page.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        script = self.at_start("delete window.EventSource;")
        self.page.driver.get(f"{self.address}/kiosk")
        told = self.page.wait("return (document.getElementById('why') || {}).textContent", 5) or ""
        self.expect("EventSource" in told, f"what fails in the first moments is not told: {self.page.run(text)[:200]}")
        self.page.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        self.page.do("Emulation.setScriptExecutionDisabled", value=True)
        self.page.driver.get(f"{self.address}/kiosk/")
        seen = self.page.do("DOMSnapshot.captureSnapshot", computedStyles=[])
        words = " ".join(seen["strings"][index] for index in seen["documents"][0]["layout"]["text"] if index >= 0)
        self.expect("needs JavaScript" in words and "Loading" not in words, f"without scripts the page says {words!r}")
        self.page.do("Emulation.setScriptExecutionDisabled", value=False)
        self.page.do("Network.enable")
        self.page.do("Network.setBlockedURLs", urls=["*/app.js"])
        self.page.do("Network.clearBrowserCache")
        self.page.driver.get(f"{self.address}/kiosk")
        told = self.page.wait("return (document.getElementById('why') || {}).textContent", 5) or ""
        self.expect("could not be loaded" in told, f"a script that does not come is not told: {self.page.run(text)[:200]}")
        self.page.do("Network.setBlockedURLs", urls=[])

    def run(self):
        self.page.size(1280, 800)
        for part in [self.slow, self.presence, self.tabs, self.windows, self.slider, self.ways, self.touches, self.oldest, self.hang]:
            self.say(part.__name__)
            part()


check = Check(sys.argv[1], int(sys.argv[2]))
try:
    check.run()
finally:
    check.page.driver.quit()
print("passed" if not check.failures else f"{len(check.failures)} failures")
sys.exit(1 if check.failures else 0)
