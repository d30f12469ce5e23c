// The configured colours of a screen or a control. What is ours stays readable on each of them.

const READABLE = 4.5;
const BLACK = [0, 0, 0];
const WHITE = [255, 255, 255];
const NAMES = ["back", "card", "ink", "soft", "line", "track", "accent", "on-accent", "danger", "on-danger", "plain", "edge", "wall",
	"here", "device"];

/** #rgb or #rrggbb as three numbers; null for anything else. */
function parse(text) {
	const match = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(String(text).trim());
	if (!match) return null;
	const digits = match[2] || Array.from(match[1], digit => digit + digit).join("");
	return [0, 2, 4].map(at => parseInt(digits.slice(at, at + 2), 16));
}

const css = rgb => "#" + rgb.map(value => (Math.round(value) + 256).toString(16).slice(1)).join("");

const mix = (a, b, share) => a.map((value, index) => value + (b[index] - value) * share);

function luminance(rgb) {
	const [r, g, b] = rgb.map(value => value / 255).map(value =>
		(value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4)));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (light + 0.05) / (dark + 0.05);
}

/** The first of these colours that can be read on all of those; black or white if none can. */
function readable(colours, ...grounds) {
	const worst = colour => Math.min(...grounds.map(ground => contrast(colour, ground)));
	return colours.find(colour => worst(colour) >= READABLE) || (worst(BLACK) >= worst(WHITE) ? BLACK : WHITE);
}

/** The names and values of a configuration's colours. */
export class Palette {
	constructor(colors) {
		this.colours = new Map((Array.isArray(colors) ? colors : []).map(one => [one.name, parse(one.value)]));
	}

	/** A colour's name or value as #rrggbb; null for what is none. */
	find(name) {
		if (typeof name !== "string") return null;
		const rgb = this.colours.get(name) || parse(name);
		return rgb ? css(rgb) : null;
	}
}

/** Gives an element and all in it a ground and letters, or what it had when both are null. */
export function dress(element, ground, letters) {
	const key = ground + "," + letters;
	if (element.dressedAs === key) return;
	element.dressedAs = key;
	for (const name of NAMES) element.style.removeProperty("--" + name);
	element.style.removeProperty("color-scheme");
	if (!ground && !letters) return;
	// Letters without a ground are those of the page's own.
	const back = parse(ground || getComputedStyle(element).getPropertyValue("--back")) || WHITE;
	const isDark = luminance(back) < 0.18;
	const far = isDark ? WHITE : BLACK;
	const ink = readable(letters && parse(letters) ? [parse(letters)] : [far], back);
	// A card lies a little above its ground, as far as the letters allow.
	const card = [0.07, 0.04, 0].map(share => mix(back, isDark ? WHITE : luminance(back) > 0.9 ? BLACK : WHITE, share / (isDark ? 1 : 2)))
		.find(colour => contrast(ink, colour) >= READABLE) || back;
	const soft = [0.3, 0.15].map(share => mix(ink, back, share)).find(colour =>
		contrast(colour, back) >= READABLE && contrast(colour, card) >= READABLE) || ink;
	const track = mix(back, ink, 0.16);
	const accent = readable([[10, 88, 168], [130, 186, 255], ink], back, card, mix(back, ink, 0.08));
	const danger = readable([[156, 17, 17], [255, 177, 166], ink], back, card);
	const values = {
		back, card, ink, soft, track, accent, danger, line: mix(back, ink, 0.25), plain: soft, device: accent,
		"on-accent": readable([WHITE, [6, 18, 31]], accent), "on-danger": readable([WHITE, [43, 7, 3]], danger),
		edge: mix(back, ink, 0.55), wall: mix(back, ink, 0.3), here: mix(back, accent, 0.16)
	};
	for (const name of NAMES) element.style.setProperty("--" + name, css(values[name]));
	element.style.setProperty("color-scheme", isDark ? "dark" : "light");
}
