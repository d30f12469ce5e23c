// Fields of places and things: numbers that belong together, and values by what they are.

import { lastPart, meansOn, switchAction } from "./profiles.js";
import { RequestError, say } from "./people.js";
import { decimal, titled } from "./text.js";

export const wordOf = object => object.slug || object.id;

export const titleOf = object => object.name || wordOf(object);

const METRES = { type: "number", step: "any", min: -1e8, max: 1e8 };

const round = number => Math.round(number * 1000) / 1000;

const number = (name, label, value, more) => Object.assign({ name, label, value: Number.isFinite(value) ? round(value) : undefined }, METRES, more);

const degrees = number => Math.round(number * 1e7) / 1e7;

/** Numbers that count together: those of `needed`, or none at all. Throws with the names of what is missing. */
function together(values, fields, needed, what) {
	const given = fields.filter(({ name }) => values[name] !== undefined);
	if (!given.length) return null;
	const missing = fields.filter(({ name }) => needed.indexOf(name) >= 0 && values[name] === undefined);
	if (missing.length) throw new RequestError(say("{0}: fill in {1} too, or leave all of it empty.", what, missing.map(({ label }) => label).join(", ")), 0);
	return given.reduce((found, { name }) => Object.assign(found, { [name]: Number(values[name]) }), {});
}

/** What a member becomes: nothing where it stays, null where it is taken away. */
function changed(body, name, value, old) {
	if (JSON.stringify(value) === JSON.stringify(old || null)) return;
	body[name] = value;
}

// Positions

const AXES = ["x", "y", "z"];

export const positionFields = position => AXES.map(axis => number(axis, axis + " (m)", position && position[axis]));

export function putPosition(body, values, old) {
	const point = together(values, positionFields(), ["x", "y"], say("Position"));
	const was = old && Number.isFinite(old.x) && Number.isFinite(old.y) ? { x: round(old.x), y: round(old.y), z: round(old.z || 0) } : null;
	changed(body, "position", point && { x: point.x, y: point.y, z: point.z || 0 }, was);
}

export const positionText = position =>
	(position ? AXES.filter(axis => Number.isFinite(position[axis])).map(axis => axis + " " + decimal(position[axis], 2)).join(", ") : "");

// Perimeters

const SIZE = ["width", "height", "depth"];

export function perimeterFields(perimeter) {
	const { origin = {}, size = {} } = perimeter || {};
	const labels = [say("Width along x (m)"), say("Length along y (m)"), say("Height along z (m)")];
	return AXES.map(axis => number("from-" + axis, say("Lowest corner: {0} (m)", axis), origin[axis])).concat(
		SIZE.map((name, index) => number(name, labels[index], size[name], { min: 0, hint: name === "depth" ? say("3 when left empty.") : undefined })));
}

export function putPerimeter(body, values, old) {
	const box = together(values, perimeterFields(), ["from-x", "from-y", "width", "height"], say("Area"));
	const shape = box && {
		origin: { x: box["from-x"], y: box["from-y"], z: box["from-z"] || 0 },
		size: { width: box.width, height: box.height, depth: box.depth === undefined ? 3 : box.depth }
	};
	changed(body, "perimeter", shape, old && {
		origin: AXES.reduce((all, axis) => Object.assign(all, { [axis]: round(old.origin[axis]) }), {}),
		size: SIZE.reduce((all, name) => Object.assign(all, { [name]: round(old.size[name]) }), {})
	});
}

export function perimeterText(perimeter) {
	if (!perimeter) return "";
	const { origin, size } = perimeter;
	const spans = AXES.map((axis, index) => axis + " " + decimal(origin[axis]) + "–" + decimal(origin[axis] + size[SIZE[index]]));
	return spans.join(", ") + " m";
}

// Geofences

export const geofenceFields = fence => [
	{ name: "latitude", label: say("Latitude, for GPS (degrees)"), type: "number", step: "any", min: -90, max: 90, value: fence ? degrees(fence.latitude) : undefined },
	{ name: "longitude", label: say("Longitude, for GPS (degrees)"), type: "number", step: "any", min: -180, max: 180, value: fence ? degrees(fence.longitude) : undefined },
	number("radius", say("Chosen by GPS within (m)"), fence && fence.radius, { min: 0, max: 1e7 })
];

export function putGeofence(body, values, old) {
	const fence = together(values, geofenceFields(), ["latitude", "longitude", "radius"], say("GPS circle"));
	const { latitude, longitude, radius } = old || {};
	changed(body, "geofence", fence, old && { latitude: degrees(latitude), longitude: degrees(longitude), radius: round(radius) });
}

// Texts

export const textFields = object => [
	{ name: "name", label: say("Name"), value: object && object.name, required: true, maxlength: 200 },
	{ name: "description", label: say("Description"), value: object && object.description, keepEmpty: Boolean(object), maxlength: 2000 }
];

export function putTexts(body, values, old) {
	const { name, description } = old || {};
	if (values.name !== name) body.name = values.name;
	if (values.description !== undefined && values.description !== (description || "")) body.description = values.description;
}

// Values of data

/** A value of data as a field, by what the value is; null for what is no field. */
function plainField(name, value, { options = [] }) {
	const base = { name, label: titled(name), value };
	switch (name) {
	case "brightness":
		return Object.assign(base, { label: say("Brightness (0 to 1)"), type: "number", min: 0, max: 1, step: "any", isNumber: true });
	case "colorTemperature":
		return Object.assign(base, { label: say("White light (K)"), type: "number", min: 1000, max: 12000, step: "any", isNumber: true });
	case "color":
		if (options.length) return Object.assign(base, { label: say("Colour"), type: "select", options: choices(options, value) });
		return Object.assign(base, { label: say("Colour"), type: /^#[0-9a-f]{6}$/i.test(value) ? "color" : "text" });
	case "on": Object.assign(base, { label: say("On") });
	}
	if (typeof value === "boolean") return Object.assign(base, { type: "checkbox" });
	if (typeof value === "number") return Object.assign(base, { type: "number", step: "any", isNumber: true });
	return typeof value === "string" ? Object.assign(base, { maxlength: 10000 }) : null;
}

const choices = (names, value) => Array.from(new Set(names.concat(value === undefined ? [] : value))).map(name => [name, name]);

/** A property of a profile as a field; null for what is only read. */
function propertyField(thing, described) {
	const { name, part, actions, min, max, step, unit } = described;
	const title = described.title === name ? titled(name) : described.title;
	const value = (thing.data || {})[name];
	const base = { name, value, label: unit ? title + " (" + unit + ")" : title };
	switch (lastPart(part)) {
	case "Switch":
		return Object.assign(base, {
			type: "checkbox", value: meansOn(actions, value),
			turn: isOn => {
				const action = switchAction(actions, isOn);
				return action ? action.value : isOn;
			}
		});
	case "Select":
		if (!actions.length) return plainField(name, value, thing.data || {});
		return Object.assign(base, {
			type: "select", value: String(actions.findIndex(action => action.value === value)), options: actions.map((action, index) => [String(index), action.title])
				.concat(actions.some(action => action.value === value) ? [] : [["-1", value === undefined ? "–" : String(value)]]),
			turn: index => (actions[index] ? actions[index].value : value)
		});
	case "Slider": case "Dimmer": case "DecimalInput": case "IntegerInput":
		return Object.assign(base, {
			type: "number", isNumber: true, min: min === null ? undefined : min, max: max === null ? undefined : max,
			step: step === null ? part === "IntegerInput" ? 1 : "any" : step
		});
	case "ColorPicker": return plainField(name, value, thing.data || {}) || Object.assign(base, { value: "" });
	case "ReadonlyText": return null;
	default: return plainField(name, value, thing.data || {});
	}
}

const SET_UP = ["profile", "oemModel", "model", "kind", "minor", "receiver", "mac", "power", "options", "readonly", "vendorThingID", "thingID"];
const FIRST = ["on", "brightness", "color", "colorTemperature"];

/** The values of a thing that can be set, as fields: those of its profile, else those of its data. */
export function valueFields(thing, profiles) {
	const data = thing.data || {};
	if (profiles.of(thing)) {
		return profiles.properties(thing).map(property => propertyField(thing, profiles.describe(thing, property))).filter(Boolean);
	}
	const read = Array.isArray(data.readonly) ? data.readonly : [];
	const names = Object.keys(data).filter(name => SET_UP.indexOf(name) < 0 && read.indexOf(name) < 0);
	const order = name => (FIRST.indexOf(name) < 0 ? FIRST.length : FIRST.indexOf(name));
	names.sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
	const options = Array.isArray(data.options) ? data.options.filter(name => typeof name === "string") : [];
	return names.map(name => plainField(name, data[name], { options })).filter(Boolean);
}

/** The fields for what a thing is: its profile, and how it is found. */
export function setUpFields(thing, profiles) {
	const data = thing.data || {};
	const known = Array.from(profiles.devices.keys()).filter(Boolean).map(name => [name, profiles.titleOf(name)]);
	const named = data.profile === undefined || known.some(([name]) => name === data.profile) ? known : known.concat([[data.profile, data.profile]]);
	return [
		{ name: "profile", label: say("Kind of thing (profile)"), type: "select", value: data.profile || "", options: [["", say("none")], ...named], keepEmpty: true },
		{ name: "minor", label: say("Number of its beacon (minor)"), type: "number", min: 0, max: 65535, step: 1, isNumber: true, value: data.minor, keepEmpty: true },
		{ name: "receiver", label: say("Name of its receiver"), value: data.receiver, keepEmpty: true, isWord: true },
		{ name: "mac", label: say("MAC address of its sensor"), value: data.mac, keepEmpty: true, isWord: true },
		{ name: "power", label: say("Beacon's power at 1 m (dBm)"), type: "number", min: -127, max: -1, step: "any", isNumber: true, value: data.power, keepEmpty: true }
	];
}

/** The values that a form has changed; null for those that it has emptied. */
export function changedValues(values, fields) {
	const data = {};
	for (const { name, value, isNumber, turn } of fields) {
		const written = values[name];
		if (written === undefined || written === value || written === "" && (value === undefined || value === null)) continue;
		if (isNumber && written !== "" && Number(written) === value) continue;
		data[name] = written === "" ? null : turn ? turn(written) : isNumber ? Number(written) : written;
	}
	return data;
}
