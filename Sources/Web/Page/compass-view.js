// The compass: a ring with a fin towards each thing of the zone, turned by the device's heading.

import { arrange, element, reuse, set, setText, shape, show } from "./dom.js";
import { finWidth, positive, sector, turn } from "./geometry.js";
import { metres, nameOf, say, title, whereabouts } from "./text.js";
import { Roving } from "./roving.js";
import { paint, SelectionBar } from "./selection-bar.js";

const OUTER = 92;
const INNER = 82;
const INNER_NEARBY = 72;
// Half a finger, in CSS pixels.
const REACH = 24;

export class CompassView {
	constructor(app, section) {
		this.app = app;
		this.nodes = new Map();
		this.fins = [];
		this.rose = shape("g", { "aria-hidden": "true" }, shape("circle", { class: "ring", r: (OUTER + INNER) / 2 }));
		["N", "E", "S", "W"].forEach((letter, index) => this.rose.appendChild(shape("text", {
			class: index ? "wind" : "wind north", y: -61.5, transform: "rotate(" + index * 90 + ")", text: say(letter)
		})));
		this.group = shape("g");
		this.svg = shape("svg", { viewBox: "-100 -100 200 200", role: "group", "aria-label": say("Things around this device") },
			this.rose, this.group, shape("path", { class: "ahead", d: "M0 -91L-5 -99.5H5Z" }));
		this.svg.addEventListener("click", event => this.tap(event));
		this.roving = new Roving(this.svg, node => app.select(node.dataset.id));
		this.name = element("p", { class: "centre-name" });
		this.far = element("p", { class: "centre-far" });
		this.where = element("p");
		this.dial = element("div", { class: "dial" }, this.svg,
			element("div", { class: "centre" }, this.name, this.far, this.where));
		this.stage = element("div", { class: "stage" }, this.dial);
		this.bar = new SelectionBar(app);
		section.appendChild(this.stage);
		section.appendChild(this.bar.node);
	}

	resize() {
		const size = Math.floor(Math.min(this.stage.clientWidth, this.stage.clientHeight)) + "px";
		this.dial.style.width = this.dial.style.height = size;
		this.dial.style.setProperty("--ring", size);
	}

	update() {
		const { model } = this.app;
		// The farthest first, so that nearer ones lie on top.
		this.fins = model.thingsOfZone.map(thing => ({ thing, far: model.distanceTo(thing) }))
			.filter(fin => fin.far > 0).sort((a, b) => b.far - a.far);
		const nodes = reuse(this.nodes, this.fins.map(fin => fin.thing.id), id =>
			shape("path", { class: "fin", role: "button", "data-id": id }));
		this.fins.forEach((fin, index) => {
			fin.node = nodes[index];
			fin.isNearby = model.isNearby(fin.thing);
			mark(fin.node, fin.thing, model);
		});
		arrange(this.group, nodes);
		this.roving.update(nodes.slice().reverse(), this.nodes.get(model.selectedID));
		this.bar.update();
		this.frame();
	}

	/** Draws the fins as they are seen at this moment. */
	frame() {
		const { model, motion } = this.app;
		const transform = "rotate(" + (-motion.angle || 0).toFixed(2) + ")";
		set(this.rose, { transform });
		set(this.group, { transform });
		for (const fin of this.fins) {
			const far = model.distanceTo(fin.thing, motion.position);
			fin.bearing = model.bearingTo(fin.thing, motion.position);
			fin.width = finWidth(far);
			const d = fin.bearing === null ? "" : sector(fin.bearing, fin.width, fin.isNearby ? INNER_NEARBY : INNER, OUTER);
			if (fin.node.drawn !== d) fin.node.setAttribute("d", fin.node.drawn = d);
		}
		const thing = model.selected;
		const far = thing ? metres(model.distanceTo(thing, motion.position)) : "";
		setText(this.name, thing ? nameOf(thing)
			: say(model.zone ? "Nothing is near" : model.environment ? "In no zone" : "No place is loaded"));
		setText(this.far, far);
		show(this.far, far);
		setText(this.where, thing ? whereabouts(model.bearingTo(thing, motion.position), motion.angle) : "");
	}

	tap(event) {
		const box = this.svg.getBoundingClientRect();
		const x = (event.clientX - box.left) / box.width * 200 - 100;
		const y = (event.clientY - box.top) / box.height * 200 - 100;
		const radius = Math.hypot(x, y);
		if (radius < 52 || radius > 106) return;
		const angle = positive(Math.atan2(x, -y) * 180 / Math.PI + (this.app.motion.angle || 0));
		// A finger is wider than the fin of a far thing.
		const reach = REACH / (box.width / 200 * INNER) * 180 / Math.PI;
		let best = null;
		for (const fin of this.fins) {
			if (fin.bearing === null) continue;
			const beside = Math.max(0, Math.abs(turn(fin.bearing, angle)) - fin.width / 2);
			// Where fins overlap, the nearer one lies on top.
			if (beside <= reach && (!best || beside <= best.beside)) best = { beside, fin };
		}
		if (best) this.app.select(best.fin.thing.id);
	}
}

/** What a thing's mark shows and says, on the compass and on the map. */
export function mark(node, thing, model) {
	const isSelected = model.isSelected(thing);
	paint(node, thing);
	node.classList.toggle("selected", isSelected);
	node.classList.toggle("nearby", model.isNearby(thing));
	set(node, { "aria-label": title(thing), "aria-pressed": String(isSelected) });
}
