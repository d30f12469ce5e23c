// What a rule's things are called, what they report, what can be set, and what they do: for forms, and for sentences.

import { capital, clip, decimal, nameOf, plain, quantity, say, titled } from "./text.js";
import { unitOf } from "./profiles.js";

/** A text of the page with parts of it; `{0}` stands for the first one. */
export const fill = (text, ...parts) => say(text).replace(/\{(\d)\}/g, (whole, index) => (index < parts.length ? parts[index] : whole));

/** A text that is said later. */
export const mark = text => text;

// Data that says what a thing is, not how it is.
const SET_UP = ["profile", "oemModel", "model", "kind", "minor", "major", "uuid", "receiver", "mac", "power_at_1m", "options", "readonly", "vendorThingID",
	"thingID", "picture", "image", "distance"];
const LIGHT = ["state", "brightness", "level", "color", "color_temp"];
const MOST = 200;

export const wordOf = object => object.slug || object.id;

const isIdentifier = word => /^[0-9a-f]{24}$/i.test(word);

const listOf = value => (Array.isArray(value) ? value : []);

/** Whether a thing is switched by this name. */
const isSwitch = name => name === "on" || name === "state";

/** What true and false mean, by the name of a value. */
function truths(name) {
	return [[true, name === "on" ? say("on") : plain(true, name)], [false, name === "on" ? say("off") : plain(false, name)]];
}

/** What a value is called; nobody calls a switch "on". */
const titleOf = name => (isSwitch(name) ? say("Power") : titled(name));

/** Those whose coming and going rules look at, beside devices by their nodes. */
const DEVICES = new Map([["any", mark("any device")], ["first", mark("the first device")], ["last", mark("the last device")], ["none", mark("no device")]]);

const KINDS = { boolean: "truth", number: "number", string: "text" };

/** What things report from 0 to 1, and people read and write in percent. */
const SHARE = { kind: "share", unit: "%", min: 0, max: 1 };

const isShare = value => typeof value !== "number" || value >= 0 && value <= 1;

function byType(name, value, more) {
	if (name === "brightness" && isShare(value)) return Object.assign({ name, title: titleOf(name), options: [] }, SHARE, more);
	const kind = KINDS[typeof value] || "any";
	return Object.assign({ name, title: titleOf(name), kind, unit: kind === "number" ? unitOf(name) : "", options: kind === "truth" ? truths(name) : [] }, more);
}

/** A share in percent, and the other way, without the digits that come of reckoning in twos. */
export const ofHundred = share => Number((share * 100).toPrecision(12));

export const ofOne = percent => Number((percent / 100).toPrecision(12));

const STATES = () => [["ON", say("on")], ["OFF", say("off")], ["TOGGLE", say("the other way")]];

const LIGHTS = {
	state: () => ({ name: "state", title: titleOf("state"), kind: "choice", options: STATES() }),
	brightness: () => ({ name: "brightness", title: titled("brightness"), kind: "percent" }),
	color: colours => ({ name: "color", title: say("Colour"), kind: colours.length ? "choice" : "colour", options: colours.map(name => [name, say(name)]) }),
	color_temp: () => ({ name: "color_temp", title: say("White"), kind: "number", unit: "K", min: 1000, max: 12000 }),
	transition: () => ({ name: "transition", title: say("Time it takes"), kind: "number", unit: "s", min: 0, max: 3600 })
};

/** The numbers of an object's beacons; undefined if one is missing. */
const numbered = (base, key, { data = {} }) => (base && parseInt(data[key], 10) >= 0 ? Object.assign({}, base, { [key]: parseInt(data[key], 10) }) : undefined);

/** The beacons that the place knows. */
function beaconsOf({ things, zones, environments }) {
	const find = (list, word) => list.find(one => one.id === word || one.slug === word);
	const ofPlace = ({ data = {} } = {}) => data.uuid && { beacon: "ibeacon", uuid: data.uuid, major: undefined, minor: undefined };
	const ofZone = zone => zone && numbered(ofPlace(find(environments, zone.environment)), "major", zone);
	const ofThing = thing => numbered(ofZone(find(zones, thing.zone)), "minor", thing);
	const all = (list, numbers, words) => list.filter(numbers).map(one => ({ numbers: numbers(one), name: nameOf(one), label: fill(words, nameOf(one)) }));
	const group = mark("all beacons of {0}");
	return all(things, ofThing, "{0}").concat(all(zones, ofZone, group), all(environments, ofPlace, group));
}

const keyOf = ({ uuid, major, minor }) => [String(uuid).replace(/-/g, "").toLowerCase(), major, minor].join();

const complete = field => Object.assign({ options: [], unit: "", notifies: true, schedules: true }, field);

export class RuleNames {
	constructor({ things, zones, environments, profiles, users, contacts, devices }) {
		Object.assign(this, {
			things: things || [], zones: zones || [], environments: environments || [], profiles, users: users || [], contacts: contacts || [], devices: devices || []
		});
		this.beacons = beaconsOf(this);
	}

	thing(word) { return this.things.find(one => one.slug === word || one.id === word); }

	zone(word) { return this.zones.find(one => one.slug === word || one.id === word); }

	thingName(word) { return this.called(this.thing(word), word, mark("a thing that is gone")); }

	zoneName(word) { return this.called(this.zone(word), word, mark("a zone that is gone")); }

	/** The beacon with these numbers, or those of a zone or a place. */
	beacon(numbers) { return this.beacons.find(one => keyOf(one.numbers) === keyOf(numbers)); }

	/** A rule names by its identifier what is not there any more. */
	called(object, word, gone) { return !object && isIdentifier(word) ? say(gone) : word ? nameOf(object, word) : "…"; }

	isGone(word) { return isIdentifier(word) && !this.thing(word); }

	/** A device of a rule, or those that it means. */
	deviceName(word) {
		const device = this.devices.find(one => one.node === word);
		return DEVICES.has(word) ? say(DEVICES.get(word)) : device ? device.name || word : word;
	}

	/** The thing of a target; undefined for a zone and for what is near. */
	thingOf(target) { return /^thing:/i.test(target || "") ? this.thing(target.slice(target.indexOf(":") + 1)) : undefined; }

	/** A target as people say it. */
	targetName(target) {
		if (target === "nearby") return say("what is near");
		const [kind, ...rest] = String(target || "").split(":");
		const word = rest.join(":");
		return kind === "zone" ? fill("the light of {0}", this.zoneName(word)) : this.thingName(word);
	}

	userName(word) {
		const user = this.users.find(one => one.name === word);
		return user && user.display ? user.display : word;
	}

	contactName(word) {
		const contact = this.contacts.find(one => String(one.id) === String(word) || one.name === word);
		return contact ? contact.name : word;
	}

	/** A property of a profile as a field. */
	described(thing, property) {
		const told = this.profiles.describe(thing, property);
		const value = (thing.data || {})[property.name];
		const base = {
			name: property.name, title: told.title === property.name ? titleOf(property.name) : capital(told.title), unit: told.unit, min: told.min, max: told.max,
			step: told.step, notifies: property.notify !== false, schedules: property.schedule !== false
		};
		const options = told.actions.map(one => [one.value, capital(one.title)]);
		// A blind is open, closed, or something between.
		const isMeasured = told.unit || told.min !== null || told.max !== null;
		if (options.length && (!isMeasured || /^(Switch|Select|Button)$/.test(told.part))) return Object.assign(base, { kind: "choice", options });
		if (options.length) base.options = options;
		if (/Switch$/.test(told.part) || /Switch$/.test(told.generic) || property.control === "switch") {
			return Object.assign(base, { kind: "truth", options: truths(property.name) });
		}
		const isPart = /^(Slider|Dimmer)$/.test(told.part) ? told.min === 0 && told.max === 1 : property.name === "brightness" && told.max === null;
		if (isPart && isShare(value)) return Object.assign(base, SHARE);
		const isNumber = typeof value === "number" || isMeasured;
		return Object.assign(base, { kind: isNumber ? "number" : typeof value === "string" ? "text" : "any" });
	}

	propertiesOf(thing) { return thing && this.profiles ? this.profiles.properties(thing) : []; }

	/** What a thing reports. */
	readable(word) {
		const thing = this.thing(word);
		if (!thing) return [];
		const data = thing.data || {};
		const known = this.propertiesOf(thing).map(property => this.described(thing, property));
		const names = new Set(known.map(field => field.name));
		const others = Object.keys(data).filter(name => !names.has(name) && SET_UP.indexOf(name) < 0 && (data[name] === null || typeof data[name] !== "object"));
		return known.concat(others.map(name => byType(name, data[name]))).slice(0, MOST).map(complete);
	}

	/** What can be set at a target. */
	settable(target) {
		const thing = this.thingOf(target);
		if (!thing) return ["state", "brightness", "color", "color_temp", "transition"].map(name => complete(LIGHTS[name]([])));
		const names = listOf(thing.settable);
		const palette = listOf(thing.palette).filter(name => typeof name === "string");
		const properties = this.propertiesOf(thing);
		const fields = properties.filter(({ name }) => names.indexOf(name) >= 0).map(property => {
			const field = this.described(thing, property);
			// A fraction of 1 would be the least brightness of 255.
			if (property.name === "brightness") return Object.assign(field, LIGHTS.brightness(), { title: field.title });
			return property.name === "color" ? Object.assign(field, LIGHTS.color(palette), { title: field.title }) : field;
		});
		const known = new Set(fields.map(field => field.name));
		const hasSwitch = fields.some(field => isSwitch(field.name));
		for (const name of ["state", "brightness", "color", "color_temp"]) {
			if (names.indexOf(name) >= 0 && !known.has(name) && !(name === "state" && hasSwitch)) fields.push(LIGHTS[name](palette));
		}
		const data = thing.data || {};
		for (const name of names) if (LIGHT.indexOf(name) < 0 && !known.has(name)) fields.push(byType(name, data[name]));
		if (names.indexOf("brightness") >= 0) fields.push(LIGHTS.transition());
		return fields.slice(0, MOST).map(complete);
	}

	/** What a target does by name. */
	actions(target) {
		const thing = this.thingOf(target);
		const names = thing ? listOf(thing.actions) : ["on", "off", "toggle", "lighter", "darker", "nextColor", "previousColor"];
		return names.map(name => [name, this.actionName(name)]);
	}

	actionName(name) {
		const text = this.profiles ? this.profiles.string(name) : name;
		return text === name ? titled(name) : capital(text);
	}

	/** A field that is read, also one that the thing does not have now. */
	field(word, name) {
		return this.readable(word).find(field => field.name === name) || complete(byType(name || "", undefined));
	}

	/** A field that is set. */
	setField(target, name) {
		return this.settable(target).find(field => field.name === name) || complete(byType(name || "", undefined));
	}

	/** A value of a field as people read it. */
	value(field, value) {
		const found = field.options.find(([one]) => one === value);
		if (found) return found[1];
		if (isSwitch(field.name) && typeof value === "boolean") return say(value ? "on" : "off");
		if (field.kind === "share" && typeof value === "number") return quantity(ofHundred(value), "%");
		if (field.kind === "percent" && typeof value === "string") return value.replace(/\s*%$/, "\u00a0%");
		if (typeof value === "number") return field.unit ? quantity(value, field.unit) : decimal(value);
		return value === undefined ? "…" : clip(plain(value, field.name), 80);
	}
}
