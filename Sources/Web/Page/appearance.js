// What a thing looks like, the same in all views: its picture, the colour of its state, and its values in words.

import { element, shape } from "./dom.js";
import { iconOfThing, kindOf, outline } from "./icons.js";
import { meansOn, unitOf, valueOf } from "./profiles.js";
import { clip, colourOf, cssColour, nameOf, percent, plain, quantity, say, titled } from "./text.js";

const MOST_READINGS = 3;
const LOW_BATTERY = 20;
const TONES = { heating: "warm", preheating: "warm", heat: "warm", cooling: "cool", cool: "cool", drying: "air", dry: "air", fan: "air", fan_only: "air" };
const OPENINGS = ["cover_position", "valve_position"];
const DOORS = ["door", "window", "opening", "garage_door"];
const PRESENT = ["occupancy", "presence"];
const ALARMS = ["smoke", "gas", "problem", "safety", "tamper", "leak", "carbon_monoxide"];
// Values of data that say more than their name.
const SILENT = ["on", "brightness", "color", "colorTemperature", "kind", "minor", "major", "uuid", "options", "readonly", "profile", "picture",
	"image", "receiver", "mac", "battery", "distance"];

let known = new WeakMap();
let knownFor = null;

/**
 * How a thing is drawn: `kind` (its picture), `colour` (null for none), `isLit`, `isOff`, `value` (its most important reading)
 * and `summary` (all that is told in a line).
 */
export function look(profiles, seen) {
	// It looks the same to who may drive it and to who may not.
	const thing = seen.whole || seen;
	const key = profiles.language + say("on");
	if (knownFor !== profiles || known.key !== key) {
		known = new WeakMap();
		known.key = key;
		knownFor = profiles;
	}
	if (!known.has(thing)) known.set(thing, make(profiles, thing));
	return known.get(thing);
}

function make(profiles, thing) {
	const properties = profiles.of(thing) ? profiles.properties(thing).map(property => describe(profiles, thing, property)) : [];
	const on = isOn(profiles, thing);
	const kind = kindOf(profiles, thing);
	const tone = toneOf(thing, kind, properties, on);
	const isHere = thing.available !== false;
	const texts = isHere ? readings(profiles, thing, kind, properties, on) : [say("not reachable")];
	return {
		kind: kind === "lock" && tone === "alarm" ? "unlocked" : kind, isLit: isHere && Boolean(tone), isOff: on === false,
		colour: tone === "lamp" ? colourOf(thing) || "var(--lit)" : tone && "var(--" + tone + ")",
		value: texts[0] || "", summary: texts.slice(0, MOST_READINGS).join(", ")
	};
}

function describe(profiles, thing, property) {
	const told = profiles.describe(thing, property);
	told.value = valueOf(thing, property.name);
	if (told.title === told.name) told.title = titled(told.name);
	told.has = (...roles) => told.roles.some(role => roles.indexOf(role) >= 0);
	return told;
}

/** Whether a thing is on; null when it cannot be. */
export function isOn(profiles, thing) {
	const power = profiles.power(thing);
	const value = power && !isState(power.roles) ? valueOf(thing, power.name) : undefined;
	if (value !== undefined) return meansOn(power.actions || [], value);
	return thing.state === "ON" ? true : thing.state === "OFF" ? false : null;
}

// A lock, a door or a motion is a state of its own, not one of power.
const isState = roles => (roles || []).some(role => role === "lock" || DOORS.concat(PRESENT, ALARMS, "motion").indexOf(role) >= 0);

/** The colour of its state by name: nothing while it rests. */
function toneOf(thing, kind, properties, on) {
	const find = (...roles) => properties.find(one => one.has(...roles) && one.value !== undefined && one.value !== null);
	if (kind === "light") return on ? "lamp" : "";
	const opening = find(...OPENINGS) || find(...DOORS);
	if (opening) return meansOn([], opening.value) ? (find("valve_position") ? "cool" : "open") : "";
	const lock = find("lock");
	if (lock) return meansOn(lock.actions, lock.value) ? "safe" : "alarm";
	const alarm = find(...ALARMS);
	if (alarm) return meansOn(alarm.actions, alarm.value) ? "alarm" : "";
	const presence = find("motion", ...PRESENT);
	if (kind === "motion" && presence) return meansOn(presence.actions, presence.value) ? "lit" : "";
	if (kind === "thermostat") {
		const [action, mode, goal, now] = [find("hvac_action"), find("hvac_mode"), find("temperature_setpoint"), find("temperature")];
		if (on === false || (mode && /off/.test(mode.value))) return "";
		return (action && TONES[action.value]) || (mode && TONES[mode.value]) || (goal && now && goal.value > now.value ? "warm" : "safe");
	}
	if (kind === "room") {
		const status = properties.find(one => /status|state/.test(one.name) && one.value);
		return status ? (/free/.test(status.value) ? "safe" : "alarm") : "";
	}
	if (!on) return "";
	return { fan: "air", water: "air", air: "air", media: "media", screen: "media", exhibit: "media" }[kind] || "lit";
}

/** A property's value for reading, with its unit. */
function reading(profiles, told) {
	const action = told.actions.find(one => one.value === told.value);
	if (action) return action.title;
	if (typeof told.value === "number") return quantity(told.value, told.unit);
	if (typeof told.value === "string") return clip(told.has("hvac_action", "cover_state") ? profiles.string(told.value) : told.value, 60);
	return plain(told.value);
}

/** The words for a value by what it means: how important they are (0 first), and the text; nothing for what is not told. */
function tell(profiles, told, kind, has) {
	const { value } = told;
	const isNumber = typeof value === "number";
	const text = reading(profiles, told);
	const isTrue = meansOn(told.actions, value);
	if (told.has(...OPENINGS) && isNumber) {
		const { min, max } = told;
		return [0, value <= min ? say("closed") : value >= max ? say("open") : text + "\u00a0" + say("open")];
	}
	if (told.has("temperature_setpoint", "humidity_setpoint")) {
		return has(told.has("temperature_setpoint") ? "temperature" : "humidity") ? [1, say("set to").replace(" ", "\u00a0") + "\u00a0" + text] : [0, text];
	}
	if (told.has("hvac_action")) return /^(idle|off)$/.test(value) ? null : [2, text];
	if (told.has("hvac_mode")) return /off/.test(value) ? [1, text] : null;
	if (told.has("cover_state")) return value === "stopped" ? null : [1, text];
	if (told.has("lock")) return [0, say(isTrue ? "locked" : "unlocked")];
	if (told.has(...DOORS)) return [0, say(isTrue ? "open" : "closed")];
	if (told.has("motion")) return [0, say(isTrue ? "motion" : "no motion")];
	if (told.has(...PRESENT)) return [kind === "motion" ? 0 : 4, say(isTrue ? "occupied" : "not occupied")];
	if (told.has("battery")) return isNumber && value >= LOW_BATTERY ? null : [5, told.title + "\u00a0" + text];
	if (told.has("cover_tilt") || told.name === "brightness" || told.name === "color") return null;
	if (told.has("fan_speed") && isNumber) return [1, text];
	if (typeof value === "boolean" && !told.actions.length) return [3, told.title + ": " + text];
	if (told.part === "Select") return [1, text];
	if (told.part === "ReadonlyText") {
		const rank = told.has("temperature", "humidity") && has(told.roles[0] + "_setpoint") ? 0 : 2;
		// Per cent of what, only the name says.
		return [rank, isNumber && /^%?$/.test(told.unit) && !told.has("humidity") ? told.title + "\u00a0" + text : text];
	}
	return told.part === "TextInput" ? [3, text] : null;
}

/** What a thing does and reports, the most important first. */
function readings(profiles, thing, kind, properties, on) {
	const found = [];
	const has = role => properties.some(one => one.has(role) && one.value !== undefined && one.value !== null);
	const power = profiles.power(thing);
	const isIdle = properties.some(one => one.has("hvac_mode") && /off/.test(one.value));
	for (const told of properties) {
		// What is off has no goal.
		if (isIdle && told.has("temperature_setpoint")) continue;
		if (told.value === undefined || told.value === null || told.value === "") continue;
		const isPower = power && told.name === power.name && !isState(told.roles);
		const action = isPower && told.actions.find(one => one.value === told.value);
		const heard = isPower ? [told.part === "ReadonlyText" ? 2 : 0, action ? action.title : say(on ? "on" : "off")] : tell(profiles, told, kind, has);
		if (heard) found.push(heard);
	}
	const isOff = on === false;
	if (kind === "light" || !properties.length) found.push(...light(thing, Boolean(properties.length)));
	if (!profiles.of(thing)) found.push(...measured(profiles, thing));
	// Of what is off, only that counts, and what it measures.
	return found.map(([rank, text], index) => ({ rank, text, index })).filter(one => !isOff || one.rank !== 1 || kind === "thermostat" || kind === "water")
		.sort((a, b) => a.rank - b.rank || a.index - b.index).map(one => one.text).filter(Boolean);
}

/** "on", "60 %", "orange" */
function light(thing, isTold) {
	const found = [];
	if (thing.state && !isTold) found.push([0, say(thing.state === "ON" ? "on" : "off")]);
	if (thing.state === "OFF") return found;
	if (Number.isFinite(thing.brightness)) found.push([1, percent(thing.brightness)]);
	if (thing.color_name && cssColour(thing.color_name) && !/^#/.test(thing.color_name)) found.push([1, say(clip(thing.color_name, 24))]);
	else if (Number.isFinite(thing.color_temp)) found.push([1, Math.round(thing.color_temp) + "\u00a0K"]);
	return found;
}

/** What the data of a thing without a profile measure. */
function measured(profiles, thing) {
	const data = thing.data && typeof thing.data === "object" ? thing.data : {};
	return Object.keys(data).filter(key => SILENT.indexOf(key) < 0 && ["number", "boolean"].indexOf(typeof data[key]) >= 0).map(key => {
		const unit = unitOf(key);
		return unit ? [2, quantity(data[key], unit)] : [3, titled(key) + ":\u00a0" + plain(data[key], key)];
	});
}

/** A thing's name and what it does. */
export const title = (profiles, thing) => [nameOf(thing), look(profiles, thing).summary].filter(Boolean).join(", ");

/** A round picture of a thing in the colour of its state; `draw` keeps it up. */
export const makeBadge = () => element("span", { class: "badge", "aria-hidden": "true" });

export function drawBadge(node, profiles, thing) {
	const seen = look(profiles, thing);
	const profile = profiles.of(thing);
	const key = seen.kind + "," + ((profile && profile.icon) || "");
	if (node.shownKey !== key) {
		node.shownKey = key;
		while (node.firstChild) node.removeChild(node.firstChild);
		node.appendChild(seen.kind === "unlocked" ? outlined("unlocked") : iconOfThing(profiles, thing));
	}
	paint(node, seen);
}

const outlined = kind => shape("svg", { viewBox: "0 0 24 24", class: "icon" }, shape("path", { d: outline(kind) }));

/** Gives an element the colour of a state: `--thing`, and `--on-thing` for what lies on it. */
export function paint(node, seen) {
	const colour = seen.isLit ? seen.colour : null;
	if (node.thingColour !== colour) {
		node.thingColour = colour;
		if (colour) {
			node.style.setProperty("--thing", colour);
			node.style.setProperty("--on-thing", onColour(colour));
		} else for (const name of ["--thing", "--on-thing"]) node.style.removeProperty(name);
	}
	node.classList.toggle("lit", Boolean(colour));
}

/** Black or white, whichever can be seen better on a colour. */
function onColour(colour) {
	const rgb = /^rgb\((\d+),\s*(\d+),\s*(\d+)\)$/.exec(colour);
	if (!rgb) return colour === "var(--lit)" ? "var(--on-lit)" : "var(--on-tone)";
	const [r, g, b] = rgb.slice(1).map(Number);
	return r * 0.299 + g * 0.587 + b * 0.114 > 130 ? "#10151c" : "#fff";
}
