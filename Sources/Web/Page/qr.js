// A text as a QR code. Source: ISO/IEC 18004; bytes only, error correction M, versions 1 to 9.

import { element, shape } from "./dom.js";

/** By version: the codewords of it, those of error correction in a block, the blocks, and the centres of alignment patterns. */
const VERSIONS = [
	null, [26, 10, 1, []], [44, 16, 1, [6, 18]], [70, 26, 1, [6, 22]], [100, 18, 2, [6, 26]], [134, 24, 2, [6, 30]],
	[172, 16, 4, [6, 34]], [196, 18, 4, [6, 22, 38]], [242, 22, 4, [6, 24, 42]], [292, 22, 5, [6, 26, 46]]
];

const MASKS = [
	(x, y) => (x + y) % 2, (x, y) => y % 2, x => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
	(x, y) => x * y % 2 + x * y % 3, (x, y) => (x * y % 2 + x * y % 3) % 2, (x, y) => ((x + y) % 2 + x * y % 3) % 2
];

/** The code as an image with its name; null if the text is too long for one. */
export function qrImage(label, text) {
	const rows = qrModules(text);
	if (!rows) return null;
	const size = rows.length + 8;
	const dark = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("")).join("");
	return element("div", { class: "qr" }, shape("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
		// Readers need dark on light, whatever the page has.
		shape("rect", { width: size, height: size, fill: "#fff" }), shape("path", { d: dark, fill: "#000" })));
}

/** The modules by row, true for dark; null if the text has more than 180 bytes. */
export function qrModules(text) {
	const bytes = Array.from(new TextEncoder().encode(text));
	const version = VERSIONS.findIndex(one => one && bytes.length + 2 <= one[0] - one[1] * one[2]);
	if (version < 0) return null;
	const codewords = codewordsOf(bytes, VERSIONS[version]);
	const drawings = MASKS.map((mask, number) => new Drawing(version, codewords, mask, number));
	return drawings.reduce((best, one) => (one.penalty < best.penalty ? one : best)).rows;
}

// Codewords

function codewordsOf(bytes, [total, corrections, count]) {
	const length = total - corrections * count;
	// The mode and the length take 12 bits, so each byte stands in two halves.
	const halves = [4, bytes.length >> 4, bytes.length & 15];
	for (const byte of bytes) halves.push(byte >> 4, byte & 15);
	halves.push(0);
	const data = [];
	for (let index = 0; index < halves.length; index += 2) data.push(halves[index] << 4 | halves[index + 1]);
	for (let fill = 0xec; data.length < length; fill ^= 0xec ^ 0x11) data.push(fill);

	const divisor = divisorOf(corrections);
	const blocks = [];
	for (let index = 0, start = 0; index < count; index++) {
		const end = start + Math.floor((length + index) / count);
		blocks.push({ data: data.slice(start, end), rest: remainder(data.slice(start, end), divisor) });
		start = end;
	}
	return interleaved(blocks.map(block => block.data)).concat(interleaved(blocks.map(block => block.rest)));
}

/** The first of each list, then the second of each; the last lists may be longer. */
function interleaved(lists) {
	const all = [];
	for (let index = 0; index < lists[lists.length - 1].length; index++) {
		for (const list of lists) if (index < list.length) all.push(list[index]);
	}
	return all;
}

/** The product of two elements of the field of 256, modulo x^8 + x^4 + x^3 + x^2 + 1. */
function product(a, b) {
	let sum = 0;
	for (let bit = 7; bit >= 0; bit--) sum = sum << 1 ^ (sum >> 7) * 0x11d ^ (b >> bit & 1) * a;
	return sum;
}

/** The polynomial of so many corrections, without its highest coefficient. */
function divisorOf(degree) {
	const divisor = new Array(degree).fill(0);
	divisor[degree - 1] = 1;
	for (let step = 0, root = 1; step < degree; step++, root = product(root, 2)) {
		for (let index = 0; index < degree; index++) divisor[index] = product(divisor[index], root) ^ (divisor[index + 1] || 0);
	}
	return divisor;
}

function remainder(data, divisor) {
	const rest = divisor.map(() => 0);
	for (const byte of data) {
		const factor = byte ^ rest.shift();
		rest.push(0);
		divisor.forEach((coefficient, index) => { rest[index] ^= product(coefficient, factor); });
	}
	return rest;
}

// Modules

class Drawing {
	constructor(version, codewords, mask, number) {
		this.size = 17 + 4 * version;
		this.rows = Array.from({ length: this.size }, () => new Array(this.size).fill(null));
		this.drawFinders();
		this.drawAlignments(VERSIONS[version][3]);
		this.drawTiming();
		if (version > 6) this.drawVersion(version);
		this.drawFormat(number);
		this.drawCodewords(codewords, mask);
		this.penalty = penaltyOf(this.rows) + penaltyOf(this.rows[0].map((_, x) => this.rows.map(row => row[x]))) + balanceOf(this.rows);
	}

	set(x, y, isDark) {
		if (x >= 0 && y >= 0 && x < this.size && y < this.size) this.rows[y][x] = Boolean(isDark);
	}

	/** A square in a square, about a module. */
	drawTarget(centreX, centreY, radius, isDark) {
		for (let y = -radius; y <= radius; y++) {
			for (let x = -radius; x <= radius; x++) this.set(centreX + x, centreY + y, isDark(Math.max(Math.abs(x), Math.abs(y))));
		}
	}

	drawFinders() {
		for (const [x, y] of [[3, 3], [this.size - 4, 3], [3, this.size - 4]]) this.drawTarget(x, y, 4, distance => distance !== 2 && distance !== 4);
	}

	drawAlignments(centres) {
		const last = centres.length - 1;
		centres.forEach((x, column) => centres.forEach((y, row) => {
			const isFinder = (column === 0 || column === last) && (row === 0 || row === last) && !(column === last && row === last);
			if (!isFinder) this.drawTarget(x, y, 2, distance => distance !== 1);
		}));
	}

	drawTiming() {
		for (let index = 8; index < this.size - 8; index++) {
			this.set(index, 6, index % 2 === 0);
			this.set(6, index, index % 2 === 0);
		}
	}

	drawVersion(version) {
		const bits = version << 12 | binaryRemainder(version << 12, 0x1f25);
		for (let index = 0; index < 18; index++) {
			const [across, along] = [this.size - 11 + index % 3, Math.floor(index / 3)];
			this.set(across, along, bits >> index & 1);
			this.set(along, across, bits >> index & 1);
		}
	}

	/** The mask's number; level M is 0. */
	drawFormat(number) {
		const bits = (number << 10 | binaryRemainder(number << 10, 0x537)) ^ 0x5412;
		for (let index = 0; index < 15; index++) {
			const isDark = bits >> index & 1;
			// Past the timing patterns.
			if (index < 8) this.set(8, index < 6 ? index : index + 1, isDark);
			else this.set(index === 8 ? 7 : 14 - index, 8, isDark);
			if (index < 8) this.set(this.size - 1 - index, 8, isDark);
			else this.set(8, this.size - 15 + index, isDark);
		}
		this.set(8, this.size - 8, true);
	}

	/** In columns of two, from the right, up and down by turns. */
	drawCodewords(codewords, mask) {
		let bit = 0;
		let isUp = true;
		for (let right = this.size - 1; right > 0; right -= 2) {
			if (right === 6) right = 5;
			for (let step = 0; step < this.size; step++) {
				const y = isUp ? this.size - 1 - step : step;
				for (const x of [right, right - 1]) {
					if (this.rows[y][x] !== null) continue;
					// The last bits of some versions belong to no codeword.
					const isDark = (codewords[bit >> 3] || 0) >> 7 - (bit & 7) & 1;
					this.set(x, y, isDark ^ (mask(x, y) === 0));
					bit++;
				}
			}
			isUp = !isUp;
		}
	}
}

function binaryRemainder(value, divisor) {
	const length = number => 32 - Math.clz32(number);
	while (length(value) >= length(divisor)) value ^= divisor << length(value) - length(divisor);
	return value;
}

// What is hard to read

/** Runs of one colour, what looks like a finder, and, counted in both directions, squares of one colour. */
function penaltyOf(rows) {
	let penalty = 0;
	rows.forEach((row, y) => {
		const text = row.map(isDark => (isDark ? "1" : "0")).join("");
		for (const run of text.match(/0{5,}|1{5,}/g) || []) penalty += run.length - 2;
		for (let x = 0; x < text.length; x++) {
			const part = text.substr(x, 11);
			if (part === "10111010000" || part === "00001011101") penalty += 40;
			const below = rows[y + 1];
			if (below && x && row[x] === row[x - 1] && row[x] === below[x] && row[x] === below[x - 1]) penalty += 1.5;
		}
	});
	return penalty;
}

/** Ten for each twentieth by which dark and light differ. */
function balanceOf(rows) {
	const count = rows.length * rows.length;
	const dark = rows.reduce((sum, row) => sum + row.filter(Boolean).length, 0);
	return 10 * Math.floor(Math.abs(dark * 20 - count * 10) / count);
}
