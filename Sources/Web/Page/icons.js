// Pictures of things and screens: those of the configuration's folder, else plain ones of ours.

import { element, shape } from "./dom.js";
import { nameOf } from "./text.js";

const SHAPES = {
	generic: "M12 2.5l8.5 4.8v9.4L12 21.5l-8.5-4.8V7.3zM3.8 7.5L12 12l8.2-4.5M12 12v9.3",
	light: "M9 18h6M10 21.5h4M12 2.5a6.5 6.5 0 0 0-4 11.6c.7.6 1 1.2 1 2.4h6c0-1.2.3-1.8 1-2.4a6.5 6.5 0 0 0-4-11.6z",
	thermostat: "M10 14V5a2 2 0 0 1 4 0v9a4.5 4.5 0 1 1-4 0zM12 9v8.5",
	cover: "M3 3.5h18M5 3.5v17h14v-17M5 7.5h14M5 11.5h14M12 11.5v4M10.5 15.5h3",
	fan: "M12 12c-4-1-5-9-.5-9s3 6 .5 9zM12 12c3-3 10.5-1 9 3s-6.5 1-9-3zM12 12c1 4-4.5 9-8 6s2.5-6 8-6z",
	power: "M12 3v9M7 5.8a8 8 0 1 0 10 0",
	lock: "M6 11h12v9.5H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11M12 14.5v2.5",
	water: "M12 3c4 5 6 7.5 6 11a6 6 0 0 1-12 0c0-3.5 2-6 6-11z",
	sensor: "M4 16a8.5 8.5 0 1 1 16 0M12 14l4-5M4 20h16",
	curtain: "M3 3.5h18M5 3.5v17h4.5V12c0-2.5 1-5.5 2.5-8.5M19 3.5v17h-4.5V12c0-2.5-1-5.5-2.5-8.5",
	unlocked: "M6 11h12v9.5H6zM8.5 11V7a3.5 3.5 0 0 1 6.8-1.2M12 14.5v2.5",
	outlet: "M4 4h16v16H4zM9.5 10v3.5M14.5 10v3.5",
	bolt: "M13 2.5L5 13.5h6l-1 8 8-11h-6z",
	valve: "M12 13.5a4.5 4.5 0 1 1 0 .1zM12 9.5V5M8 4.5h8M2.5 13.5h5M16.5 13.5h5",
	thermometer: "M10 14V5a2 2 0 0 1 4 0v9a4.5 4.5 0 1 1-4 0zM12 11v6M17 5h3M17 8.5h3",
	air: "M3 9h10.5a2.7 2.7 0 1 0-2.6-3.5M3 13h15a2.7 2.7 0 1 1-2.6 3.5M3 17h8a2.2 2.2 0 1 1-2.1 2.8",
	door: "M6 21V3h12v18M3.5 21h17M14.5 12v.1",
	motion: "M13 3a1.8 1.8 0 1 1 0 .1zM12.5 8L9 9.5 7.5 13M12.5 8l-1 6 4 3 1 4.5M11.5 14L9 17.5 5.5 20M12.5 8l2.5 3.5 3 .5",
	sun: "M12 7.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
	battery: "M3 8h15.5v9H3zM21.5 11v3M6 11v3M9.5 11v3",
	warning: "M12 3.5L22 20.5H2zM12 10v5M12 17.8v.1",
	media: "M7 3h10v18H7zM12 11.5a3.2 3.2 0 1 1 0 6.4a3.2 3.2 0 0 1 0-6.4zM12 6.5v.1",
	screen: "M2.5 4.5h19v12.5h-19zM8.5 20.5h7M12 17v3.5",
	exhibit: "M4 8h16v12.5H4zM8 8l4-5 4 5M8 16.5l3-3.5 2 2 1.5-1.5 2 3",
	room: "M8 4a2.7 2.7 0 1 1 0 5.4a2.7 2.7 0 0 1 0-5.4zM2.5 19.5c0-8 11-8 11 0M16 5a2.4 2.4 0 0 1 0 4.7M16.5 13.5c3 0 5 2 5 6",
	cup: "M5 8h11v7a5 5 0 0 1-11 0zM16 9.5h2a2.5 2.5 0 0 1 0 5h-2M8.5 2.5v2.5M12.5 2.5v2.5",
	list: "M8 6h13M8 12h13M8 18h13M3 6h.1M3 12h.1M3 18h.1",
	device: "M6 2.5h12v19H6zM10.5 18.5h3",
	compass: "M12 2.5a9.5 9.5 0 1 1 0 19a9.5 9.5 0 0 1 0-19zM12 6l3 9-3-2-3 2z",
	map: "M3 6l6-3 6 3 6-3v15l-6 3-6-3-6 3zM9 3v15M15 6v15",
	overview: "M3 3h8v8H3zM13 3h8v8h-8zM3 13h8v8H3zM13 13h8v8h-8z",
	person: "M12 3.5a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM4 21c0-9 16-9 16 0",
	clock: "M12 2.5a9.5 9.5 0 1 1 0 19a9.5 9.5 0 0 1 0-19zM12 6.5V12l4 2.5",
	menu: "M4 6h16M4 12h16M4 18h16",
	back: "M15 4l-8 8 8 8"
};

const OF_SCREENS = {
	DeviceList: "list", ThisDevice: "device", Compass: "compass", Map: "map", Overview: "overview", SignIn: "person", Schedule: "clock"
};

// What a thing is, by the roles of its properties, the most telling ones first.
const OF_ROLES = [["thermostat", /^temperature_setpoint$/], ["curtain", /^curtain$/], ["cover", /^cover_/], ["fan", /^fan_/], ["lock", /^lock$/],
	["valve", /^valve_/], ["water", /^humidity_setpoint$/], ["outlet", /^outlet$/], ["door", /^(door|window|opening|garage_door)$/],
	["motion", /^(motion|occupancy|presence)$/], ["warning", /^(smoke|gas|problem|safety|tamper|leak)$/]];
const OF_SENSORS = [["thermometer", /^temperature$/], ["air", /^(co2?|carbon_|pm|volatile)/], ["water", /^(humidity|moisture|water)/],
	["bolt", /^(power|energy|voltage|current)/], ["sun", /^illuminance/], ["battery", /^battery/], ["sensor", /./]];
// By words in names: of a profile, of a data key, of a picture of Material Design.
const OF_WORDS = [["media", /media|audio|music|speaker|player|radio/], ["screen", /display|screen|television|\btv\b|monitor|tablet|projector/],
	["exhibit", /exhibit|picture|painting|museum/], ["room", /meeting|room|account|people/], ["cup", /coffee|cup|kettle/],
	["light", /light|lamp|bulb/], ["curtain", /curtain/], ["cover", /blind|shutter|shade|cover|awning/], ["thermostat", /thermo|radiator|climate|heat/],
	["fan", /fan/], ["lock", /lock/], ["valve", /valve|pipe/], ["outlet", /socket|plug|outlet/], ["door", /door|window|gate/],
	["motion", /motion|walk|run/], ["bolt", /flash|bolt|energy|meter/], ["water", /water|drop|humid/], ["power", /power|switch/], ["sensor", /gauge|sensor/]];

const first = (table, texts) => {
	const found = table.find(one => texts.some(text => one[1].test(text)));
	return found && found[0];
};

/** A plain picture of ours. */
export const icon = name => shape("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
	shape("path", { d: SHAPES[name] || SHAPES.generic }));

/** A picture of the configuration; ours where it has none, or cannot be had. */
function picture(name, otherwise) {
	// A file of the modules' folder itself and of none else.
	if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.(svg|png)$/.test(name) || name.indexOf("..") >= 0) return icon(otherwise);
	const node = element("img", { class: "icon", alt: "", src: new URL("kiosk/modules/" + name, document.baseURI).href });
	node.addEventListener("error", () => { if (node.parentNode) node.parentNode.replaceChild(icon(otherwise), node); });
	return node;
}

/** The outline of a picture of ours, in a square of 24. */
export const outline = name => SHAPES[name] || SHAPES.generic;

export const iconOfScreen = (screen, part) => picture(screen.icon, OF_SCREENS[part] || "generic");

/** What a thing is, as the name of a picture of ours. */
export function kindOf(profiles, thing) {
	const profile = profiles.of(thing);
	const data = thing.data && typeof thing.data === "object" ? thing.data : {};
	if (!profile) {
		if (thing.state) return data.kind === "switch" ? first(OF_WORDS, [nameOf(thing).toLowerCase()]) || "power" : "light";
		return first(OF_SENSORS.slice(0, -1), Object.keys(data)) || (Object.keys(data).length ? "sensor" : "generic");
	}
	const roles = [].concat(...(profile.managedProperties || []).map(property => property.roles || []));
	const own = /^mdi:/.test(profile.icon) && first(OF_WORDS, [profile.icon.slice(4)]);
	if (own) return own;
	if (profile.deviceControl === "light") return "light";
	const named = first(OF_WORDS.slice(0, 5), [String(profile.oemModel).toLowerCase().replace(/[_-]/g, " ")]);
	return first(OF_ROLES, roles) || named || (roles.indexOf("on_off") >= 0 ? "power" : first(OF_SENSORS, roles) || "generic");
}

/** The picture of a thing: that of its profile, else one for what it is. */
export function iconOfThing(profiles, thing) {
	const profile = profiles.of(thing) || {};
	return picture(profile.icon, kindOf(profiles, thing));
}
