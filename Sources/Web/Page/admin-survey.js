// The survey: who stands at a known point taps it on the plan, and the daemon stores what is heard there.

import { button, element, set, setText, shape, show } from "./dom.js";
import { Floors } from "./floors.js";
import { isFlipped, rectangle, surrounding } from "./geometry.js";
import { Form } from "./people-forms.js";
import { ListPart } from "./people-list.js";
import { ask, clip, learn, part, say, sentence, tell, when } from "./people.js";

/** So long a point is measured, seconds. */
const SECONDS = 20;
/** Around the plan, metres. */
const EDGE = 0.5;
/** Of a point, metres. */
const RADIUS = 0.15;
/** The height of the plan, and letters of its names: the largest and the smallest, pixels. */
const HEIGHT = 320;
const LETTERS = [14, 12, 10, 9];
/** The width of the page until it is laid out, pixels. */
const WIDTH = 640;

const metres = value => Math.round(value * 100) / 100;

const canvas = document.createElement("canvas").getContext("2d");

/** The width of a text with letters of one metre. */
function widthOf(text) {
	canvas.font = "600 100px sans-serif";
	return canvas.measureText(text).width / 100;
}

/** A free place for a name in a room, where it covers none of these points: its lower left end, and the size of its letters; null if there is none. */
export function nameIn(room, name, points, sizes) {
	for (const size of sizes) {
		const [width, height, gap] = [widthOf(name) * size, size * 1.2, size * 0.3];
		if (width + 2 * gap > room.width || height + gap > room.height) continue;
		const rows = Math.max(1, Math.floor((room.height - gap) / height));
		const ys = Array.from({ length: rows }, (none, index) => room.y + gap / 2 + index * (room.height - gap - height) / Math.max(rows - 1, 1));
		for (const y of ys) for (const x of [room.x + gap, room.x + (room.width - width) / 2, room.x + room.width - gap - width]) {
			const covers = point => point.x > x - RADIUS - gap / 2 && point.x < x + width + RADIUS + gap / 2 &&
				point.y > y - RADIUS && point.y < y + height + RADIUS;
			if (!points.some(covers)) return { x, y: y + size * 0.95, size };
		}
	}
	return null;
}

/** The plan of a floor with the points, for taps. */
class Plan {
	constructor({ zones, perimeter, flipped, pick }) {
		Object.assign(this, { zones, perimeter, flipped, pick, floor: 0, points: [], chosen: null });
		this.floors = new Floors(zones);
		this.rooms = shape("g", { fill: "none", stroke: "currentColor", "stroke-width": 0.05 });
		this.names = shape("g", { fill: "currentColor", "font-family": "sans-serif", "font-weight": 600, opacity: 0.75, "pointer-events": "none",
			"text-rendering": "geometricPrecision" });
		this.marks = shape("g", { fill: "currentColor" });
		this.spot = shape("circle", { r: 0.3, fill: "none", stroke: "currentColor", "stroke-width": 0.12, visibility: "hidden" });
		this.svg = shape("svg", { width: "100%", height: HEIGHT, role: "img", "aria-label": say("Plan: tap where you stand"), click: event => this.tap(event) },
			this.rooms, this.names, this.marks, this.spot);
		this.node = element("div", {}, this.svg);
		// The letters are as large on the screen of a phone.
		if (window.ResizeObserver) new ResizeObserver(() => this.drawNames()).observe(this.svg);
	}

	draw() {
		const shown = this.zones.filter(zone => rectangle(zone.perimeter) && (this.floors.count < 2 || this.floors.of(zone) === this.floor));
		this.shown = shown;
		const boxes = shown.map(zone => rectangle(zone.perimeter));
		const whole = rectangle(this.perimeter);
		const box = surrounding(whole ? boxes.concat(whole) : boxes, this.points);
		show(this.node, box);
		this.box = box;
		if (!box) return;
		const height = box.height + 2 * EDGE;
		// Points are seen as the map of the kiosk page has them: y goes up, unless the place says otherwise.
		this.top = this.flipped ? box.y - EDGE : -(box.y + box.height) - EDGE;
		set(this.svg, { viewBox: [box.x - EDGE, this.top, box.width + 2 * EDGE, height].join(" ") });
		this.rooms.textContent = "";
		for (const one of boxes) this.rooms.appendChild(shape("rect", this.seen(one)));
		this.marks.textContent = "";
		for (const point of this.pointsHere) {
			this.marks.appendChild(shape("circle", { cx: point.x, cy: this.flipped ? point.y : -point.y, r: RADIUS }, shape("title", { text: point.name })));
		}
		set(this.spot, { visibility: this.chosen ? "visible" : "hidden" });
		if (this.chosen) set(this.spot, { cx: this.chosen.x, cy: this.flipped ? this.chosen.y : -this.chosen.y });
		this.drawNames();
	}

	get pointsHere() { return this.points.filter(one => this.floors.count < 2 || one.floor === this.floor); }

	/** A box of the plan as it is drawn. */
	seen({ x, y, width, height }) { return { x, y: this.flipped ? y : -y - height, width, height }; }

	/** Writes the names of the rooms where there is no point. */
	drawNames() {
		this.names.textContent = "";
		if (!this.box) return;
		const width = this.svg.getBoundingClientRect().width || WIDTH;
		const metre = Math.min(HEIGHT / (this.box.height + 2 * EDGE), width / (this.box.width + 2 * EDGE));
		const sizes = LETTERS.map(letter => letter / metre);
		const points = this.pointsHere.concat(this.chosen || []).map(one => ({ x: one.x, y: this.flipped ? one.y : -one.y }));
		for (const zone of this.shown) {
			const name = clip(zone.name || zone.slug, 60);
			const place = nameIn(this.seen(rectangle(zone.perimeter)), name, points, sizes);
			if (place) this.names.appendChild(shape("text", { x: place.x, y: place.y, "font-size": place.size, text: name }));
		}
	}

	tap(event) {
		const matrix = this.svg.getScreenCTM();
		if (!matrix) return;
		const at = this.svg.createSVGPoint();
		[at.x, at.y] = [event.clientX, event.clientY];
		const found = at.matrixTransform(matrix.inverse());
		this.choose({ x: metres(found.x), y: metres(this.flipped ? found.y : -found.y) });
		this.pick(this.chosen);
	}

	choose(point) {
		this.chosen = point;
		this.draw();
	}
}

/** Measures a point, and says how far it is. */
async function measure(body, status) {
	const timer = setInterval(async () => {
		const now = await ask("GET", "survey/measurement").catch(() => null);
		if (now && now.seconds) setText(status, say("{0} of {1} s: {2} beacons, {3} packets", now.elapsed, now.seconds, now.beacons, now.packets));
	}, 1000);
	try {
		return await ask("POST", "survey/points", body);
	} finally {
		clearInterval(timer);
		setText(status, "");
	}
}

const REFUSED = ["doubtful", "elsewhere"];

const rows = nameOf => point => {
	return {
		name: point.name,
		facts: [
			"x " + metres(point.x) + ", y " + metres(point.y) + (nameOf ? " · " + nameOf(point.floor) : ""),
			[say("{0} beacons", point.beacons), when(point.taken_at), point.receiver].filter(Boolean).join(" · ")
		],
		actions: [{
			label: say("Remove"), question: say("Remove the point {0}?", point.name), done: say("The point is removed."),
			act: () => ask("DELETE", "survey/points/" + part(point.id))
		}]
	};
};

/** The part about the survey of the place in which the daemon is. */
export async function surveyParts({ current }) {
	const [zones, environment] = await Promise.all([
		ask("GET", "zones").catch(() => []), current ? ask("GET", "environments/" + part(current)).catch(() => null) : null,
		learn(() => import("./survey-german.js"))
	]);
	const place = environment || {};
	let refused = null;
	const plan = new Plan({
		zones: (zones || []).filter(zone => !current || zone.environment === current), perimeter: place.perimeter, flipped: isFlipped(place),
		pick: ({ x, y }) => {
			form.controls.get("x").node.value = x;
			form.controls.get("y").node.value = y;
			form.focus("name");
		}
	});
	const { count } = plan.floors;
	const nameOf = floor => say("floor {0}", plan.floors.number(floor));
	const floors = Array.from({ length: count }, (none, index) => [index, nameOf(index)]);
	const number = (name, label) => ({ name, label, type: "number", step: "any", required: true });
	const status = element("p", { role: "status" });
	const form = new Form({
		label: say("Measure a point"), isWide: true, submit: say("Measure here"),
		fields: [
			{ name: "name", label: say("Name of the point"), required: true, maxlength: 64 }, number("x", say("x (m)")), number("y", say("y (m)")),
			...(count > 1 ? [{ name: "floor", label: say("Floor"), type: "select", options: floors }] : [])
		],
		send: async values => {
			const body = { name: values.name, x: Number(values.x), y: Number(values.y), seconds: SECONDS };
			if (values.floor !== undefined) body.floor = Number(values.floor);
			// Who measures the same again is right.
			if (refused && refused.name === body.name && refused.x === body.x && refused.y === body.y) body.accept = true;
			setText(status, say("Stand still for {0} seconds.", SECONDS));
			const answer = await measure(body, status);
			refused = REFUSED.indexOf(answer.reason) >= 0 ? body : null;
			if (!answer.stored) throw new Error(sentence(answer.message));
			return answer;
		},
		done: async answer => {
			tell(sentence(answer.message));
			plan.choose(null);
			await list.refresh();
		}
	});
	form.node.addEventListener("change", () => {
		const values = form.read();
		if (values.floor !== undefined) plan.floor = Number(values.floor);
		plan.draw();
	});
	const all = button({ class: "button risky", hidden: true, text: say("Remove all points") }, async () => {
		if (!window.confirm(say("Remove all points of this place?"))) return;
		try { await ask("DELETE", "survey/points"); } catch (error) { tell(error.message); }
		await list.refresh();
	});
	const list = new ListPart({
		title: say("Survey"),
		note: say("Stand at a point with the device, tap it on the plan, and stand still for 20 seconds. From three points on, positions become more exact; eight to ten give most of it."),
		before: element("div", {}, plan.node, form.node, status), empty: say("There are no points."), keyOf: point => point.id, row: rows(count > 1 && nameOf),
		load: async () => {
			const survey = await ask("GET", "survey");
			const problems = (survey.receivers || []).map(one => one.problem).filter(Boolean);
			if (problems.length) tell(sentence(problems[0]));
			return survey.points;
		},
		loaded: points => {
			plan.points = points;
			plan.draw();
			show(all, points.length > 1);
		}
	});
	list.node.appendChild(element("div", { class: "buttons" }, all));
	return [list];
}
