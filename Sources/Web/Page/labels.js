// Where names stand on the map, so that none overlaps another; what does not fit is left out.

import { arrange, set, shape } from "./dom.js";
import { nameOf } from "./text.js";

const GAP = 3;
const MOST = 150;
const MOST_WIDTHS = 1000;

const canvas = document.createElement("canvas").getContext("2d");
const widths = new Map();

function widthOf(text, font) {
	const key = font + text;
	if (!widths.has(key)) {
		if (widths.size >= MOST_WIDTHS) widths.clear();
		canvas.font = font;
		widths.set(key, canvas.measureText(text).width);
	}
	return widths.get(key);
}

/** The text, cut so that it is not wider; nothing when little would be left. */
function cut(text, font, width) {
	if (widthOf(text, font) <= width) return text;
	const letters = Array.from(text).slice(0, 60);
	while (letters.length > 3) {
		letters.pop();
		const shorter = letters.join("").trim() + "…";
		if (widthOf(shorter, font) <= width) return shorter;
	}
	return "";
}

const overlaps = (a, b) =>
	a.left < b.right + GAP && b.left < a.right + GAP && a.top < b.bottom + GAP && b.top < a.bottom + GAP;

/** Writes the names on a map: the selected and the nearby thing's, then large zones', then those of near things. */
export function drawLabels(map) {
	const { app: { model }, width, height, dotSize, places } = map;
	const style = getComputedStyle(map.svg);
	const size = parseFloat(style.fontSize) || 16;
	const dot = (x, y, radius) => ({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
	const dots = places.map(place => dot(place.x, place.y, dotSize + 1));
	if (model.position && !model.device.moving) dots.push(dot(...map.at(model.position), 11));
	const taken = [];
	const texts = [];

	/** Writes a name at the first of these left upper corners that is free; over marks only if it may. */
	const write = (kind, name, scale, most, corners, mayCover) => {
		const font = "600 " + size * scale + "px " + style.fontFamily;
		const text = cut(name, font, most);
		if (!text) return;
		const wide = widthOf(text, font) + 2;
		const high = size * scale * 1.3;
		const free = corners(wide, high).map(([x, y]) => ({ left: x, top: y, right: x + wide, bottom: y + high }))
			.filter(box => box.left > 2 && box.top > 2 && box.right < width - 2 && box.bottom < height - 2)
			.filter(box => !taken.some(other => overlaps(box, other)));
		const box = free.find(one => !dots.some(other => overlaps(one, other))) || (mayCover && free[0]);
		if (!box) return;
		taken.push(box);
		const node = map.labels.children[texts.length] || shape("text");
		set(node, { class: "label " + kind, x: box.left + wide / 2, y: box.top + high * 0.76, text });
		texts.push(node);
	};
	const nameThing = mayCover => ({ thing, x, y }) => {
		const gap = dotSize * 1.6 + 3;
		write("thing-label", nameOf(thing), 1, Math.min(size * 11, width - 20), (wide, high) => [[x - wide / 2, y - gap - high],
			[x - wide / 2, y + gap], [x + gap, y - high / 2], [x - gap - wide, y - high / 2]], mayCover);
	};
	const isFirst = ({ thing }) => model.isSelected(thing) || model.isNearby(thing);
	places.filter(isFirst).forEach(nameThing(true));
	const area = ({ box }) => box.width * box.height;
	map.zonePlaces.sort((a, b) => area(b) - area(a)).forEach(({ zone, box }) => {
		if (box.height < size * 2) return;
		write("zone-label", nameOf(zone), 1.1, box.width - 16, (wide, high) => {
			const xs = [box.x + 8, box.x + (box.width - wide) / 2, box.x + box.width - 8 - wide];
			const ys = [box.y + 6, box.y + box.height - 6 - high, box.y + (box.height - high) / 2];
			return [].concat(...ys.map(y => xs.map(x => [x, y])));
		}, places.length > 60);
	});
	places.slice(0, MOST).filter(place => !isFirst(place)).forEach(nameThing(false));
	arrange(map.labels, texts);
}
