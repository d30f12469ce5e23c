"""Banners of rules on the kiosk page, in a real browser.

Arguments: the page's address, the program, the daemon's state folder. The rules `hall-b` and `all` show a banner with their title:
one on the display `hall`, one on every display.
"""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
loader = importlib.machinery.SourceFileLoader("kiosk_check", f"{ROOT}/contrib/kiosk-check")
kiosk = importlib.util.module_from_spec(importlib.util.spec_from_loader("kiosk_check", loader))
loader.exec_module(kiosk)

SHOWN = "const node = document.querySelector('#banners .banner h2'); return node && node.textContent"
LOOK = """
const area = document.getElementById("banners"), wrong = [];
if (area.getAttribute("role") !== "alert") wrong.push("no live region");
if (area.querySelector("img, script, b")) wrong.push("markup from a text");
const box = area.querySelector("button").getBoundingClientRect();
if (box.width < 44 || box.height < 44) wrong.push(`a button of ${box.width} by ${box.height}`);
if (document.documentElement.scrollWidth > innerWidth) wrong.push("too wide");
const banner = area.firstChild.getBoundingClientRect();
if (banner.top < 0 || banner.bottom > innerHeight) wrong.push("not in view");
return wrong;
"""


def main(address, program, state):
    failures = []

    def expect(is_true, text):
        if not is_true:
            failures.append(text)
            print(f"failed: {text}", flush=True)

    def run(rule, status=0):
        end = subprocess.run([program, "rule", "run", rule, "--state", state], capture_output=True, text=True, check=False)
        expect(end.returncode == status, f"rule run {rule}: {end.stdout}{end.stderr}")

    page = kiosk.Page(address)
    try:
        for width, height in [(1280, 800), (480, 320)]:
            page.size(width, height)
            page.open("device", "hall")
            run("hall-b")
            run("all")
            expect(page.wait(f"{SHOWN} === 'Hall <b>'", 20), f"no banner: {page.look(SHOWN)}")
            expect(not page.run(LOOK), f"{width}: {page.run(LOOK)}")
            text = page.run("return document.querySelector('#banners p').textContent")
            expect(text == "<img src=x onerror=alert(1)> run", f"the text is {text}")
            # The second one waits for the first.
            expect(page.run("return document.querySelectorAll('.banner').length") == 1, "two at once")
            page.run("document.querySelector('#banners button').click()")
            expect(page.wait(f"{SHOWN} === 'All'", 20), "the second one does not follow")
            expect(page.wait("return !document.querySelector('.banner')", 20), "it does not end")
        page.open("device", "door")
        # Nobody is at that display any more.
        run("hall-b", status=1)
        run("all")
        expect(page.wait(f"{SHOWN} === 'All'", 20), f"another display shows {page.look(SHOWN)}")
        expect(not page.run("return window.wasAlerted"), "a text was run")
        expect(not page.errors(), f"{page.errors()}")
    finally:
        page.driver.quit()
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
