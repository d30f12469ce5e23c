"""Several devices on the kiosk page, in a real browser.

Arguments: the page's address; the nodes of the daemon's own device, of Anna, who walks from the living room to the kitchen while
this runs, and of Bert, who stays in the kitchen; a link that signs in the user of Anna's device, who has nothing else, and one for
Bert's, who may see the kitchen.
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

# A name stands below its mark; where another one is written there, it stands beside it.
FREE = """
const file = performance.getEntriesByType("resource").map(one => one.name).find(one => one.endsWith("/devices.js"));
return import(file).then(({ Devices }) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", "text");
    document.querySelector("#map svg.plan").appendChild(node);
    const place = taken => {
        Devices.prototype.drawName.call({ font: "600 15px sans-serif", width: 400, taken, things: [] }, node, { name: "Anna" }, [200, 200], [0, 1], 8);
        const { x, y } = node.getBBox();
        return [x > 200, y > 200].join();
    };
    const places = [place([]), place([{ left: 150, top: 210, right: 250, bottom: 230 }])].join(" ");
    node.remove();
    return places;
}).catch(error => String(error));
"""
NAMES = """
const boxes = kind => Array.from(document.querySelectorAll("#map " + kind)).filter(one => one.textContent && one.getClientRects().length)
    .map(one => [one.textContent, one.getBoundingClientRect()]);
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
return boxes(".others text").flatMap(([name, a]) => boxes(".label").filter(([, b]) => meet(a, b)).map(([other]) => name + " on " + other));
"""
# Who may not see the first device is offered the others; and what is too short for a key is not sent as the name of one.
OFFERED = """
const file = performance.getEntriesByType("resource").map(one => one.name).find(one => one.endsWith("/devices.js"));
return import(file).then(({ Devices }) => {
    const { get } = Object.getOwnPropertyDescriptor(Devices.prototype, "pages");
    const pages = (isOther, isHidden) => get.call({ isOther, app: { model: { hides: () => isHidden } }, others: [{ node: "anna", name: "Anna" }] });
    return [pages(false, true), pages(true, true), pages(false, false)].map(all => all.map(one => one.href + " " + one.text).join()).join("|");
}).catch(error => String(error));
"""
KEYS = """
const file = performance.getEntriesByType("resource").map(one => one.name).find(one => one.endsWith("/devices.js"));
return import(file.replace("/devices.js", "/admin-devices.js")).then(({ bodyOf }) => ["xyz", "irk: 0f0e0d0c0b0a0908", "IRK:0f0e0d0c0b0a09080706050403020100"].map(key => {
    try { return bodyOf({ heard_as: "phone:a", key }).heard_as.join(); } catch (error) { return error.field; }
}).join(" ")).catch(error => String(error));
"""
# The daemon's own device stands in the living room.
STAND = """
return fetch("api/device/set", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"position":{"x":1.5,"y":1.5}}' })
    .then(answer => answer.status);
"""
# How many devices the map has, and how many of them are whole in view.
IN_VIEW = """
const stage = document.querySelector("#map .stage").getBoundingClientRect();
const marks = Array.from(document.querySelectorAll("#map .others .device, #map svg.plan > .device > circle"), one => one.getBoundingClientRect())
    .filter(one => one.width);
const seen = marks.filter(one => one.left > stage.left + 4 && one.right < stage.right - 4 && one.top > stage.top + 4 && one.bottom < stage.bottom - 4);
return marks.length + " " + seen.length === "%s";
"""
PRESS = "const node = document.querySelector('form button'); if (node) node.click(); return Boolean(node);"
PART = "return (document.querySelector('.part-links [aria-current=page]') || {}).textContent === '%s'"
SAYS = "return document.querySelector('main').innerText.includes('%s')"


def main(address, own, anna, bert, anna_link, bert_link):
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
        expect(not page.run(NAMES), f"names cover each other: {page.run(NAMES)}")
        free = page.run(FREE)
        expect(free == "false,true true,false", f"a name does not go out of the way of another: {free}")
        offered = page.run(OFFERED)
        expect(offered == "kiosk?device=anna Show Anna||", f"who may not see the first device is not led to the others: {offered}")
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
        # The map begins with all of them; the device that the address names, or that somebody follows, is shown alone.
        status = page.run(STAND)
        expect(status == 200, f"the device is not set: {status}")
        page.size(390, 844)
        page.open("map")
        see(IN_VIEW % "3 3", "the map cuts off a device")
        page.run("document.querySelector('#map [aria-label=\"Where this device is\"]').click()")
        see(IN_VIEW % "3 2", "the map does not follow the daemon's device")
        page.open("map", f"kiosk-check&device={bert}")
        see(IN_VIEW % "3 1", "the map does not follow Bert")
        # Also the daemon's own device may be named.
        page.open("map", f"kiosk-check&device={own}")
        see("return document.getElementById('top-zone').textContent === 'Living room'", "the page of the own device has no zone")
        page.size(1280, 800)
        page.open("device", f"kiosk-check&device={anna}")
        see("return document.getElementById('top-zone').textContent === 'Living room'", "the page does not say where Anna is")
        # From now on she goes to the kitchen.
        print("go", flush=True)
        see("return document.getElementById('top-zone').textContent === 'Kitchen'", "the page does not follow Anna")
        page.open("overview")
        see(WHO % ("Kitchen", "Anna,Bert"), "the list does not say that both are in the kitchen")
        expect(not page.errors(), f"{page.errors()}")
        page.open("map", "kiosk-check&device=nobody")
        see("return document.getElementById('placeless').innerText.includes('no device “nobody”')", "nobody is shown")
        # Last, because this loads administration, which asks who that is.
        page.open("overview")
        see(WHO % ("Kitchen", "Anna,Bert"), "the list is not there any more")
        keys = page.run(KEYS)
        expect(keys == "key key phone:a,irk:0f0e0d0c0b0a09080706050403020100", f"what is no key is sent as one: {keys}")
        # Who has only a device sees it in their account, and where it is if they may see that place.
        for link, name, part in [(anna_link, "Anna", "Devices"), (bert_link, "Bert", "Things")]:
            page.driver.delete_all_cookies()
            page.driver.get(link)
            expect(page.wait(PRESS, 10), f"the link of {name} has no button")
            see("return /(me|admin|kiosk)$/.test(location.pathname)", f"the link of {name} does not sign in")
            page.driver.get(f"{page.address}/me")
            see(SAYS % f"Device {name}", f"the account of {name} does not show the device")
            see(SAYS % "Your device: own", f"the account of {name} does not say whose device it is")
            said = page.run("return document.querySelector('main').innerText")
            expect("no rights" not in said and "last seen" in said, f"the account of {name} says {said}")
            expect(("Zone Kitchen · last seen" in said) == (name == "Bert"), f"where the device is in the account of {name}: {said}")
            page.driver.get(f"{page.address}/admin")
            see(PART % part, f"administration does not begin with {part} for {name}")
    finally:
        page.driver.quit()
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
