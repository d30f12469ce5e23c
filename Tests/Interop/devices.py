"""Several devices on the kiosk page, in a real browser.

Arguments: the page's address, the nodes of Anna, who walks from the living room to the kitchen while this runs, and of Bert, who stays in
the kitchen.
"""
import importlib.machinery
import importlib.util
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
loader = importlib.machinery.SourceFileLoader("kiosk_check", f"{ROOT}/contrib/kiosk-check")
kiosk = importlib.util.module_from_spec(importlib.util.spec_from_loader("kiosk_check", loader))
loader.exec_module(kiosk)

WHO = """
const zone = Array.from(document.querySelectorAll("#list section")).find(one => one.querySelector("h2").textContent.startsWith("%s"));
return zone && Array.from(zone.querySelectorAll(".who:not([hidden]) span"), one => one.textContent.trim()).join() === "%s";
"""
MARKS = """
const marks = Array.from(document.querySelectorAll("#map .others > g"));
return marks.length === 2 && marks.map(one => one.getAttribute("aria-label")).join() === "Anna,Bert" &&
    marks.every(one => one.querySelector(".accuracy").getAttribute("r") > 0) &&
    new Set(marks.map(one => getComputedStyle(one.querySelector(".device")).fill)).size === 2;
"""


def main(address, anna, bert):
    failures = []

    def expect(is_true, text):
        if not is_true:
            failures.append(text)
            print(f"failed: {text}", flush=True)

    page = kiosk.Page(address)

    def see(script, text):
        expect(page.wait(script, 30), f"{text}: {page.look('return document.body.innerText')}")

    try:
        page.size(1280, 800)
        page.open("overview")
        see(WHO % ("Kitchen", "Bert"), "the list does not say that Bert is in the kitchen")
        see(MARKS, "the map does not show both")
        # The page of another device follows that one.
        page.open("device", f"kiosk-check&device={bert}")
        see("return document.getElementById('top').innerText.includes('Bert')", "the page does not name Bert")
        see("return document.querySelector('.hero-name').textContent === 'Kitchen light'", "Bert is not near the light")
        lamp = "document.querySelector('#device [role=switch]').getAttribute('aria-checked')"
        before = page.wait(f"return {lamp}", 20)
        page.run("document.querySelector('#device [role=switch]').click()")
        see(f"return {lamp} !== '{before}'", "the light is not switched")
        page.open("device", f"kiosk-check&device={anna}")
        see("return document.querySelector('.hero-name').textContent === 'Table lamp'", "Anna is not near the lamp")
        # From now on she goes to the kitchen.
        print("go", flush=True)
        see("return document.getElementById('top-zone').textContent === 'Kitchen'", "the page does not follow Anna")
        page.open("overview")
        see(WHO % ("Kitchen", "Anna,Bert"), "the list does not say that both are in the kitchen")
        expect(not page.errors(), f"{page.errors()}")
        page.open("map", "kiosk-check&device=nobody")
        see("return document.getElementById('placeless').innerText.includes('no device “nobody”')", "nobody is shown")
    finally:
        page.driver.quit()
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
