// Pictures of things and screens: those of the configuration's folder, else plain ones of ours.

import { element, shape } from "./dom.js";

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

const OF_ROLES = [["fan", /^fan_/], ["lock", /^lock$/], ["water", /^(valve_|humidity_setpoint)/], ["power", /^(on_off|outlet)$/],
	["sensor", /./]];

/** A plain picture of ours. */
export const icon = name => shape("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
	shape("path", { d: SHAPES[name] || SHAPES.generic }));

/** A picture of the configuration; ours where it has none, or cannot be had. */
function picture(name, otherwise) {
	// A file of the modules' folder itself and of none else.
	if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.(svg|png)$/.test(name) || name.indexOf("..") >= 0) return icon(otherwise);
	const node = element("img", { class: "icon", alt: "", src: new URL("modules/" + name, import.meta.url).href });
	node.addEventListener("error", () => { if (node.parentNode) node.parentNode.replaceChild(icon(otherwise), node); });
	return node;
}

export const iconOfScreen = (screen, part) => picture(screen.icon, OF_SCREENS[part] || "generic");

/** The picture of a thing: that of its profile, else one for what it does. */
export function iconOfThing(profiles, thing) {
	const profile = profiles.of(thing) || {};
	const control = profile.deviceControl;
	const roles = [].concat(...(profile.managedProperties || []).map(property => property.roles || []));
	const found = OF_ROLES.find(one => roles.some(role => one[1].test(role)));
	const kind = control === "light" || (!profile.oemModel && thing.state) ? "light"
		: control === "thermostat" || roles.indexOf("temperature_setpoint") >= 0 ? "thermostat"
			: control === "cover" || roles.indexOf("cover_position") >= 0 ? "cover" : found ? found[0] : "generic";
	return picture(profile.icon, kind);
}
