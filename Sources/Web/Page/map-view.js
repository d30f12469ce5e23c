// The map: zones, things in their colours, and the device with its accuracy and heading.

import { arrange, button, element, reuse, set, setText, shape, show } from "./dom.js";
import { isFlipped, isPoint, northOf, rectangle, surrounding } from "./geometry.js";
import { drawLabels } from "./labels.js";
import { nameOf, say } from "./text.js";
import { mark } from "./compass-view.js";
import { Roving } from "./roving.js";
import { SelectionBar } from "./selection-bar.js";
import { Zoom } from "./zoom.js";

const REACH = 30;
// Room for the buttons beside or below the plan.
const TOOLS = 60;

export class MapView {
	constructor(app, section) {
		this.app = app;
		this.zoneNodes = new Map();
		this.thingNodes = new Map();
		this.places = [];
		this.perimeter = shape("rect", { class: "perimeter" });
		this.zones = shape("g");
		this.accuracy = shape("circle", { class: "accuracy" });
		this.line = shape("line", { class: "near-line" });
		this.things = shape("g");
		this.labels = shape("g", { "aria-hidden": "true" });
		this.cone = shape("path", { class: "cone", d: "M0 0L-13 -30A33 33 0 0 1 13 -30Z" });
		this.device = shape("g", { class: "device" }, this.cone, shape("circle", { r: 10 }));
		this.svg = shape("svg", { class: "plan", role: "group" }, this.perimeter, this.zones, this.accuracy, this.line,
			this.things, this.labels, this.device);
		this.svg.addEventListener("click", event => this.tap(event));
		this.roving = new Roving(this.svg, node => app.select(node.dataset.id));
		this.zoom = new Zoom(this.svg, () => app.redraw());
		this.note = element("p", { class: "empty" });
		const tool = (text, label, action) => button({ class: "button tool", "aria-label": say(label), text }, action);
		this.stage = element("div", { class: "stage card" }, this.svg, this.note, element("div", { class: "tools" },
			tool("+", "Zoom in", () => this.zoom.by(1.5)), tool("−", "Zoom out", () => this.zoom.by(1 / 1.5)),
			tool("⤢", "Whole map", () => this.zoom.reset())));
		this.bar = new SelectionBar(app);
		section.appendChild(this.stage);
		section.appendChild(this.bar.node);
	}

	resize() {
		this.width = this.stage.clientWidth;
		this.height = this.stage.clientHeight;
		set(this.svg, { viewBox: "0 0 " + this.width + " " + this.height });
		this.zoom.resize(this.width, this.height);
	}

	update() {
		const { environment, isLoaded } = this.app.model;
		set(this.svg, { "aria-label": environment ? say("Map of ") + nameOf(environment) : say("Map") });
		this.fit(environment, isLoaded);
		setText(this.note, !environment ? say("No place is loaded") : this.plan || !isLoaded ? "" : say("This place has no plan"));
		show(this.note, this.note.textContent);
		show(this.svg, this.plan);
		this.bar.update();
		if (!this.plan) return;
		this.drawZones(environment);
		this.drawThings();
		drawLabels(this);
		this.frame();
	}

	/** What is to be seen, the perimeter or else all that has a place, and how large it is drawn. */
	fit(environment, isLoaded) {
		const { here, device } = this.app.model;
		const plan = this.plan = !environment || !isLoaded ? null : rectangle(environment.perimeter) || surrounding(
			here.zones.map(zone => rectangle(zone.perimeter)), here.things.concat(device || []).map(one => one.position));
		this.isDown = isFlipped(environment);
		if (!plan) return;
		const margin = Math.min(26, this.width / 14, this.height / 14);
		const unit = (right, below) => Math.min((this.width - 2 * margin - right) / plan.width,
			(this.height - 2 * margin - below) / plan.height);
		const beside = unit(TOOLS, 0);
		const above = unit(0, TOOLS);
		this.unit = Math.max(beside, above, 0.001);
		this.middle = [(this.width - (beside >= above ? TOOLS : 0)) / 2, (this.height - (beside >= above ? 0 : TOOLS)) / 2];
		this.stage.classList.toggle("tools-beside", beside >= above);
	}

	/** A point of the plan on the screen. */
	at(point) {
		const { plan, zoom, unit, middle } = this;
		const up = (point.y - plan.y - plan.height / 2) * unit;
		const right = (point.x - plan.x - plan.width / 2) * unit;
		return [(middle[0] + right) * zoom.scale + zoom.x, (middle[1] + (this.isDown ? up : -up)) * zoom.scale + zoom.y];
	}

	/** Draws a box of the plan. Returns it as it is on the screen. */
	drawBox(node, box, inset) {
		const a = this.at(box);
		const b = this.at({ x: box.x + box.width, y: box.y + box.height });
		const place = {
			x: Math.min(a[0], b[0]) + inset, y: Math.min(a[1], b[1]) + inset,
			width: Math.max(Math.abs(a[0] - b[0]) - 2 * inset, 0), height: Math.max(Math.abs(a[1] - b[1]) - 2 * inset, 0)
		};
		set(node, place);
		return place;
	}

	drawZones(environment) {
		const { here, zone: current } = this.app.model;
		show(this.perimeter, rectangle(environment.perimeter));
		this.drawBox(this.perimeter, this.plan, 0);
		const zones = here.zones.filter(zone => rectangle(zone.perimeter));
		const nodes = reuse(this.zoneNodes, zones.map(zone => zone.id), () => shape("rect"));
		this.zonePlaces = zones.map((zone, index) => {
			set(nodes[index], { class: current && current.id === zone.id ? "zone current" : "zone" });
			return { zone, box: this.drawBox(nodes[index], rectangle(zone.perimeter), 2) };
		});
		arrange(this.zones, nodes);
	}

	drawThings() {
		const { model } = this.app;
		const things = model.here.things.filter(thing => isPoint(thing.position));
		this.dotSize = things.length > 60 && this.zoom.scale < 2 ? 7 : 10;
		const nodes = reuse(this.thingNodes, things.map(thing => thing.id), id =>
			shape("g", { class: "mark", role: "button", "data-id": id },
				shape("circle", { class: "halo" }), shape("circle"), shape("circle", { class: "hole" })));
		this.places = things.map((thing, index) => {
			const node = nodes[index];
			const [x, y] = this.at(thing.position);
			mark(node, thing, model);
			set(node, { transform: "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ")" });
			[1.6, 1, 0.5].forEach((size, ring) => set(node.children[ring], { r: this.dotSize * size }));
			const far = model.distanceTo(thing);
			return { thing, node, x, y, far: far === null ? Infinity : far };
		});
		arrange(this.things, nodes);
		this.places.sort((a, b) => (a.far === b.far ? 0 : a.far - b.far));
		this.roving.update(this.places.map(place => place.node), this.thingNodes.get(model.selectedID));
	}

	/** Draws the device where it is at this moment. */
	frame() {
		const { model, motion } = this.app;
		const { device, nearby } = model;
		const isSeen = this.plan && motion.position && device;
		const hasLine = isSeen && nearby && isPoint(nearby.position);
		for (const node of [this.device, this.accuracy]) show(node, isSeen);
		show(this.line, hasLine);
		if (!isSeen) return;
		const [x, y] = this.at(motion.position);
		const transform = "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ")";
		set(this.device, { transform });
		const metres = device.accuracy_m > 0 ? device.accuracy_m : 0;
		set(this.accuracy, { transform, r: Math.min(metres * this.unit * this.zoom.scale, 4000).toFixed(1) });
		show(this.cone, motion.angle !== null);
		set(this.cone, { transform: "rotate(" + (motion.angle - northOf(model.environment)).toFixed(1) + ")" });
		if (!hasLine) return;
		const [x2, y2] = this.at(nearby.position);
		set(this.line, { x1: x.toFixed(1), y1: y.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1) });
	}

	tap(event) {
		if (this.zoom.wasDragged) return;
		const box = this.svg.getBoundingClientRect();
		const away = place => Math.hypot(place.x - event.clientX + box.left, place.y - event.clientY + box.top);
		const best = this.places.reduce((a, b) => (a && away(a) <= away(b) ? a : b), null);
		if (best && away(best) <= REACH) this.app.select(best.thing.id);
	}
}
