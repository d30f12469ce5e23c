// The map: zones, things in their colours, and the device with its accuracy and heading.

import { arrange, element, setAttribute, setShown, setText, shape } from "./dom.js";
import { isFlipped, isPoint, northOf, rectangle } from "./geometry.js";
import { fit, LabelPlacer, widthOf } from "./labels.js";
import { nameOf, summary } from "./text.js";
import { paint, SelectionBar } from "./selection-bar.js";
import { Zoom } from "./zoom.js";

const MARGIN = 26;
const REACH = 30;

export class MapView {
	constructor(app, section) {
		this.app = app;
		this.width = 0;
		this.height = 0;
		this.nodes = { zones: new Map(), things: new Map() };
		this.places = [];
		this.focusedID = null;

		this.perimeter = shape("rect", { class: "perimeter", "aria-hidden": "true" });
		this.zones = shape("g", { "aria-hidden": "true" });
		this.line = shape("line", { class: "near-line", "aria-hidden": "true" });
		this.things = shape("g", null);
		this.labels = shape("g", { "aria-hidden": "true" });
		this.accuracy = shape("circle", { class: "accuracy" });
		this.cone = shape("path", { class: "cone", d: "M0 0L-13 -30A33 33 0 0 1 13 -30Z" });
		this.device = shape("g", { class: "device-mark", "aria-hidden": "true" }, this.accuracy, this.cone,
			shape("circle", { class: "device-dot", r: 10 }));
		this.svg = shape("svg", { class: "plan", role: "group" },
			this.perimeter, this.zones, this.accuracy, this.line, this.things, this.labels, this.device);
		this.svg.addEventListener("click", event => this.tap(event));
		this.svg.addEventListener("keydown", event => this.key(event));
		this.note = element("p", { class: "empty" });
		this.stage = element("div", { class: "stage map-stage" }, this.svg, this.note, this.makeTools());
		this.bar = new SelectionBar(app);
		section.appendChild(this.stage);
		section.appendChild(this.bar.node);

		this.zoom = new Zoom(this.svg, () => {
			this.isMoved = true;
			app.redraw();
		});
	}

	makeTools() {
		const tool = (text, label, action) =>
			element("button", { type: "button", class: "tool", "aria-label": label, text, click: action });
		this.whole = tool("⤢", "Whole map", () => this.zoom.reset());
		return element("div", { class: "tools", role: "group", "aria-label": "Zoom" },
			tool("+", "Zoom in", () => this.zoom.by(1.5)), tool("−", "Zoom out", () => this.zoom.by(1 / 1.5)), this.whole);
	}

	resize() {
		const width = this.stage.clientWidth;
		const height = this.stage.clientHeight;
		if (!width || !height || (width === this.width && height === this.height)) return;
		this.width = width;
		this.height = height;
		this.svg.setAttribute("viewBox", "0 0 " + width + " " + height);
		this.zoom.resize(width, height);
		this.isMoved = true;
	}

	update() {
		const { model } = this.app;
		const environment = model.environment;
		setAttribute(this.svg, "aria-label", environment ? "Map of " + nameOf(environment) : "Map");
		this.fitPlan(environment);
		const text = !environment ? "No place is loaded" : this.plan || !model.isLoaded ? "" : "This place has no plan";
		setText(this.note, text);
		setShown(this.note, Boolean(text));
		this.drawZones();
		this.drawThings();
		this.drawLabels();
		this.setTabStop();
		this.bar.update();
		this.frame();
	}

	/** What is to be seen: the perimeter, or else everything that has a place. */
	fitPlan(environment) {
		const { here, device } = this.app.model;
		this.bounds = environment ? rectangle(environment.perimeter) : null;
		let plan = this.bounds;
		if (!plan && this.app.model.isLoaded && environment) {
			const xs = [];
			const ys = [];
			const add = (x, y) => { xs.push(x); ys.push(y); };
			for (const zone of here.zones) {
				const box = rectangle(zone.perimeter);
				if (box) { add(box.x, box.y); add(box.x + box.width, box.y + box.height); }
			}
			for (const thing of here.things) if (isPoint(thing.position)) add(thing.position.x, thing.position.y);
			if (device && isPoint(device.position)) add(device.position.x, device.position.y);
			if (xs.length) {
				const low = values => values.reduce((a, b) => Math.min(a, b));
				const high = values => values.reduce((a, b) => Math.max(a, b));
				plan = { x: low(xs) - 0.5, y: low(ys) - 0.5, width: high(xs) - low(xs) + 1, height: high(ys) - low(ys) + 1 };
			}
		}
		this.plan = plan;
		this.isDown = isFlipped(environment);
		const margin = Math.min(MARGIN, this.width / 14, this.height / 14);
		this.unit = plan ? Math.min((this.width - 2 * margin) / plan.width, (this.height - 2 * margin) / plan.height) : 1;
	}

	/** A point of the plan on the screen. */
	at(point) {
		const plan = this.plan;
		const up = point.y - plan.y - plan.height / 2;
		return [
			(this.width / 2 + (point.x - plan.x - plan.width / 2) * this.unit) * this.zoom.scale + this.zoom.x,
			(this.height / 2 + (this.isDown ? up : -up) * this.unit) * this.zoom.scale + this.zoom.y
		];
	}

	boxAt(box) {
		const a = this.at(box);
		const b = this.at({ x: box.x + box.width, y: box.y + box.height });
		return { x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]), width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) };
	}

	drawZones() {
		const { here, zone: current } = this.app.model;
		setShown(this.svg, Boolean(this.plan));
		drawBox(this.perimeter, this.bounds && this.boxAt(this.bounds), 0);
		this.zonePlaces = [];
		if (!this.plan) return;
		for (const zone of here.zones) {
			const box = rectangle(zone.perimeter);
			if (!box) continue;
			const node = keep(this.nodes.zones, zone.id, () => shape("rect", { class: "zone" }));
			const place = this.boxAt(box);
			node.classList.toggle("current", Boolean(current && current.id === zone.id));
			drawBox(node, place, 2);
			this.zonePlaces.push({ zone, node, place });
		}
		this.zonePlaces.sort((a, b) => b.place.width * b.place.height - a.place.width * a.place.height);
		forget(this.nodes.zones, this.zonePlaces.map(item => item.zone.id));
		arrange(this.zones, this.zonePlaces.map(item => item.node));
	}

	drawThings() {
		const { model, motion } = this.app;
		const { here, nearby, selected } = model;
		this.places = [];
		if (this.plan) for (const thing of here.things) {
			if (!isPoint(thing.position)) continue;
			const [x, y] = this.at(thing.position);
			this.places.push({ thing, x, y, far: model.distance(motion.goal("position"), thing) });
		}
		this.dotSize = this.places.length > 60 && this.zoom.scale < 2 ? 7 : 10;
		for (const place of this.places) {
			const thing = place.thing;
			const node = keep(this.nodes.things, thing.id, () => shape("g", {
				class: "mark", role: "button", tabindex: "-1"
			}, shape("circle", { class: "halo" }), shape("circle", { class: "mark-dot" })));
			place.node = node;
			place.isNearby = Boolean(nearby && nearby.id === thing.id);
			place.isSelected = Boolean(selected && selected.id === thing.id);
			paint(node, thing);
			node.classList.toggle("nearby", place.isNearby);
			node.classList.toggle("selected", place.isSelected);
			setAttribute(node, "transform", "translate(" + place.x.toFixed(1) + " " + place.y.toFixed(1) + ")");
			setAttribute(node.firstChild, "r", this.dotSize * 1.6);
			setAttribute(node.lastChild, "r", this.dotSize);
			setAttribute(node, "aria-label", [nameOf(thing), summary(thing)].filter(Boolean).join(", "));
			setAttribute(node, "aria-pressed", place.isSelected ? "true" : "false");
		}
		forget(this.nodes.things, this.places.map(place => place.thing.id));
		arrange(this.things, this.places.map(place => place.node));
		this.ordered = this.places.slice().sort((a, b) =>
			(a.far === null ? Infinity : a.far) - (b.far === null ? Infinity : b.far) || nameOf(a.thing).localeCompare(nameOf(b.thing)));
	}

	drawLabels() {
		const style = getComputedStyle(this.svg);
		const size = parseFloat(style.fontSize) || 16;
		const placer = new LabelPlacer(this.width, this.height);
		for (const place of this.places) placer.addDot(place.x, place.y, this.dotSize + 1);
		const { device } = this.app.model;
		const position = this.app.motion.goal("position");
		if (this.plan && position && !(device && device.moving)) {
			const [x, y] = this.at(position);
			placer.addDot(x, y, 12);
		}
		const texts = [];
		const write = (kind, box, height, text) => {
			const index = texts.length;
			const node = this.labels.children[index] || shape("text", null);
			setAttribute(node, "class", "label " + kind);
			setAttribute(node, "x", ((box.left + box.right) / 2).toFixed(1));
			setAttribute(node, "y", (box.top + height * 0.77).toFixed(1));
			setText(node, text);
			texts.push(node);
		};
		// The selected and the nearby thing have their names before all others; then zones, then what is near.
		const things = this.ordered.slice(0, 150);
		const first = things.filter(place => place.isSelected || place.isNearby);
		const thingFont = "600 " + size + "px " + style.fontFamily;
		const zoneFont = "600 " + size * 1.1 + "px " + style.fontFamily;
		const nameThing = place => {
			const text = fit(nameOf(place.thing), thingFont, Math.min(size * 11, this.width - 20));
			if (!text) return;
			const width = widthOf(text, thingFont) + 2;
			const height = size * 1.3;
			const gap = this.dotSize * 1.6 + 3;
			const box = placer.place([
				[place.x - width / 2, place.y - gap - height], [place.x - width / 2, place.y + gap],
				[place.x + gap, place.y - height / 2], [place.x - gap - width, place.y - height / 2]
			], width, height, false);
			if (box) write("thing-label" + (place.isSelected ? " selected" : ""), box, height, text);
		};
		for (const place of first) nameThing(place);
		for (const { zone, place } of this.zonePlaces || []) {
			const text = fit(nameOf(zone), zoneFont, place.width - 16);
			const height = size * 1.45;
			if (!text || place.height < height + 8) continue;
			const width = widthOf(text, zoneFont) + 2;
			const left = place.x + 9;
			const middle = place.x + (place.width - width) / 2;
			const right = place.x + place.width - 9 - width;
			const top = place.y + 6;
			const bottom = place.y + place.height - 6 - height;
			const box = placer.place([[left, top], [middle, top], [right, top], [left, bottom], [middle, bottom],
				[right, bottom], [middle, place.y + (place.height - height) / 2]], width, height, this.places.length > 60);
			if (box) write("zone-label", box, height, text);
		}
		for (const place of things) if (first.indexOf(place) < 0) nameThing(place);
		arrange(this.labels, texts);
	}

	/** Draws the device where it is at this moment. */
	frame() {
		if (this.isMoved) {
			this.isMoved = false;
			this.update();
			return;
		}
		const { model, motion } = this.app;
		const isSeen = Boolean(this.plan && motion.position && model.device);
		setAttribute(this.device, "display", isSeen ? null : "none");
		setAttribute(this.accuracy, "display", isSeen ? null : "none");
		const nearby = model.nearby;
		const hasLine = isSeen && Boolean(nearby) && isPoint(nearby.position);
		setAttribute(this.line, "display", hasLine ? null : "none");
		if (!isSeen) return;
		const [x, y] = this.at(motion.position);
		const to = "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ")";
		setAttribute(this.device, "transform", to);
		setAttribute(this.accuracy, "transform", to);
		const accuracy = model.device.accuracy_m;
		setAttribute(this.accuracy, "r", Number.isFinite(accuracy) && accuracy > 0
			? Math.min(accuracy * this.unit * this.zoom.scale, 4000).toFixed(1) : 0);
		setAttribute(this.cone, "display", motion.angle === null ? "none" : null);
		if (motion.angle !== null) {
			setAttribute(this.cone, "transform", "rotate(" + (motion.angle - northOf(model.environment)).toFixed(1) + ")");
		}
		if (hasLine) {
			const end = this.at(nearby.position);
			[["x1", x], ["y1", y], ["x2", end[0]], ["y2", end[1]]].forEach(([key, value]) =>
				setAttribute(this.line, key, value.toFixed(1)));
		}
	}

	// MARK: Selecting

	tap(event) {
		if (this.zoom.wasDragged) return;
		const box = this.svg.getBoundingClientRect();
		const x = event.clientX - box.left;
		const y = event.clientY - box.top;
		let best = null;
		for (const place of this.places) {
			const far = Math.hypot(place.x - x, place.y - y);
			if (far <= REACH && (!best || far < best.far)) best = { far, place };
		}
		if (best) this.app.select(best.place.thing.id);
	}

	key(event) {
		const index = (this.ordered || []).findIndex(place => place.node === document.activeElement);
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (event.key === "+" || event.key === "=") this.zoom.by(1.5);
		else if (event.key === "-") this.zoom.by(1 / 1.5);
		else if (event.key === "0") this.zoom.reset();
		else if (index >= 0 && step) {
			const place = this.ordered[Math.min(Math.max(index + step, 0), this.ordered.length - 1)];
			this.focusedID = place.thing.id;
			this.setTabStop();
			place.node.focus();
		} else if (index >= 0 && (event.key === "Enter" || event.key === " ")) {
			this.app.select(this.ordered[index].thing.id);
		} else return;
		event.preventDefault();
	}

	setTabStop() {
		const selected = this.app.model.selected;
		const nodes = this.nodes.things;
		const first = this.ordered && this.ordered[0];
		const id = [this.focusedID, selected && selected.id, first && first.thing.id].find(one => one && nodes.has(one));
		for (const [key, node] of nodes) setAttribute(node, "tabindex", key === id ? "0" : "-1");
	}
}

function drawBox(node, box, inset) {
	setAttribute(node, "display", box ? null : "none");
	if (!box) return;
	setAttribute(node, "x", (box.x + inset).toFixed(1));
	setAttribute(node, "y", (box.y + inset).toFixed(1));
	setAttribute(node, "width", Math.max(box.width - 2 * inset, 0).toFixed(1));
	setAttribute(node, "height", Math.max(box.height - 2 * inset, 0).toFixed(1));
}

function keep(nodes, id, make) {
	let node = nodes.get(id);
	if (!node) nodes.set(id, node = make());
	return node;
}

function forget(nodes, ids) {
	const wanted = new Set(ids);
	for (const id of Array.from(nodes.keys())) if (!wanted.has(id)) nodes.delete(id);
}
