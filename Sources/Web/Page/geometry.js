// Distances, bearings and the forms of the compass; angles in degrees clockwise, lengths in metres.

export function isPoint(point) {
	return Boolean(point) && Number.isFinite(point.x) && Number.isFinite(point.y);
}

export function distance(a, b) {
	const dz = (a.z || 0) - (b.z || 0);
	return Math.sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + dz * dz);
}

/** The distance as seen from above. */
export function planeDistance(a, b) { return Math.hypot(a.x - b.x, a.y - b.y); }

export function isFlipped(environment) {
	return Boolean(environment && environment.data && environment.data.flipped);
}

export function northOf(environment) {
	return environment && Number.isFinite(environment.angle) ? environment.angle : 0;
}

/** The compass direction in which `to` is seen from `from`; null when they are above each other. */
export function bearing(from, to, environment) {
	const dx = to.x - from.x;
	const dy = isFlipped(environment) ? from.y - to.y : to.y - from.y;
	if (dx === 0 && dy === 0) return null;
	return positive(Math.atan2(dx, dy) * 180 / Math.PI + northOf(environment));
}

export function positive(angle) {
	return ((angle % 360) + 360) % 360;
}

/** How far to turn from one angle to another, the short way round: -180 up to 180. */
export function turn(from, to) {
	return positive(to - from + 180) - 180;
}

/** How wide a thing's fin is: 40° at 1 m and nearer, 5° at 12 m and beyond. */
export function finWidth(metres) {
	if (metres <= 1) return 40;
	if (metres >= 12) return 5;
	return 40 - (metres - 1) * 35 / 11;
}

/** A piece of a ring around 0, 0: centred at an angle, so many degrees wide, between two radii. */
export function sector(angle, width, inner, outer) {
	const half = width / 2;
	const at = (degrees, radius) => {
		const radians = degrees * Math.PI / 180;
		return (Math.sin(radians) * radius).toFixed(2) + " " + (-Math.cos(radians) * radius).toFixed(2);
	};
	return "M" + at(angle - half, outer) + "A" + outer + " " + outer + " 0 0 1 " + at(angle + half, outer) +
		"L" + at(angle + half, inner) + "A" + inner + " " + inner + " 0 0 0 " + at(angle - half, inner) + "Z";
}

/** A box around all these boxes and points, with a margin; null without any. */
export function surrounding(boxes, points, margin = 0.5) {
	const all = points.filter(isPoint);
	for (const box of boxes) if (box) all.push(box, { x: box.x + box.width, y: box.y + box.height });
	if (!all.length) return null;
	const range = key => [Math.min, Math.max].map(best => all.map(point => point[key]).reduce((a, b) => best(a, b)));
	const [left, right] = range("x");
	const [low, high] = range("y");
	return { x: left - margin, y: low - margin, width: right - left + 2 * margin, height: high - low + 2 * margin };
}

export function contains(box, point) {
	return point.x >= box.x && point.x <= box.x + box.width && point.y >= box.y && point.y <= box.y + box.height;
}

export function rectangle(perimeter) {
	const origin = perimeter && perimeter.origin;
	const size = perimeter && perimeter.size;
	if (!isPoint(origin) || !size || !(size.width > 0) || !(size.height > 0)) return null;
	return { x: origin.x, y: origin.y, width: size.width, height: size.height };
}
