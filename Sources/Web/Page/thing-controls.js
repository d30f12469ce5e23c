// What a thing offers to be driven by: switch, sliders, swatches, buttons, fields.

import { element, setAttribute, setText } from "./dom.js";
import { Latest, thingPath } from "./commands.js";
import { clip, cssColour, percent, plain, words } from "./text.js";

const LIGHT_KEYS = ["state", "brightness", "level", "color", "color_temp", "on"];
const MOST = 60;

const can = (thing, key) => (thing.settable || []).indexOf(key) >= 0;

function value(thing, key) {
	return thing.target && thing.target[key] !== undefined ? thing.target[key] : thing[key];
}

/** What of a thing needs new controls when it changes; values do not. */
export function controlsKey(thing) {
	const data = thing.data || {};
	const extra = otherKeys(thing).map(key => key + ":" + typeof data[key]);
	return JSON.stringify([thing.id, thing.slug, thing.settable, thing.palette, thing.actions, extra,
		Boolean(thing.state), Number.isFinite(thing.color_temp)]);
}

function otherKeys(thing) {
	return (thing.settable || []).filter(key => LIGHT_KEYS.indexOf(key) < 0).slice(0, MOST);
}

/** The controls of a thing, in order: each a node and an `update(thing)`. */
export function makeControls(app, thing) {
	const set = body => app.commands.send(thingPath(thing, "set"), body);
	const press = (button, verb, body) => app.commands.press(button, thingPath(thing, verb), body);
	const controls = [];
	if (thing.state && can(thing, "state")) controls.push(makeSwitch(press));
	if (can(thing, "brightness")) controls.push(makeSlider("Brightness", set, {
		key: "brightness", low: 0, high: 255, step: 1, text: percent
	}));
	if (can(thing, "color_temp")) controls.push(makeSlider("White", set, {
		key: "color_temp", low: Math.min(2000, thing.color_temp || 2000), high: Math.max(6500, thing.color_temp || 6500),
		step: 50, text: number => Math.round(number) + " K"
	}));
	if (can(thing, "color")) controls.push(makeSwatches(thing, press));
	for (const key of otherKeys(thing)) controls.push(makeField(thing, key, press));
	if (thing.actions && thing.actions.length) controls.push(makeActions(thing, press));
	return controls;
}

function block(title, ...children) {
	return element("div", { class: "control" }, element("h3", { text: title }), ...children);
}

function makeSwitch(press) {
	const text = element("span", { class: "power-text" });
	const button = element("button", {
		type: "button", class: "power", role: "switch", "aria-label": "Power",
		click: () => press(button, "set", { state: "TOGGLE" })
	}, element("span", { class: "switch", "aria-hidden": "true" }, element("span", { class: "switch-knob" })), text);
	return {
		node: button,
		update: thing => {
			const isOn = thing.state === "ON";
			setAttribute(button, "aria-checked", isOn ? "true" : "false");
			setText(text, isOn ? "On" : "Off");
		}
	};
}

function makeSlider(title, set, options) {
	const { key, low, high, step, text } = options;
	const output = element("output", { class: "slider-value" });
	const latest = new Latest(number => set({ [key]: number }));
	const input = element("input", {
		type: "range", min: low, max: high, step, "aria-label": title,
		input: () => {
			show(Number(input.value));
			latest.set(Number(input.value));
		}
	});
	const show = number => {
		setText(output, text(number));
		setAttribute(input, "aria-valuetext", text(number));
		input.style.setProperty("--part", (number - low) / (high - low) * 100 + "%");
	};
	let timer = 0;
	let newest = null;
	const update = thing => {
		newest = thing;
		clearTimeout(timer);
		// The finger's own value stays until it has been answered.
		if (latest.isActive) { timer = setTimeout(() => update(newest), 400); return; }
		const number = value(thing, key);
		if (!Number.isFinite(number)) return;
		if (Number(input.value) !== number) input.value = number;
		show(number);
	};
	return {
		node: element("div", { class: "control" },
			element("div", { class: "control-head" }, element("h3", { text: title }), output), input),
		update
	};
}

function makeSwatches(thing, press) {
	const palette = (thing.palette || []).filter(name => typeof name === "string").slice(0, MOST);
	const group = element("div", { class: "swatches", role: "group", "aria-label": "Colour" });
	const buttons = palette.map(name => {
		const patch = element("span", { class: "patch", "aria-hidden": "true" });
		const colour = cssColour(name);
		if (colour) patch.style.backgroundColor = colour;
		else patch.classList.add("patch-unknown");
		const button = element("button", {
			type: "button", class: "swatch", click: () => press(button, "set", { color: name })
		}, patch, element("span", { text: clip(name, 24) }));
		group.appendChild(button);
		return { name, button };
	});
	return {
		node: block("Colour", group),
		update: one => {
			const current = value(one, "color_name");
			for (const { name, button } of buttons) setAttribute(button, "aria-pressed", name === current ? "true" : "false");
		}
	};
}

function makeActions(thing, press) {
	const group = element("div", { class: "buttons", role: "group", "aria-label": "Actions" });
	for (const action of thing.actions.slice(0, MOST)) {
		const button = element("button", {
			type: "button", class: "button", text: words(action), click: () => press(button, "action", { action })
		});
		group.appendChild(button);
	}
	return { node: block("Actions", group), update: () => {} };
}

/** Any other value: a switch for yes and no, a field for numbers and text. */
function makeField(thing, key, press) {
	const data = one => (one.data || {})[key];
	const kind = typeof data(thing);
	const title = words(key);
	if (kind === "boolean") {
		let isOn = false;
		const text = element("span", { class: "power-text" });
		const button = element("button", {
			type: "button", class: "power", role: "switch", "aria-label": title,
			click: () => press(button, "set", { [key]: !isOn })
		}, element("span", { class: "switch", "aria-hidden": "true" }, element("span", { class: "switch-knob" })), text);
		return {
			node: button,
			update: one => {
				isOn = data(one) === true;
				setAttribute(button, "aria-checked", isOn ? "true" : "false");
				setText(text, title);
			}
		};
	}
	const isNumber = kind === "number";
	const input = element("input", { type: isNumber ? "number" : "text", step: "any", "aria-label": title, maxlength: isNumber ? null : 500 });
	const send = element("button", { type: "submit", class: "button", text: "Set", "aria-label": "Set " + title });
	let isEdited = false;
	input.addEventListener("input", () => { isEdited = true; });
	input.addEventListener("blur", () => { if (!input.value) isEdited = false; });
	const form = element("form", {
		class: "field", novalidate: true,
		submit: event => {
			event.preventDefault();
			if (isNumber && !Number.isFinite(input.valueAsNumber)) { input.focus(); return; }
			isEdited = false;
			press(send, "set", { [key]: isNumber ? input.valueAsNumber : parsed(input.value, kind) });
		}
	}, input, send);
	return {
		node: block(title, form),
		update: one => {
			const text = kind === "object" ? JSON.stringify(data(one)) : kind === "undefined" ? "" : String(data(one));
			if (!isEdited && input.value !== text) input.value = text;
		}
	};
}

function parsed(text, kind) {
	if (kind === "string") return text;
	try { return JSON.parse(text); } catch (error) { return text; }
}

const HIDDEN = ["options", "readonly", "picture", "image", "on", "brightness", "color", "colorTemperature", "kind", "minor",
	"major", "uuid", "distance"];

/** What a thing reports and cannot be told. */
export function readings(thing) {
	const data = thing.data && typeof thing.data === "object" ? thing.data : {};
	return Object.keys(data)
		.filter(key => HIDDEN.indexOf(key) < 0 && !can(thing, key))
		.slice(0, MOST)
		.map(key => [words(key), plain(data[key])]);
}

/** The address of a thing's picture, when it may be loaded. */
export function pictureOf(thing) {
	const text = thing.data && (thing.data.picture || thing.data.image);
	if (typeof text !== "string" || !text || text.length > 2000) return null;
	let address;
	try { address = new URL(text, document.baseURI); } catch (error) { return null; }
	return address.protocol === "https:" || address.origin === location.origin ? address.href : null;
}

