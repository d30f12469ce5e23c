// The survey: who stands at a known point taps it on the plan, and the daemon stores what is heard there.

import { button, element, set, setText, shape, show } from "./dom.js";
import { Floors } from "./floors.js";
import { isFlipped, rectangle, surrounding } from "./geometry.js";
import { Form } from "./people-forms.js";
import { ListPart } from "./people-list.js";
import { ask, learn, part, say, sentence, tell, when } from "./people.js";

/** So long a point is measured, seconds. */
const SECONDS = 20;
/** Around the plan, metres. */
const EDGE = 0.5;

const metres = value => Math.round(value * 100) / 100;

/** The plan of a floor with the points, for taps. */
class Plan {
	constructor({ zones, perimeter, flipped, pick }) {
		Object.assign(this, { zones, perimeter, flipped, pick, floor: 0, points: [], chosen: null });
		this.floors = new Floors(zones);
		this.rooms = shape("g", { fill: "none", stroke: "currentColor", "stroke-width": 0.05 });
		this.marks = shape("g", { fill: "currentColor" });
		this.spot = shape("circle", { r: 0.3, fill: "none", stroke: "currentColor", "stroke-width": 0.12, visibility: "hidden" });
		this.svg = shape("svg", { width: "100%", height: 320, role: "img", "aria-label": say("Plan: tap where you stand"), click: event => this.tap(event) },
			this.rooms, this.marks, this.spot);
		this.node = element("div", {}, this.svg);
	}

	draw() {
		const shown = this.zones.filter(zone => rectangle(zone.perimeter) && (this.floors.count < 2 || this.floors.of(zone) === this.floor));
		const boxes = shown.map(zone => rectangle(zone.perimeter));
		const whole = rectangle(this.perimeter);
		const box = surrounding(whole ? boxes.concat(whole) : boxes, this.points);
		show(this.node, box);
		if (!box) return;
		const height = box.height + 2 * EDGE;
		// Points are seen as the map of the kiosk page has them: y goes up, unless the place says otherwise.
		this.top = this.flipped ? box.y - EDGE : -(box.y + box.height) - EDGE;
		set(this.svg, { viewBox: [box.x - EDGE, this.top, box.width + 2 * EDGE, height].join(" ") });
		this.rooms.textContent = "";
		for (const one of boxes) this.rooms.appendChild(shape("rect", { x: one.x, y: this.flipped ? one.y : -one.y - one.height, width: one.width, height: one.height }));
		this.marks.textContent = "";
		for (const point of this.points.filter(one => this.floors.count < 2 || one.floor === this.floor)) {
			this.marks.appendChild(shape("circle", { cx: point.x, cy: this.flipped ? point.y : -point.y, r: 0.15 }, shape("title", { text: point.name })));
		}
		set(this.spot, { visibility: this.chosen ? "visible" : "hidden" });
		if (this.chosen) set(this.spot, { cx: this.chosen.x, cy: this.flipped ? this.chosen.y : -this.chosen.y });
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
		zones: zones || [], perimeter: place.perimeter, flipped: isFlipped(place),
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
