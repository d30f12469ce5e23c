// Numbers, names and colours as people read them.

export function clip(text, length) {
	const value = text === null || text === undefined ? "" : String(text);
	return value.length > length ? value.slice(0, length - 1).trim() + "…" : value;
}

export function nameOf(object, otherwise) {
	return clip((object && (object.name || object.slug || object.id)) || otherwise || "", 120);
}

export function metres(value) {
	if (!Number.isFinite(value)) return "";
	return (value < 10 ? value.toFixed(1) : Math.round(value)) + " m";
}

export function percent(brightness) {
	return Math.round(brightness / 255 * 100) + " %";
}

const SIDES = ["ahead", "ahead on the right", "on the right", "behind on the right", "behind", "behind on the left",
	"on the left", "ahead on the left"];
const WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

const eighth = angle => Math.round((((angle % 360) + 360) % 360) / 45) % 8;

/** Where something is for a person who looks along the heading. */
export const side = angle => SIDES[eighth(angle)];
export const wind = angle => WINDS[eighth(angle)];

/** "3 min" since a moment; nothing when it is unknown or in the future by a wrong clock. */
export function since(timestamp, now) {
	const seconds = (now - Date.parse(timestamp)) / 1000;
	if (!(seconds >= 0)) return "";
	if (seconds < 60) return "less than a minute";
	if (seconds < 3600) return Math.floor(seconds / 60) + " min";
	if (seconds < 86400) return Math.floor(seconds / 3600) + " h " + Math.floor(seconds % 3600 / 60) + " min";
	return Math.floor(seconds / 86400) + " days";
}

/** "colourTemperature" and "next_color" as words. */
export function words(key) {
	const text = String(key).replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").toLowerCase().trim();
	return clip(text.charAt(0).toUpperCase() + text.slice(1), 60) || clip(key, 60);
}

/** A value of a thing's data, for reading. */
export function plain(value) {
	if (value === true) return "yes";
	if (value === false) return "no";
	if (value === null || value === undefined) return "none";
	if (typeof value === "number") return String(Math.round(value * 1000) / 1000);
	return clip(typeof value === "string" ? value : JSON.stringify(value), 300);
}

const WOODS = { oak: "#deb887", birch: "#f5deb3", clear: "transparent" };

/** A colour's name as CSS knows it; null when it does not. */
export function cssColour(name) {
	const text = String(name).trim().toLowerCase();
	if (Object.prototype.hasOwnProperty.call(WOODS, text)) return WOODS[text];
	return /^(#[0-9a-f]{3,8}|[a-z]{3,24})$/.test(text) && CSS.supports("color", text) ? text : null;
}

function kelvin(temperature) {
	const t = Math.min(Math.max(temperature, 1000), 12000) / 100;
	const bound = value => Math.round(Math.min(Math.max(value, 0), 255));
	const red = t <= 66 ? 255 : 329.7 * Math.pow(t - 60, -0.1332);
	const green = t <= 66 ? 99.47 * Math.log(t) - 161.1 : 288.1 * Math.pow(t - 60, -0.0755);
	const blue = t >= 66 ? 255 : t <= 19 ? 0 : 138.5 * Math.log(t - 10) - 305;
	return "rgb(" + bound(red) + "," + bound(green) + "," + bound(blue) + ")";
}

/** The colour in which a thing is drawn; null for one that has none. */
export function colourOf(thing) {
	const rgb = thing.color;
	if (rgb && [rgb.r, rgb.g, rgb.b].every(Number.isFinite)) return "rgb(" + [rgb.r, rgb.g, rgb.b].join(",") + ")";
	if (Number.isFinite(thing.color_temp)) return kelvin(thing.color_temp);
	return null;
}

/** What a thing does, in a few words: "on, 60 %, orange". */
export function summary(thing) {
	if (thing.available === false) return "not reachable";
	const parts = [];
	if (thing.state) parts.push(thing.state === "ON" ? "on" : "off");
	if (thing.state !== "OFF") {
		if (Number.isFinite(thing.brightness)) parts.push(percent(thing.brightness));
		if (thing.color_name) parts.push(clip(thing.color_name, 24));
		else if (Number.isFinite(thing.color_temp)) parts.push(Math.round(thing.color_temp) + " K");
	}
	return parts.join(", ");
}
