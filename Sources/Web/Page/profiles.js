// What the configuration says about kinds of things: their properties, controls and names.

import { say, words } from "./text.js";

/** The controls that are part of this page, as they are called in a configuration. */
const BUILT_IN = ["switch", "slider", "decimal_input", "integer_input", "dimmer", "color_picker", "select", "button",
	"text_input", "readonly_text", "light", "thermostat", "cover", "generic"];

// The units of roles and of data, where a profile names none.
const UNITS = {
	temperature: "°C", temperature_setpoint: "°C", humidity: "%", humidity_setpoint: "%", moisture: "%", battery: "%", pressure: "hPa",
	atmospheric_pressure: "hPa", illuminance: "lx", co2: "ppm", carbon_dioxide: "ppm", power: "W", energy: "kWh", voltage: "V",
	current: "A", frequency: "Hz", rssi: "dBm", signal_strength: "dBm", distance: "m", speed: "m/s", weight: "kg", pm25: "µg/m³", pm10: "µg/m³"
};
const PARTS_OF_100 = ["cover_position", "cover_tilt", "valve_position", "fan_speed"];

/** The unit of a quantity, by a role or the key of a value; nothing for what has none. */
export const unitOf = name => (has(UNITS, name) ? UNITS[name] : "");

const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const listOf = value => (Array.isArray(value) ? value : []);

/** "decimal_input" as the name of a class. */
const classOf = name => name.split("_").map(part => part.charAt(0).toUpperCase() + part.slice(1)).join("");

/** What counts of a class is behind its last dot. */
export const lastPart = name => String(name).split(".").pop();

export class Profiles {
	/** `experience` is the answer of api/experience. */
	constructor(experience) {
		const user = experience.userExperience || {};
		this.devices = new Map();
		for (const device of listOf(experience.devices)) {
			this.devices.set(device.oemModel, (this.devices.get(device.oemModel) || []).concat(device));
		}
		this.strings = experience.strings || {};
		this.modules = new Set(listOf(experience.modules));
		this.controls = new Map(listOf(user.controls).map(one => [one.name, one]));
		// A configuration without screens and words does not choose the language.
		const isChosen = experience.userExperience || Object.keys(this.strings).length;
		this.language = (isChosen && experience.language) || document.documentElement.lang;
	}

	/** The text of a key in the language, else in English, else in the page's words for it, else the key itself. */
	string(key, ...others) {
		for (const language of [this.language, this.language.split("-")[0], "en"]) {
			const table = has(this.strings, language) ? this.strings[language] : {};
			if (has(table, key)) return String(table[key]);
		}
		const known = others.concat(key, words(key)).find(text => say(text) !== text);
		return known ? say(known) : String(key);
	}

	/** What a profile is called. */
	titleOf(name) {
		const device = (this.devices.get(name) || [])[0];
		return device && device.name ? this.string(device.name) : name;
	}

	/** The profile of a thing; null for one without. */
	of(thing) {
		if (!thing || !thing.profile) return null;
		const model = thing.data && thing.data.model;
		const found = this.devices.get(thing.profile) || [];
		return found.find(device => device.model === model) || found.find(device => !device.model) || found[0] || null;
	}

	/** The properties of a thing that are shown. */
	properties(thing) {
		const profile = this.of(thing);
		const all = profile ? listOf(profile.managedProperties) : [];
		return all.filter(property => !property.optional || valueOf(thing, property.name) !== undefined);
	}

	/** The first property that has one of these roles. */
	withRole(thing, ...roles) {
		return this.properties(thing).find(property => listOf(property.roles).some(role => roles.indexOf(role) >= 0));
	}

	/** The property that switches a thing: the one of that role, else the only switch that it has. */
	power(thing) {
		const found = this.withRole(thing, "on_off");
		if (found) return found;
		const switches = this.properties(thing).filter(property => this.describe(thing, property).part === "Switch");
		return switches.length === 1 ? switches[0] : undefined;
	}

	/** The control of a name: the class and its parameters. */
	control(name) {
		const own = this.controls.get(name);
		if (own) return { name: lastPart(own.class), extras: own.extras || own.config || {} };
		return { name: BUILT_IN.indexOf(name) >= 0 ? classOf(name) : "Generic", extras: {} };
	}

	/** What a property's control is made with: limits, unit, actions with titles. */
	describe(thing, property) {
		const { name, extras } = this.control(property.control || "generic");
		const actions = listOf(property.actions).map(action =>
			({ name: action.name, value: action.value, title: this.string(action.name, "to " + action.name) }));
		const pick = key => (has(property, key) && property[key] !== null ? property[key] : extras[key]);
		const generic = genericFor(actions, valueOf(thing, property.name));
		// What can only be read has no other control, save an own one; what the viewer may only see has none at all.
		const isRead = thing.isSeenOnly ||
			(Array.isArray(thing.settable) && thing.settable.indexOf(property.name) < 0 && !this.modules.has(name));
		const part = isRead ? "ReadonlyText" : name === "Generic" ? generic : name;
		const isSlider = part === "Slider" || part === "Dimmer";
		const limit = (key, otherwise) => (Number.isFinite(pick(key)) ? pick(key) : isSlider ? otherwise : null);
		const roles = listOf(property.roles);
		const max = limit("max", property.name === "brightness" ? 1 : 100);
		const isShare = max === 100 && roles.some(role => PARTS_OF_100.indexOf(role) >= 0);
		const named = pick("unit") ? this.string(pick("unit")) : isShare ? "%" : roles.map(unitOf).find(Boolean) || "";
		return {
			// As a key of values it is its name.
			toString: () => property.name,
			name: property.name, title: this.string(property.name), roles, actions, extras, part, generic,
			min: limit("min", 0), max, step: limit("step", null),
			unit: /^[CF]$/.test(named) && roles.some(role => /^temperature/.test(role)) ? "°" + named : named
		};
	}
}

/** The stored value of a property, or the one that it is on the way to. */
export function valueOf(thing, name) {
	for (const part of ["target", "values"]) {
		const values = thing && thing[part];
		if (values && typeof values === "object" && has(values, name)) return values[name];
	}
	return undefined;
}

/** Whether two actions mean off and on. */
const isPair = actions => actions.length === 2 && [[0, 1], [false, true]].some(pair =>
	pair.every(value => actions.some(action => action.value === value)));

const meansOff = value => value === undefined || value === null || value === false || value === 0 ||
	(typeof value === "string" && /^(off|false|0|no|)$/i.test(value.trim()));

/** The value of a switch's actions that means off: by the value, by the name, else the first one. */
function offAction(actions) {
	const called = word => actions.find(action => action.name.toLowerCase().split(/[^a-z0-9]+/).indexOf(word) >= 0);
	const found = actions.find(action => meansOff(action.value)) || called("off");
	if (found || actions.length < 2) return found;
	return called("on") === actions[0] || actions[0].value === true || actions[0].value === 1 ? actions[actions.length - 1] : actions[0];
}

/** Whether the value of a switch with these actions means on. */
export function meansOn(actions, value) {
	const off = offAction(actions);
	return !meansOff(value) && !(off && off.value === value);
}

/** The action of a switch for on or off, if it has one. */
export function switchAction(actions, isOn) {
	const off = offAction(actions);
	return isOn ? actions.find(action => action !== off) : off;
}

/** The control of a property that names none, by its type. */
function genericFor(actions, value) {
	if (isPair(actions)) return "Switch";
	if (actions.length) return "Select";
	if (typeof value === "boolean") return "Switch";
	if (typeof value === "number") return Number.isInteger(value) ? "IntegerInput" : "DecimalInput";
	return typeof value === "string" ? "TextInput" : "ReadonlyText";
}
