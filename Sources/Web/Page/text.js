// Numbers, names and colours as people read them.

/** The page's own words; a configuration has them in other languages. */
let translate = text => text;

export const say = text => translate(text);

export const speak = words => { translate = words; };

export function clip(text, length) {
	const value = text === null || text === undefined ? "" : String(text);
	return value.length > length ? value.slice(0, length - 1).trim() + "…" : value;
}

export function nameOf(object, otherwise) {
	return clip((object && (object.name || object.slug || object.id)) || otherwise || "", 120);
}

const formats = new Map();

/** A number as the page's language writes it, with so many digits behind the point. */
export function decimal(value, most = 3, least = 0) {
	const { lang } = document.documentElement;
	const key = lang + most + least;
	try {
		if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(lang,
			{ minimumFractionDigits: least, maximumFractionDigits: most, useGrouping: false }));
		return formats.get(key).format(value);
	} catch (error) {
		// A tag that is none.
		return value.toFixed(least);
	}
}

export function metres(value) {
	if (!Number.isFinite(value)) return "";
	return (value < 10 ? decimal(value, 1, 1) : Math.round(value)) + "\u00a0m";
}

/** A number, to be kept on one line with its unit. */
export const quantity = (value, unit) => decimal(value, 2) + (unit && "\u00a0" + unit);

/** Parts of a line, without the empty ones. */
export const join = (...parts) => parts.filter(Boolean).join(" · ");

export const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

export function percent(brightness) {
	return Math.round(brightness / 255 * 100) + "\u00a0%";
}

const SIDES = ["ahead", "ahead on the right", "on the right", "behind on the right", "behind", "behind on the left",
	"on the left", "ahead on the left"];
const WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

const eighth = angle => Math.round((((angle % 360) + 360) % 360) / 45) % 8;

/** Where something is for a person who looks along the heading; its compass direction when that is unknown. */
export function whereabouts(bearing, heading) {
	if (bearing === null) return "";
	return say(heading === null ? WINDS[eighth(bearing)] : SIDES[eighth(bearing - heading)]);
}

/** "3 min" since a moment; nothing when it is unknown or in the future by a wrong clock. */
export function since(timestamp, now) {
	const seconds = (now - Date.parse(timestamp)) / 1000;
	if (!(seconds >= 0)) return "";
	if (seconds < 60) return say("less than a minute");
	if (seconds < 3600) return Math.floor(seconds / 60) + "\u00a0min";
	if (seconds < 86400) return Math.floor(seconds / 3600) + " h " + Math.floor(seconds % 3600 / 60) + "\u00a0min";
	return Math.floor(seconds / 86400) + say(" days");
}

/** "colourTemperature" and "next_color" as words. */
export function words(key) {
	// Programs spell it as Americans do.
	const text = String(key).replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").toLowerCase().replace(/\bcolor(s?)\b/g, "colour$1").trim();
	return clip(capital(text), 60) || clip(key, 60);
}

/** The name of a property or an action in the page's words. */
export function titled(key) {
	const own = say(key);
	return own === key ? say(words(key)) : capital(own);
}

// What true and false say of a value, by its name.
const STATES = [[/^(door|window|opening|garage_door)$/, "open", "closed"], [/^(lock|locked)$/, "locked", "unlocked"],
	[/^motion$/, "motion", "no motion"], [/^(occupancy|presence)$/, "occupied", "not occupied"]];

/** A value of a thing's data, for reading; a door is not "no" but closed. */
export function plain(value, key) {
	const states = typeof value === "boolean" && STATES.find(([name]) => name.test(key));
	if (states) return say(states[value ? 1 : 2]);
	if (value === true) return say("yes");
	if (value === false) return say("no");
	if (value === null || value === undefined) return say("none");
	if (typeof value === "number") return decimal(value);
	return clip(typeof value === "string" ? value : JSON.stringify(value), 300);
}

const WOODS = { oak: "burlywood", birch: "wheat", clear: "transparent" };

/** A colour's name as CSS knows it; null when it does not. */
export function cssColour(name) {
	const text = String(name).trim().toLowerCase();
	if (Object.prototype.hasOwnProperty.call(WOODS, text)) return WOODS[text];
	return /^(#[0-9a-f]{3,8}|[a-z]{3,24})$/.test(text) && CSS.supports("color", text) ? text : null;
}

/** Roughly the colour of white light of a temperature. */
function white(kelvin) {
	const share = Math.min(Math.max((kelvin - 2000) / 6000, 0), 1);
	return "rgb(" + [255 - 54 * share, 160 + 70 * share, 70 + 185 * share].map(Math.round) + ")";
}

/** The colour in which a thing is drawn; null for one that has none. */
export function colourOf(thing) {
	const rgb = thing.color;
	if (rgb && [rgb.r, rgb.g, rgb.b].every(Number.isFinite)) return "rgb(" + [rgb.r, rgb.g, rgb.b].join(",") + ")";
	if (Number.isFinite(thing.color_temp)) return white(thing.color_temp);
	return null;
}

/** A colour of a thing, as three numbers or a name, as the browser's own picker takes it. */
export function hexOf(colour) {
	if (colour && typeof colour === "object") {
		const parts = [colour.r, colour.g, colour.b];
		return parts.every(Number.isFinite) ? "#" + parts.map(part => (part + 256).toString(16).slice(1)).join("") : null;
	}
	if (!cssColour(colour)) return null;
	const pen = document.createElement("canvas").getContext("2d");
	pen.fillStyle = cssColour(colour);
	return /^#[0-9a-f]{6}$/.test(pen.fillStyle) ? pen.fillStyle : null;
}
