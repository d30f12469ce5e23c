// Where names stand on the map, so that none overlaps another; what does not fit is left out.

const GAP = 3;
const MOST_WIDTHS = 1000;

const canvas = document.createElement("canvas").getContext("2d");
const widths = new Map();

/** The width of a text in CSS pixels. */
export function widthOf(text, font) {
	const key = font + "\n" + text;
	let width = widths.get(key);
	if (width === undefined) {
		if (widths.size >= MOST_WIDTHS) widths.clear();
		canvas.font = font;
		width = canvas.measureText(text).width;
		widths.set(key, width);
	}
	return width;
}

/** The text, cut so that it is not wider; null when nothing readable is left. */
export function fit(text, font, width) {
	if (widthOf(text, font) <= width) return text;
	const letters = Array.from(text);
	let low = 0;
	let high = Math.min(letters.length, 60);
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (widthOf(letters.slice(0, middle).join("").trim() + "…", font) <= width) low = middle;
		else high = middle - 1;
	}
	return low < 3 ? null : letters.slice(0, low).join("").trim() + "…";
}

const overlaps = (a, b) =>
	a.left < b.right + GAP && b.left < a.right + GAP && a.top < b.bottom + GAP && b.top < a.bottom + GAP;

export class LabelPlacer {
	constructor(width, height) {
		this.area = { left: 2, top: 2, right: width - 2, bottom: height - 2 };
		this.taken = [];
		this.dots = [];
	}

	/** A mark that names should not cover. */
	addDot(x, y, radius) {
		this.dots.push({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
	}

	/**
	 * Takes the first of these places that is free: boxes of a size, given by their left upper corners.
	 * With `anyDots`, a place over marks will do when there is no better one.
	 */
	place(corners, width, height, anyDots) {
		let fallback = null;
		for (const [x, y] of corners) {
			const box = { left: x, top: y, right: x + width, bottom: y + height };
			if (box.left < this.area.left || box.right > this.area.right) continue;
			if (box.top < this.area.top || box.bottom > this.area.bottom) continue;
			if (this.taken.some(other => overlaps(box, other))) continue;
			if (!this.dots.some(dot => overlaps(box, dot))) {
				this.taken.push(box);
				return box;
			}
			if (anyDots && !fallback) fallback = box;
		}
		if (fallback) this.taken.push(fallback);
		return fallback;
	}
}
