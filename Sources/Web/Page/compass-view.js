// The compass: a ring with a fin towards each thing of the zone, turned by the device's heading, and their names beside it.

import { arrange, button, element, reuse, set, setText, shape, show } from "./dom.js";
import { drawBadge, look, makeBadge, paint, title } from "./appearance.js";
import { finWidth, positive, sector, turn } from "./geometry.js";
import { metres, nameOf, say, whereabouts } from "./text.js";
import { settle } from "./list-view.js";
import { Roving } from "./roving.js";
import { SelectionBar } from "./selection-bar.js";

const OUTER = 92;
const INNER = 82;
const INNER_NEARBY = 72;
const WINDS = ["N", "E", "S", "W"];
const WIND_RADIUS = 64;
// Half a finger, in CSS pixels.
const REACH = 24;
// Pixels of the smallest ring with words in it.
const LEAST = 240;
// Names beside the ring, the nearest ones.
const MOST_NAMES = 40;
// A thing passes another one in the legend only when it is so much nearer.
const MARGIN = 0.2;

export class CompassView {
	constructor(app, section) {
		this.app = app;
		this.nodes = new Map();
		this.entries = new Map();
		this.fins = [];
		this.order = [];
		this.winds = WINDS.map((letter, index) => shape("text", { class: index ? "wind" : "wind north", dy: ".36em", text: say(letter) }));
		this.group = shape("g");
		this.ticks = shape("circle", { class: "ticks", r: 77 });
		this.ahead = shape("path", { class: "ahead", d: "M0 -91L-5 -99.5H5Z" });
		this.svg = shape("svg", { viewBox: "-100 -100 200 200", role: "group", "aria-label": say("Things around this device") },
			shape("g", { "aria-hidden": "true" }, shape("circle", { class: "disc", r: INNER }),
				shape("circle", { class: "ring", r: (OUTER + INNER) / 2 }), this.ticks, ...this.winds),
			this.group, this.ahead);
		this.svg.addEventListener("click", event => this.tap(event));
		this.roving = new Roving(this.svg, node => app.select(node.dataset.id));
		this.name = element("p", { class: "centre-name" });
		this.far = element("p", { class: "centre-far" });
		this.where = element("p");
		this.dial = element("div", { class: "dial" }, this.svg,
			element("div", { class: "centre" }, this.name, this.far, this.where));
		this.stage = element("div", { class: "stage" }, this.dial);
		this.legend = element("ul", { class: "legend", "aria-label": say("Things around this device") });
		this.bar = new SelectionBar(app);
		section.appendChild(element("div", { class: "around" }, this.stage, this.legend));
		section.appendChild(this.bar.node);
	}

	resize() {
		const size = Math.floor(Math.min(this.stage.clientWidth, this.stage.clientHeight));
		this.dial.style.width = this.dial.style.height = size + "px";
		// A small ring has room for the distance only, in letters that can be read.
		this.dial.style.setProperty("--ring", Math.max(size, LEAST) + "px");
		this.dial.classList.toggle("small", size < LEAST);
	}

	update() {
		const { model, profiles } = this.app;
		// The farthest first, so that nearer ones lie on top.
		this.fins = model.thingsOfZone.map(thing => ({ thing, far: model.distanceTo(thing) }))
			.filter(fin => fin.far > 0).sort((a, b) => b.far - a.far);
		const nodes = reuse(this.nodes, this.fins.map(fin => fin.thing.id), id =>
			shape("path", { class: "fin", role: "button", "data-id": id }));
		this.fins.forEach((fin, index) => {
			fin.node = nodes[index];
			fin.isNearby = model.isNearby(fin.thing);
			mark(fin.node, fin.thing, model, profiles);
		});
		arrange(this.group, nodes);
		this.roving.update(nodes.slice().reverse(), this.nodes.get(model.selectedID));
		this.drawLegend();
		this.bar.update();
		this.frame();
	}

	/** The names of what is around, nearest first, each with the way to it. */
	drawLegend() {
		const { model, profiles } = this.app;
		const byID = new Map(this.fins.map(fin => [fin.thing.id, fin]));
		const known = this.order.filter(id => byID.has(id));
		this.order = known.concat(Array.from(byID.keys()).reverse().filter(id => known.indexOf(id) < 0));
		settle(this.order, id => byID.get(id).far, known.length ? MARGIN : 0);
		const shown = this.order.slice(0, MOST_NAMES).map(id => byID.get(id));
		const entries = reuse(this.entries, shown.map(fin => fin.thing.id), id => this.makeEntry(id));
		shown.forEach((fin, index) => {
			const entry = fin.entry = entries[index];
			const [badge, text, far] = entry.firstChild.children;
			drawBadge(badge, profiles, fin.thing);
			setText(text.firstChild, nameOf(fin.thing));
			setText(text.lastChild, look(profiles, fin.thing).summary);
			setText(far.lastChild, metres(fin.far));
			set(entry.firstChild, { "aria-pressed": String(model.isSelected(fin.thing)) });
		});
		arrange(this.legend, entries);
		show(this.legend, entries.length);
	}

	makeEntry(id) {
		const way = shape("svg", { viewBox: "-12 -12 24 24", class: "way", "aria-hidden": "true" }, shape("path", { d: "M0 -10L7 9L0 5L-7 9Z" }));
		return element("li", null, button({ class: "row", "data-id": id }, () => this.app.select(id), makeBadge(),
			element("span", { class: "row-text" }, element("span", { class: "row-name" }), element("span", { class: "row-facts" })),
			element("span", { class: "row-far" }, way, element("span"))));
	}

	/** Draws the fins as they are seen at this moment. */
	frame() {
		const { model, motion } = this.app;
		const heading = motion.angle || 0;
		for (const node of [this.group, this.ticks]) set(node, { transform: "rotate(" + (-heading).toFixed(2) + ")" });
		// Without a heading north is on top, and nobody knows what is ahead.
		show(this.ahead, motion.angle !== null);
		this.winds.forEach((node, index) => {
			const angle = (index * 90 - heading) * Math.PI / 180;
			set(node, { x: (Math.sin(angle) * WIND_RADIUS).toFixed(1), y: (-Math.cos(angle) * WIND_RADIUS).toFixed(1) });
		});
		for (const fin of this.fins) {
			const far = model.distanceTo(fin.thing, motion.position);
			fin.bearing = model.bearingTo(fin.thing, motion.position);
			fin.width = finWidth(far);
			const d = fin.bearing === null ? "" : sector(fin.bearing, fin.width, fin.isNearby ? INNER_NEARBY : INNER, OUTER);
			if (fin.node.drawn !== d) fin.node.setAttribute("d", fin.node.drawn = d);
			if (!fin.entry) continue;
			const way = fin.entry.firstChild.lastChild.firstChild;
			show(way, fin.bearing !== null);
			set(way.firstChild, { transform: "rotate(" + Math.round(fin.bearing - heading) + ")" });
		}
		const thing = model.selected;
		const far = thing ? metres(model.distanceTo(thing, motion.position)) : "";
		setText(this.name, thing ? nameOf(thing)
			: say(model.hides("zone") ? "You may not see where this device is." : model.zone ? "Nothing is near" : "In no zone"));
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
export function mark(node, thing, model, profiles) {
	const isSelected = model.isSelected(thing);
	paint(node, look(profiles, thing));
	node.classList.toggle("selected", isSelected);
	node.classList.toggle("nearby", model.isNearby(thing));
	set(node, { "aria-label": title(profiles, thing), "aria-pressed": String(isSelected) });
}
