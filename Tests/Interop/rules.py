"""Rules on the pages, in a real browser: the table of rules/rules.json, the part of administration with its form, the times of
a thing on the kiosk page, and what a user sees who owns nothing.

Arguments: the page's address, a link of `trilateral sign-in`. With the variable PICTURES, a folder gets a picture of each page.
"""
import importlib.machinery
import importlib.util
import json
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
loader = importlib.machinery.SourceFileLoader("kiosk_check", f"{ROOT}/contrib/kiosk-check")
kiosk = importlib.util.module_from_spec(importlib.util.spec_from_loader("kiosk_check", loader))
loader.exec_module(kiosk)

PICTURES = os.environ.get("PICTURES")
SIZES = [(1280, 800), (800, 480), (360, 740)]
PASSWORD = "a password of carol"

# Reads and writes each rule of the table, and says it in a language.
TABLE = """
const [table, lang, done] = arguments;
const load = name => import(new URL("kiosk/" + name, document.baseURI).href);
document.documentElement.lang = lang;
const sorted = value => Array.isArray(value) ? value.map(sorted) : value && typeof value === "object"
    ? Object.keys(value).sort().reduce((all, key) => Object.assign(all, { [key]: sorted(value[key]) }), {}) : value;
Promise.all(["rule-model.js", "rule-names.js", "rule-sentence.js", "profiles.js", "text.js", "rules-german.js", "german.js",
    "rule-simple.js"].map(load)).then(([model, { RuleNames }, { sentenceOf }, { Profiles }, { speak }, { WORDS }, { german }, simple]) => {
        speak(text => (lang === "de" ? WORDS[text] || german(text) : text));
        const names = new RuleNames(Object.assign({}, table, { profiles: new Profiles(table.experience) }));
        const wrong = [];
        let simples = 0;
        for (const row of table.rows) {
            const [before, after] = [row.rule, model.writeRule(model.readRule(row.rule))].map(rule => JSON.stringify(sorted(rule)));
            if (before !== after) wrong.push(before + " became " + after);
            const said = sentenceOf(row.rule, names);
            if (row[lang] && said !== row[lang]) wrong.push(said + " instead of " + row[lang]);
            // What the simple form of a thing's times can say, it says again.
            for (const { target } of row.rule.then) {
                const draft = target && simple.simpleDraft(row.rule, target);
                if (!draft) continue;
                simples += 1;
                const again = JSON.stringify(sorted(simple.simpleRule(draft, target)));
                if (before !== again) wrong.push(before + " became " + again + " by the simple form");
            }
        }
        if (simples < 5) wrong.push("only " + simples + " rules fit the simple form");
        done(wrong);
    }).catch(error => done([String(error)]));
"""

# The fields of a number of which some have names: a blind that is open, closed, or something between.
NAMED = """
const [table, done] = arguments;
const load = name => import(new URL("kiosk/" + name, document.baseURI).href);
Promise.all(["rule-controls.js", "rule-names.js", "profiles.js"].map(load)).then(([{ RuleForm, valueEntry }, { RuleNames }, { Profiles }]) => {
    const names = new RuleNames(Object.assign({}, table, { profiles: new Profiles(table.experience) }));
    const wrong = [];
    const expect = (is, wanted, what) => { if (String(is) !== String(wanted)) wrong.push(what + ": " + is + " instead of " + wanted); };
    const draft = { value: undefined };
    const form = new RuleForm(draft, { names }, () => {});
    const spec = { label: "Value", required: true, read: () => draft.value, write: value => { draft.value = value; }, path: () => "then[0].set" };
    const mount = () => {
        const node = valueEntry(form, spec, names.setField("thing:blind", "position"));
        document.body.appendChild(node);
        return node;
    };
    const put = (field, value, kind) => {
        field.value = value;
        field.dispatchEvent(new Event(kind, { bubbles: true }));
    };
    let node = mount();
    const options = Array.from(node.querySelector("select").options);
    expect(options.map(one => one.textContent), "choose …,Open,Close,a number …", "the choices of a position");
    put(node.querySelector("select"), options[1].value, "change");
    expect(draft.value, 100, "an open blind");
    put(node.querySelector("select"), options[3].value, "change");
    expect(form.check(), false, "whether a number that is missing passes");
    put(node.querySelector("input"), "140", "input");
    expect(form.check(), false, "whether 140 passes");
    put(node.querySelector("input"), "40", "input");
    expect(form.check(), true, "whether 40 passes");
    expect(draft.value, 40, "a blind between");
    node.remove();
    node = mount();
    expect(node.querySelector("input").value, "40", "a number that is stored");
    node.remove();
    done(wrong);
}).catch(error => done([String(error)]));
"""

# What is too wide, has no name for a screen reader, or is too small for a finger.
LOOK = """
const wrong = [];
if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`${document.documentElement.scrollWidth} wide in ${innerWidth}`);
for (const node of document.querySelectorAll("input, select, textarea")) {
    if (node.offsetParent && !(node.labels && node.labels.length) && !node.getAttribute("aria-label")) wrong.push(`no label: ${node.id}`);
}
for (const node of document.querySelectorAll("button, input, select, summary")) {
    const box = node.getBoundingClientRect();
    if (node.offsetParent && box.height < 40) wrong.push(`${node.textContent || node.id} is only ${box.height} high`);
    if (node.offsetParent && box.right > innerWidth + 1) wrong.push(`${node.textContent || node.id} is cut off`);
}
for (const node of document.querySelectorAll("[aria-describedby]")) {
    for (const id of node.getAttribute("aria-describedby").split(" ")) if (!document.getElementById(id)) wrong.push(`nothing is ${id}`);
}
return wrong;
"""

PRESS = """
const all = Array.from(document.querySelectorAll(arguments[1] + " button, " + arguments[1] + " summary, " + arguments[1] + " a"));
const node = all.find(one => one.offsetParent && one.textContent.trim() === arguments[0]);
if (node) node.click();
return Boolean(node);
"""

# The field of a label, of so many with the same one.
FIELD = """
const found = Array.from(document.querySelectorAll(arguments[1] + " .entry")).filter(one => one.offsetParent && one.firstChild.textContent === arguments[0]);
return found[arguments[2]] ? found[arguments[2]].querySelector("input, select, textarea") : null;
"""

SET = """
const [node, value] = arguments;
if (node.tagName === "SELECT") {
    const option = Array.from(node.options).find(one => one.textContent === value);
    if (!option) return Array.from(node.options, one => one.textContent).join();
    node.value = option.value;
    node.dispatchEvent(new Event("change", { bubbles: true }));
} else {
    node.value = value;
    node.dispatchEvent(new Event("input", { bubbles: true }));
}
return "";
"""


class Story:
    def __init__(self, address, link):
        self.address, self.link = address.rstrip("/"), link
        self.daemon = kiosk.Daemon(address, None)
        self.page = kiosk.Page(address)
        self.failures = []

    def expect(self, is_true, text):
        if not is_true:
            self.failures.append(text)
            print(f"failed: {text}", flush=True)
        return is_true

    def see(self, what, script, seconds=10):
        found = self.page.wait("return " + script, seconds)
        shown = "" if found else self.page.run("return location.href + ' ' + document.body.innerText.slice(0, 600)")
        self.expect(found, f"{what} is not seen; there is {shown!r}")
        return found

    def text(self, text, within="body"):
        return self.see(text, f"(document.querySelector({json.dumps(within)}) || document.head).innerText.includes({json.dumps(text)})")

    def gone(self, text):
        return self.see(f"that {text} is gone", f"!document.body.innerText.includes({json.dumps(text)})")

    def open(self, page, script):
        self.page.driver.get(f"{self.address}/{page}")
        self.see(f"the page {page}", script)

    def press(self, text, within="body"):
        end = time.monotonic() + 10
        while not self.page.run(PRESS, text, within):
            if time.monotonic() > end:
                return self.expect(False, f"there is no button {text} in {within}")
            time.sleep(0.05)

    def write(self, label, value, index=0, within="form"):
        """Writes into a field, or chooses in it."""
        end = time.monotonic() + 5
        node = self.page.run(FIELD, label, within, index)
        while node is None and time.monotonic() < end:
            time.sleep(0.05)
            node = self.page.run(FIELD, label, within, index)
        if not self.expect(node, f"there is no field {label}, number {index}"):
            return
        others = self.page.run(SET, node, value)
        self.expect(not others, f"{label} has no choice {value}, but {others}")

    def row(self, name):
        """A selector of the row with a name."""
        script = "Array.from(document.querySelectorAll('.rows li[data-key]')).find(one => one.querySelector('.item-name').textContent === %s)" % json.dumps(name)
        self.see(f"the row {name}", script)
        return f".rows li[data-key='{self.page.run(f'return {script}.dataset.key')}']"

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

    def call(self, method, path, body):
        """What the reader may do beside the page."""
        script = """const [method, path, body, done] = arguments;
            fetch(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).then(answer => done(answer.status), error => done(String(error)));"""
        status = self.page.driver.execute_async_script(script, method, path, body)
        self.expect(status in (200, 201, 204), f"{method} {path}: {status}")

    def read(self, path):
        """What the reader may see beside the page."""
        return self.page.driver.execute_async_script("const [path, done] = arguments; fetch(path).then(answer => answer.json()).then(done);", path)

    def state(self, thing):
        return self.daemon.call(f"api/things/{thing}")["state"]

    def becomes(self, thing, state):
        end = time.monotonic() + 5
        while self.state(thing) != state and time.monotonic() < end:
            time.sleep(0.05)
        self.expect(self.state(thing) == state, f"{thing} does not become {state}")

    # The story

    def sign_in(self):
        self.page.driver.get(self.link)
        self.text("This link signs you in, once.")
        self.press("Sign in", "form")
        self.see("that the owner is signed in", "!location.pathname.endsWith('/sign-in')")

    def table(self):
        """Every row of the contract, read, written, and said in both languages."""
        with open(f"{ROOT}/Tests/Interop/rules/rules.json", encoding="utf-8") as file:
            table = json.load(file)
        for lang in ["en", "de"]:
            for wrong in self.page.driver.execute_async_script(TABLE, table, lang):
                self.expect(False, wrong)
        # The page speaks its own language again.
        self.page.driver.refresh()
        for wrong in self.page.driver.execute_async_script(NAMED, table):
            self.expect(False, wrong)

    def parts(self):
        self.see("the parts", "document.querySelector('.part-links [aria-current]')")
        self.text("There are no rules yet.")
        self.look("rules-empty")

    def make(self):
        """A rule is made, read back, refused where it is not whole, and tested."""
        self.press("Add a rule")
        self.see("the form", "document.querySelector('.rule-form')")
        self.look("rule-form")
        self.press("Add the rule", "form")
        self.text("This is missing.")
        self.expect(self.page.run("return document.activeElement.closest('.entry').firstChild.textContent") == "Thing", "the focus is not where something is missing")
        self.write("Title", "Dark")
        self.write("Thing", "Table lamp")
        self.write("What it reports", "Brightness")
        for comparison in ["is at most", "is below", "is above", "is at least"]:
            self.write("Comparison", comparison)
            self.text(f"When Table lamp's brightness {comparison} …: ", ".sentence")
        self.write("Comparison", "is between")
        self.text("When Table lamp's brightness is from … to …: ", ".sentence")
        self.write("Lower limit (%)", "20")
        self.text("When Table lamp's brightness is from 20\u00a0% to …: ", ".sentence")
        self.write("Comparison", "is at least")
        # It is stored from 0 to 1, and read and written in percent.
        self.write("Value (%)", "150")
        self.press("Add the rule", "form")
        self.text("Must be at most 100.", ".rule-form")
        self.write("Value (%)", "50")
        self.gone("Must be at most 100.")
        self.text("When Table lamp's brightness is at least 50\u00a0%: ", ".sentence")
        self.write("It ends only this far beyond the limit (optional) (%)", "5")
        self.text("(until it is below 45\u00a0%)", ".sentence")
        self.write("It ends only this far beyond the limit (optional) (%)", "")
        self.write("Thing", "Kitchen light", 1)
        self.write("What is set", "Power")
        self.write("Value", "on")
        self.text("When Table lamp's brightness is at least 50\u00a0%: Kitchen light goes on.", ".sentence")
        self.press("Add a condition")
        self.write("Only if", "a time of the day")
        self.write("Begins: time", "00:00")
        self.write("Ends: time", "23:59:59")
        self.text(", between 00:00 and 23:59:59: ", ".sentence")
        self.press("Would it start now?", "form")
        self.text("It would start now.", "form")
        self.text("It sees: Brightness 60\u00a0%", "form")
        self.look("rule-form-full")
        self.press("Add the rule", "form")
        row = self.row("Dark")
        self.see("that the focus is at the new rule", f"document.activeElement === document.querySelector({json.dumps(row)})")
        self.text("When Table lamp's brightness is at least 50\u00a0%, between 00:00 and 23:59:59: Kitchen light goes on.", row)
        self.text("Ready", row)
        self.text("It has not started yet.", row)

    def drop(self, name):
        """Removes a rule, in the end the last one."""
        self.press("Remove", self.row(name))
        self.press("Remove", f"{self.row(name)} .confirm")
        self.see(f"that {name} is gone", "!Array.from(document.querySelectorAll('.rows .item-name')).some(one => one.textContent === %s)" % json.dumps(name))

    def limits(self):
        """A number of a new rule counts as soon as it is written, within its limits."""
        self.press("Add a rule")
        self.write("Title", "Dimmed")
        self.write("When", "a time comes")
        self.write("Begins: time", "07:00")
        self.write("Thing", "Table lamp")
        self.write("What is set", "Brightness")
        self.write("Value (%)", "150")
        self.press("Add the rule", "form")
        self.text("Must be at most 100.", ".rule-form")
        self.write("Value (%)", "-1")
        self.press("Add the rule", "form")
        self.text("Must be at least 0.", ".rule-form")
        self.write("Value (%)", "")
        self.press("Add the rule", "form")
        self.text("This is missing.", ".rule-form")
        self.write("Value (%)", "40")
        self.press("Add the rule", "form")
        self.text("When it is 07:00: Table lamp gets Brightness 40\u00a0%.", self.row("Dimmed"))
        self.drop("Dimmed")

    def beacon(self):
        """A beacon of the place is chosen by the name of its thing, and any other one is written."""
        self.press("Add a rule")
        self.write("Title", "Close")
        self.write("When", "a device enters a place")
        self.write("Place", "the range of a beacon")
        self.expect(self.page.run(FIELD, "Identifier (UUID)", "form", 0) is None, "a UUID is asked for where beacons are known")
        self.write("Thing", "Table lamp")
        self.write("What is set", "Power")
        self.write("Value", "on")
        self.press("Add the rule", "form")
        self.text("This is missing.", ".rule-form")
        self.write("Beacon", "all beacons of Kitchen")
        self.text("When this device enters the range of the beacons of Kitchen: ", ".sentence")
        self.write("Beacon", "Table lamp")
        self.text("When this device enters the range of the beacon Table lamp: ", ".sentence")
        self.write("Heard at least this strongly (dBm, optional)", "-65")
        self.press("Add the rule", "form")
        self.text("the range of the beacon Table lamp", self.row("Close"))
        stored = self.read("api/rules/close")["when"][0]
        numbers = (stored["beacon"]["uuid"].lower(), stored["beacon"]["major"], stored["beacon"]["minor"], stored["rssi"])
        self.expect(numbers == ("2f234454-cf6d-4a0f-adf2-f4911ba9ffa6", 1, 1, -65), f"the beacon of the lamp is stored as {stored}")
        self.press("Edit", self.row("Close"))
        self.write("Beacon", "another one …")
        self.write("Its number (minor, optional)", "77")
        self.text("the range of the beacon 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6 1 77", ".sentence")
        self.press("Save", "form")
        self.text("The rule is changed.")
        self.press("Edit", self.row("Close"))
        # The form opens when the rule has been read.
        field = "Array.from(document.querySelectorAll('form .entry')).find(one => one.offsetParent && one.firstChild.textContent === 'Its number (minor, optional)')"
        self.see("a beacon that the place does not have, with its number", f"(() => {{ const one = {field}; return one && one.querySelector('input').value === '77'; }})()")
        self.press("Cancel", "form")
        self.drop("Close")

    def publish(self):
        """What begins like JSON is JSON, or a text in quotes."""
        self.press("Add a rule")
        self.write("Title", "Told")
        self.write("When", "a time comes")
        self.write("Begins: time", "07:00")
        self.write("Then", "publish a message of the rule")
        for broken in ['{"a": }', "[1, 2", " {x}"]:
            self.write("Message", broken)
            self.press("Add the rule", "form")
            self.text("This begins like JSON, and is none.", ".rule-form")
        self.write("Message", '"{x}"')
        self.press("Add the rule", "form")
        self.row("Told")
        stored = self.read("api/rules/told")["then"][0]["publish"]
        self.expect(stored == "{x}", f"a text in quotes is stored as {stored}")
        self.press("Edit", self.row("Told"))
        self.write("Title", "Told again")
        self.press("Save", "form")
        self.drop("Told again")

    def change(self):
        """What the daemon refuses stands beside the field, and Escape leaves all as it was."""
        self.press("Edit", self.row("Dark"))
        self.write("When", "a thing's connection changes")
        self.write("What happens", "it is not reachable")
        self.write("Only if it lasts (optional)", "1")
        self.press("Save", "form")
        self.text("Something is not right yet.", "form")
        self.see("the reason beside the field", "Array.from(document.querySelectorAll('.entry')).some(one => one.firstChild.textContent === 'Only if it lasts (optional)' && one.innerText.includes('Must be from 5 min to 1 day.'))")
        self.look("rule-refused")
        self.write("Only if it lasts (optional)", "5")
        for said in ["Must be from 5 min to 1 day.", "Something is not right yet."]:
            self.gone(said)
        self.page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
        self.press("Go on writing", ".confirm")
        self.press("Cancel", "form")
        self.press("Throw away", ".confirm")
        self.see("the list again", "!document.querySelector('.rule-form')")
        self.press("Edit", self.row("Dark"))
        self.see("the form", "document.querySelector('.rule-form')")
        share = self.page.run(FIELD, "Value (%)", "form", 0)
        self.expect(share and self.page.run("return arguments[0].value", share) == "50", "a share that is stored is not shown in percent")
        stored = self.read("api/rules/dark")["when"][0]["clause"]["lowerLimit"]
        self.expect(stored == 0.5, f"50 percent are stored as {stored}")
        self.write("Title", "Darker")
        # The key that sends a form.
        self.page.run("document.querySelector('.rule-form').requestSubmit()")
        self.text("The rule is changed.")
        self.row("Darker")

    def use(self):
        """It is tested, run, looked back at, switched off, and removed."""
        row = self.row("Darker")
        self.press("Test", row)
        self.text("It would start now.", row)
        self.text("Table lamp's brightness is at least 50\u00a0%", f"{row} .test")
        self.press("Close", row)
        self.press("Run", row)
        self.press("Cancel", f"{row} .confirm")
        self.press("Run", row)
        self.press("Run", f"{row} .confirm")
        self.text("It was run: done.")
        self.becomes("kitchen-light", "ON")
        row = self.row("Darker")
        self.see("that it was done", f"/Last: .*, done/.test(document.querySelector({json.dumps(row)}).innerText)")
        self.press("History", row)
        self.text("somebody ran it", f"{row} .history")
        self.text("Done", f"{row} .history")
        self.look("rule-history")
        self.press("Close", row)
        # What is only read hides no button.
        self.press("History", row)
        self.see("the history", f"document.querySelector({json.dumps(row)} + ' .history')")
        self.press("Switch off", row)
        self.text("The rule is switched off.")
        row = self.row("Darker")
        self.text("Switched off", row)
        self.press("Test", row)
        self.text("it is switched off", f"{row} .test")
        self.press("Close", row)
        self.press("Remove", row)
        self.text("Remove the rule Darker?", row)
        self.press("Remove", f"{row} .confirm")
        self.text("There are no rules yet.")

    def fail(self):
        """Why it has failed is told at once, with people by their names."""
        self.call("POST", "api/rules", {"title": "Nobody", "when": [{"on": "cron", "cron": "0 7 * * *"}], "then": [{"notify": ["display:nowhere"], "text": "x"}]})
        self.page.driver.refresh()
        self.press("Run", self.row("Nobody"))
        self.press("Run", f"{self.row('Nobody')} .confirm")
        self.text("It was run: failed. Step 1: The display nowhere: ")
        self.press("Remove", self.row("Nobody"))
        self.press("Remove", f"{self.row('Nobody')} .confirm")
        self.text("There are no rules yet.")

    def times(self):
        """The times of a thing on the kiosk page."""
        self.open("kiosk?view=thing&thing=table-lamp&display=rules", "document.documentElement.dataset.ready")
        self.press("Times")
        self.text("Nothing happens to it by itself yet.")
        self.press("Add a time")
        self.write("Begins: time", "22:30", within=".times form")
        self.press("Monday", ".times form")
        self.write("Ends", "at sunrise", within=".times form")
        self.text("When it is 22:30 (until sunrise) on Monday: Table lamp goes on, and off at the end.", ".times .sentence")
        self.write("Ends", "at a time", within=".times form")
        self.write("Ends: time", "06:00", within=".times form")
        self.look("times-form")
        self.press("Save", ".times form")
        self.text("22:30 (until 06:00) on Monday", ".time")
        self.text("Next: ", ".time")
        self.expect(self.page.run("return document.querySelectorAll('.time .time-text .hint').length") == 1, "a time without a name says twice when it is")
        self.expect(not self.page.run("return /[AP]M/.test(document.querySelector('.times').innerText)"), "the times of a rule have 24 hours here and 12 there")
        self.look("times")
        self.press("Change", ".time")
        name = self.page.run(FIELD, "Name (optional)", ".times form", 0)
        self.expect(name and self.page.run("return arguments[0].value", name) == "", "a title that nobody has given is a name in the form")
        self.write("Begins", "at sunset", within=".times form")
        self.press("Save", ".times form")
        self.see("what the daemon says of it", "/Sunset/.test((document.querySelector('.time') || document.head).innerText) || document.querySelector('.times .wrong').textContent")
        if self.page.run("return Boolean(document.querySelector('.times form'))"):
            # A place without a geofence has no sun.
            self.press("Cancel", ".times form")
        self.page.run("document.querySelector('.time [role=switch]').click()")
        self.see("that it is off", "document.querySelector('.time [role=switch]').getAttribute('aria-checked') === 'false'")
        self.open("admin#rules", "document.querySelector('.rows li[data-key]')")
        self.text("Switched off", ".rows")
        self.open("kiosk?view=thing&thing=table-lamp&display=rules", "document.documentElement.dataset.ready")
        self.press("Times")
        self.press("Remove", ".time")
        self.press("Remove", ".time [role=group]")
        self.text("Nothing happens to it by itself yet.")
        # Who removes what drives more than this thing is told so.
        self.call("POST", "api/rules", {"title": "Night", "when": [{"on": "schedule", "startTimeEachDay": "23:00:00"}], "then": [
            {"set": {"state": "OFF"}, "target": "zone:living-room"}, {"set": {"state": "OFF"}, "target": "zone:kitchen"}, {"set": {"state": "OFF"}, "target": "thing:table-lamp"},
            {"notify": ["display:all"], "text": "night"}]})
        self.open("kiosk?view=thing&thing=table-lamp&display=rules", "document.documentElement.dataset.ready")
        self.press("Times")
        self.press("Remove", ".time")
        self.text("It is for Table lamp and 2 zones. It also does this: a message goes to all displays.", ".time [role=group]")
        self.press("Remove", ".time [role=group]")
        self.text("Nothing happens to it by itself yet.")
        self.press("Add a time")
        self.write("Begins: time", "22:30", within=".times form")
        self.write("What is set", "Brightness", within=".times form")
        self.write("At the start (%)", "101", within=".times form")
        self.press("Save", ".times form")
        self.text("Must be at most 100.", ".times form")
        self.write("At the start (%)", "40", within=".times form")
        self.press("Save", ".times form")
        self.text("Table lamp gets Brightness 40\u00a0%", ".time")
        self.press("Remove", ".time")
        self.expect("It is for" not in self.page.run("return document.querySelector('.time [role=group]').innerText"), "a time of one thing is said to be for more")
        self.press("Remove", ".time [role=group]")
        self.text("Nothing happens to it by itself yet.")

    def other(self):
        """Who owns nothing has the rules, and only those of their own."""
        self.call("POST", "api/rules", {"title": "Of the owner", "when": [{"on": "cron", "cron": "0 7 * * *"}], "then": [{"set": {"on": True}, "target": "thing:table-lamp"}]})
        self.call("POST", "api/users", {"name": "carol", "password": PASSWORD})
        self.call("POST", "api/grants", {"who": "carol", "scope": "thing:table-lamp", "access": "write"})
        self.page.driver.delete_all_cookies()
        self.open("sign-in", "document.querySelector('form')")
        for name, value in [("user", "carol"), ("password", PASSWORD)]:
            self.page.driver.find_element("css selector", f"form [name='{name}']").send_keys(value)
        self.press("Sign in", "form")
        self.see("the kiosk", "location.pathname.endsWith('/kiosk')")
        self.open("me", "document.querySelector('h1')")
        self.press("Rules")
        self.text("There are no rules yet.")
        self.gone("Of the owner")
        self.expect(self.page.run("return document.querySelectorAll('.part-links a').length") == 1, "carol has other parts than the rules")
        self.press("Add a rule")
        self.see("the form", "document.querySelector('.rule-form')")
        self.write("When", "a time comes")
        self.write("Begins: time", "07:00")
        self.write("Thing", "Table lamp")
        self.write("What is set", "Power")
        self.write("Value", "on")
        self.press("Add the rule", "form")
        self.text("When it is 07:00: Table lamp goes on.")
        self.text("Next: ")

    def tell(self):
        self.page.size(1280, 800)
        self.sign_in()
        self.open("admin#rules", "document.querySelector('.part-links')")
        self.table()
        for part in [self.parts, self.limits, self.beacon, self.publish, self.make, self.change, self.use, self.fail, self.times, self.other]:
            part()
            severe = [one for one in self.page.errors() if "40" not in one]
            self.expect(not severe, f"the console: {severe}")
        self.expect(not self.page.foreign_requests(), "requests to other machines")


if __name__ == "__main__":
    story = Story(*sys.argv[1:3])
    try:
        story.tell()
    finally:
        story.page.driver.quit()
    sys.exit(1 if story.failures else 0)
