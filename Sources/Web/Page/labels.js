// Where names stand on the map, so that none overlaps another, a mark, a wall or a button; what does not fit is left out.

import { arrange, set, shape } from "./dom.js";
import { look } from "./appearance.js";
import { capital, clip, nameOf } from "./text.js";

const GAP = 3;
const MOST_WIDTHS = 2000;
// A name needs so much of the map, in square pixels.
const SHARE = 15000;
const LINE = 1.2;

const canvas = document.createElement("canvas").getContext("2d");
const widths = new Map();

export function widthOf(text, font) {
	const key = font + text;
	if (!widths.has(key)) {
		if (widths.size >= MOST_WIDTHS) widths.clear();
		canvas.font = font;
		widths.set(key, canvas.measureText(text).width);
	}
	return widths.get(key);
}

/** A text on one line, or broken at its spaces into the lines that make it narrowest. */
function broken(text, lines) {
	const parts = text.split(/\s+/);
	if (lines === 1 || parts.length < 2) return [text];
	let best = null;
	for (let at = 1; at < parts.length; at += 1) {
		const rest = broken(parts.slice(at).join(" "), Math.min(lines - 1, parts.length - at));
		const all = [parts.slice(0, at).join(" ")].concat(rest);
		const longest = Math.max(...all.map(line => line.length));
		if (!best || longest < best.longest) best = { longest, all };
	}
	return best.all;
}

export const overlaps = (a, b, gap = GAP) =>
	a.left < b.right + gap && b.left < a.right + gap && a.top < b.bottom + gap && b.top < a.bottom + gap;

export const around = (x, y, r) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r });

/** Writes the names on a map: the selected and the nearby thing's, then zones', then those of things. Returns where they are. */
export function drawLabels(map) {
	const { app: { model, profiles }, width, height } = map;
	const style = getComputedStyle(map.svg);
	const base = parseFloat(style.fontSize) || 16;
	const marks = map.marks.shown.map(one => around(one.x, one.y, one.r));
	const taken = map.tools();
	if (map.devicePoint) taken.push(around(map.devicePoint[0], map.devicePoint[1], 13));
	const nodes = [];
	const written = [];

	/** Writes lines into the first free one of the boxes that `boxes(width, height)` names. */
	const write = (kind, lines, size, boxes, within, mayCover) => {
		const fonts = lines.map(line => (line.isValue ? "700 " : "600 ") + size + "px " + style.fontFamily);
		const wide = Math.max(...lines.map((line, index) => widthOf(line.text, fonts[index]))) + 4;
		const high = size * LINE * lines.length + 2;
		if (wide > within.right - within.left || high > within.bottom - within.top) return false;
		const box = boxes(wide, high).map(([x, y]) => ({ left: x, top: y, right: x + wide, bottom: y + high })).find(one =>
			one.left >= within.left && one.top >= within.top && one.right <= within.right && one.bottom <= within.bottom &&
			!taken.some(other => overlaps(one, other)) && (mayCover || !marks.some(other => overlaps(one, other, 0))));
		if (!box) return false;
		taken.push(box);
		written.push(box);
		const node = map.labels.children[nodes.length] || shape("text");
		set(node, { class: "label " + kind + (mayCover ? " over" : ""), "font-size": size.toFixed(1) });
		arrange(node, lines.map(({ text, isValue }, index) => shape("tspan", { class: isValue && "value",
			x: (box.left + wide / 2).toFixed(1), y: (box.top + 1 + size * (LINE * index + 0.93)).toFixed(1), text: text + " " })));
		nodes.push(node);
		return true;
	};

	const screen = { left: 4, top: 4, right: width - 4, bottom: height - 4 };
	const inside = box => ({
		left: Math.max(screen.left, box.x + 3), top: Math.max(screen.top, box.y + 2),
		right: Math.min(screen.right, box.x + box.width - 3), bottom: Math.min(screen.bottom, box.y + box.height - 2)
	});
	const walls = new Map(map.zonePlaces.map(place => [place.zone.slug, inside(place.box)]));
	const asLines = lines => lines.map(text => ({ text }));

	const nameThing = (one, sizes, mayCover) => {
		if (one.x < 0 || one.y < 0 || one.x > width || one.y > height) return false;
		const seen = look(profiles, one.thing);
		const name = clip(nameOf(one.thing), 60);
		const value = seen.kind !== "light" && seen.value ? [{ text: capital(clip(seen.value, 30)), isValue: true }] : [];
		const gap = one.r + 4;
		const { x, y } = one;
		const boxes = (wide, high) => {
			// Below and above, as far as the walls let it be in the middle; then to the sides.
			const middle = Math.min(Math.max(x - wide / 2, within.left), within.right - wide);
			return [[middle, y + gap], [middle, y - gap - high], [x + gap, y - high / 2], [x - gap - wide, y - high / 2],
				[x - wide * 0.2, y + gap], [x - wide * 0.8, y + gap], [x - wide * 0.2, y - gap - high], [x - wide * 0.8, y - gap - high]];
		};
		const within = (!mayCover && walls.get(one.thing.zone)) || screen;
		// A value is worth smaller letters.
		for (const more of value.length ? [value, []] : [[]]) for (const size of sizes) for (const lines of [1, 2, 3]) {
			const split = broken(name, lines);
			if (lines > 1 && split.length < lines) continue;
			if (lines === 1 && widthOf(name, "600 " + size + "px " + style.fontFamily) > base * 9) continue;
			if (write("thing-label", asLines(split).concat(more), size, boxes, within, mayCover)) return true;
		}
		return false;
	};
	const single = map.marks.shown.filter(one => one.places.length === 1);
	const isFirst = one => model.isSelected(one.thing) || model.isNearby(one.thing);
	single.filter(isFirst).forEach(one => nameThing(one, [base, base * 0.85]) || nameThing(one, [base * 0.9], true));

	const area = ({ box }) => box.width * box.height;
	map.zonePlaces.slice().sort((a, b) => area(b) - area(a)).forEach(({ zone, box }) => {
		const within = inside(box);
		const boxes = (wide, high) => {
			const middle = (a, b, size) => (a + b - size) / 2;
			const xs = [within.left, within.right - wide, middle(within.left, within.right, wide)];
			const ys = [within.top, within.bottom - high, middle(within.top, within.bottom, high), within.top + (within.bottom - within.top) / 4 - high / 2];
			return [].concat(...ys.map(y => xs.map(x => [x, y])));
		};
		const name = clip(nameOf(zone), 60);
		[1.12, 0.95, 0.8, 0.68, 0.62].some(scale => [1, 2, 3].some(lines => {
			const split = broken(name, lines);
			return split.length === lines && write("zone-label", asLines(split), Math.max(base * scale, 11), boxes, within);
		}));
	});
	let rest = Math.round(width * height / SHARE);
	// Names of many things at once are no help: first come closer.
	const inView = single.filter(one => one.x > 0 && one.y > 0 && one.x < width && one.y < height);
	for (const one of inView.length > rest * 2 ? [] : inView) {
		if (rest > 0 && !isFirst(one) && nameThing(one, [base * 0.92, base * 0.8])) rest -= 1;
	}
	arrange(map.labels, nodes);
	return written;
}
