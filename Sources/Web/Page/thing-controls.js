// What a thing offers to be driven by: switch, sliders, swatches, buttons, fields.

import { button, element, set, setText } from "./dom.js";
import { Latest, thingPath } from "./commands.js";
import { clip, cssColour, hexOf, nameOf, percent, plain, quantity, say, titled } from "./text.js";
import { unitOf } from "./profiles.js";

const LIGHT_KEYS = ["state", "brightness", "level", "color", "color_temp"];
// Data that is shown in another way, or means nothing to a person.
const HIDDEN = ["options", "readonly", "picture", "image", "on", "brightness", "color", "colorTemperature", "kind", "minor",
	"major", "uuid", "distance", "vendorThingID", "thingID"];
const MOST = 60;

const can = (thing, key) => (thing.settable || []).indexOf(key) >= 0;
const dataOf = thing => (thing.data && typeof thing.data === "object" ? thing.data : {});
const otherKeys = thing => (thing.settable || []).filter(key => LIGHT_KEYS.indexOf(key) < 0).slice(0, MOST);

/** A value of a thing, or the one that it is on the way to. */
const value = (thing, key) => (thing.target && thing.target[key] !== undefined ? thing.target : thing)[key];

/** What of a thing makes other controls necessary; its values do not. */
export const controlsKey = thing => JSON.stringify([thing.id, thing.slug, thing.settable, thing.palette, thing.actions,
	Boolean(thing.state), otherKeys(thing).map(key => typeof dataOf(thing)[key])]);

// Actions that the switch, the slider and the colours do already.
const DONE_BY = { state: ["on", "off", "toggle"], brightness: ["lighter", "darker"], color: ["nextColor", "previousColor"] };

// What actions do that the Flare server has for everything; see "Built-in actions" of the manual.
const EXPLAINED = {
	on: "Switches it on", off: "Switches it off", lighter: "A tenth brighter", darker: "A tenth darker",
	nextColor: "The next colour of its palette", previousColor: "The previous colour of its palette",
	clockwise: "Turns it by 30° clockwise", counterclockwise: "Turns it by 30° counterclockwise",
	north: "Moves its place by 1 m", south: "Moves its place by 1 m", east: "Moves its place by 1 m",
	west: "Moves its place by 1 m", up: "Moves its place by 1 m", down: "Moves its place by 1 m"
};

const explain = action => (Object.prototype.hasOwnProperty.call(EXPLAINED, action) ? say(EXPLAINED[action]) : null);

const isDone = (thing, action) => Object.keys(DONE_BY).some(key => DONE_BY[key].indexOf(action) >= 0 &&
	(key !== "color" || (thing.palette || []).length) && can(thing, key));

/**
 * The controls of a thing, in order: each a node and an `update(thing)`. `part` is `switch` for a bare switch, `main` for
 * the first ones.
 */
export function makeControls(app, thing, part) {
	const send = body => app.commands.send(thingPath(thing, "set"), body);
	const press = (node, body, verb) => app.commands.press(node, thingPath(thing, verb || "set"), body);
	const controls = [];
	if (part === "switch") return canSwitch(thing) ? [makeBareSwitch(node => press(node, { state: "TOGGLE" }))] : [];
	if (thing.state && can(thing, "state")) controls.push(makeSwitch(
		say("Power"), one => one.state === "ON", isOn => say(isOn ? "On" : "Off"), node => press(node, { state: "TOGGLE" })));
	if (can(thing, "brightness")) controls.push(makeSlider(say("Brightness"), "brightness", 0, 255, 1, percent, send));
	if (part === "main") return controls;
	if (can(thing, "color_temp")) {
		const now = thing.color_temp || 4000;
		controls.push(makeSlider(say("White"), "color_temp", Math.min(2000, now), Math.max(6500, now), 50,
			kelvin => Math.round(kelvin) + "\u00a0K", send));
	}
	if (can(thing, "color")) controls.push(makeSwatches(thing, press));
	for (const key of otherKeys(thing)) {
		if (typeof dataOf(thing)[key] === "boolean") controls.push(makeSwitch(titled(key), one => dataOf(one)[key] === true,
			() => titled(key), (node, isOn) => press(node, { [key]: !isOn })));
		else controls.push(makeField(key, typeof dataOf(thing)[key], press));
	}
	const actions = (thing.actions || []).filter(action => !isDone(thing, action)).slice(0, MOST).map(action =>
		button({ class: "button", text: titled(action), title: explain(action) }, event => press(event.currentTarget, { action }, "action")));
	if (actions.length) controls.push({ node: block(say("Actions"), group(say("Actions"), "buttons", actions)), update: () => {} });
	return controls;
}

const block = (title, ...children) => element("div", { class: "card" }, element("h2", { text: title }), ...children);

const group = (label, kind, children) => element("div", { class: kind, role: "group", "aria-label": label }, ...children);

export const canSwitch = thing =>
	Boolean(thing && thing.state && (thing.settable || ["state"]).indexOf("state") >= 0);

function makeBareSwitch(press) {
	const node = button({ class: "switch", role: "switch" }, () => press(node), element("span", { class: "knob" }));
	return { node, update: thing => set(node, { "aria-checked": String(thing.state === "ON"), "aria-label": nameOf(thing) }) };
}

function makeSwitch(title, read, describe, press) {
	let isOn = false;
	const text = element("span", { class: "power-text" });
	const node = button({ class: "card power", role: "switch", "aria-label": title }, () => press(node, isOn),
		element("span", { class: "switch" }, element("span", { class: "knob" })), text);
	return {
		node,
		update: thing => {
			isOn = read(thing);
			set(node, { "aria-checked": String(isOn) });
			setText(text, describe(isOn));
		}
	};
}

function makeSlider(title, key, min, max, step, describe, send) {
	const output = element("output");
	const latest = new Latest(number => send({ [key]: number }));
	const input = element("input", { type: "range", min, max, step, "aria-label": title, input: () => {
		show(Number(input.value));
		latest.set(Number(input.value));
	} });
	const show = number => {
		input.classList.remove("idle");
		setText(output, describe(number));
		set(input, { "aria-valuetext": describe(number) });
		input.style.setProperty("--part", (number - min) / (max - min) * 100 + "%");
	};
	let timer = 0;
	const update = thing => {
		clearTimeout(timer);
		// The finger's own value stays until it has been answered.
		if (latest.isActive) { timer = setTimeout(() => update(thing), 400); return; }
		const number = value(thing, key);
		const isKnown = Number.isFinite(number);
		// A lamp that shows a colour has no temperature now.
		input.classList.toggle("idle", !isKnown);
		if (!isKnown) {
			input.value = (min + max) / 2;
			set(input, { "aria-valuetext": say("not now") });
			setText(output, "");
			return;
		}
		input.value = number;
		show(number);
	};
	return { node: block(title, output, input), update };
}

function makeSwatches(thing, press) {
	const names = (thing.palette || []).filter(name => typeof name === "string").slice(0, MOST);
	const nodes = names.map(name => {
		const patch = element("span", { class: "patch" });
		patch.style.backgroundColor = cssColour(name) || "";
		return button({ class: "swatch" }, event => press(event.currentTarget, { color: name }), patch,
			element("span", { text: say(clip(name, 24)) }));
	});
	// Any colour, where no list of names limits the choice.
	const latest = new Latest(colour => press(input, { color: colour }));
	const input = element("input", { type: "color", "aria-label": say("Colour"), input: () => latest.set(input.value) });
	return {
		node: block(say("Colour"), ...(nodes.length ? [group(say("Colour"), "swatches", nodes)] : [element("div", { class: "picker" }, input)])),
		update: one => {
			nodes.forEach((node, index) => set(node, { "aria-pressed": String(names[index] === value(one, "color_name")) }));
			const hex = hexOf(value(one, "color"));
			if (hex && !latest.isActive) input.value = hex;
		}
	};
}

/** A field for a number, a text, or anything else as JSON. */
function makeField(key, kind, press) {
	const title = titled(key);
	const isNumber = kind === "number";
	const input = element("input", { type: isNumber ? "number" : "text", step: "any", maxlength: 500, "aria-label": title });
	const node = element("button", { type: "submit", class: "button", text: say("Set"), "aria-label": say("Set ") + title });
	let isEdited = false;
	input.addEventListener("input", () => { isEdited = input.value !== ""; });
	const parsed = () => {
		if (kind === "string") return input.value;
		try { return JSON.parse(input.value); } catch (error) { return input.value; }
	};
	const form = element("form", { class: "field", novalidate: true, submit: event => {
		event.preventDefault();
		isEdited = false;
		press(node, { [key]: parsed() });
	} }, input, node);
	return {
		node: block(title, form),
		update: thing => {
			const data = dataOf(thing)[key];
			const text = kind === "object" ? JSON.stringify(data) : data === undefined ? "" : String(data);
			if (!isEdited && input.value !== text) input.value = text;
		}
	};
}

/** What a thing reports and cannot be told. */
export const readings = thing => Object.keys(dataOf(thing))
	.filter(key => HIDDEN.indexOf(key) < 0 && !can(thing, key))
	.slice(0, MOST).map(key => [titled(key), measure(key, thing.data[key])]);

const measure = (key, value) => (typeof value === "number" && unitOf(key) ? quantity(value, unitOf(key)) : plain(value, key));

/** The address of a thing's picture, when it may be loaded: nothing comes from elsewhere. */
export function pictureOf(thing) {
	const text = dataOf(thing).picture || dataOf(thing).image;
	if (typeof text !== "string" || text.length > 2000) return null;
	let address;
	try { address = new URL(text, document.baseURI); } catch (error) { return null; }
	return address.origin === location.origin ? address.href : null;
}
