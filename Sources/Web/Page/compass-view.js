// The compass: a ring with a fin towards each thing of the zone, turned by the device's heading.

import { arrange, element, setAttribute, setShown, setText, shape } from "./dom.js";
import { finWidth, positive, sector, turn } from "./geometry.js";
import { metres, nameOf, side, summary, wind } from "./text.js";
import { paint, SelectionBar } from "./selection-bar.js";

const OUTER = 92;
const INNER = 82;
const INNER_NEARBY = 72;

export class CompassView {
	constructor(app, section) {
		this.app = app;
		this.fins = new Map();
		this.shown = [];
		this.focusedID = null;

		this.rose = shape("g", { class: "rose", "aria-hidden": "true" });
		this.rose.appendChild(shape("path", { class: "ring", d: ringPath() }));
		["N", "E", "S", "W"].forEach((letter, index) => this.rose.appendChild(shape("text", {
			class: index ? "wind" : "wind wind-north", y: -61, transform: "rotate(" + index * 90 + ")", text: letter
		})));
		this.finGroup = shape("g", null);
		this.svg = shape("svg", {
			class: "ring-picture", viewBox: "-100 -100 200 200", role: "group", "aria-label": "Things around this device"
		}, this.rose, this.finGroup, shape("path", { class: "ahead", d: "M0 -91L-5 -99.5H5Z" }));
		this.svg.addEventListener("click", event => this.tap(event));
		this.svg.addEventListener("keydown", event => this.key(event));

		this.name = element("p", { class: "centre-name" });
		this.far = element("p", { class: "centre-far" });
		this.where = element("p", { class: "centre-where" });
		this.dial = element("div", { class: "dial" }, this.svg,
			element("div", { class: "centre" }, this.name, this.far, this.where));
		this.stage = element("div", { class: "stage" }, this.dial);
		this.bar = new SelectionBar(app);
		section.appendChild(this.stage);
		section.appendChild(this.bar.node);
	}

	resize() {
		const size = Math.floor(Math.min(this.stage.clientWidth, this.stage.clientHeight));
		if (size === this.size || size <= 0) return;
		this.size = size;
		this.dial.style.width = this.dial.style.height = size + "px";
		this.dial.style.setProperty("--ring", size + "px");
	}

	update() {
		const { model, motion } = this.app;
		const position = motion.goal("position");
		const nearby = model.nearby;
		this.shown = model.thingsOfZone
			.map(thing => ({ thing, far: model.distance(position, thing) }))
			.filter(item => item.far > 0)
			.sort((a, b) => b.far - a.far);
		const ids = new Set();
		for (const item of this.shown) {
			const thing = item.thing;
			ids.add(thing.id);
			let fin = this.fins.get(thing.id);
			if (!fin) {
				fin = shape("path", { role: "button", tabindex: "-1", "data-id": thing.id });
				this.fins.set(thing.id, fin);
			}
			item.fin = fin;
			item.isNearby = Boolean(nearby && nearby.id === thing.id);
			const isSelected = Boolean(model.selected && model.selected.id === thing.id);
			paint(fin, thing);
			fin.classList.toggle("fin", true);
			fin.classList.toggle("selected", isSelected);
			setAttribute(fin, "aria-label", [nameOf(thing), summary(thing)].filter(Boolean).join(", "));
			setAttribute(fin, "aria-pressed", isSelected ? "true" : "false");
		}
		for (const id of Array.from(this.fins.keys())) if (!ids.has(id)) this.fins.delete(id);
		if (!this.holdsFocus()) arrange(this.finGroup, this.shown.map(item => item.fin));
		else arrange(this.finGroup, this.inPlace());
		this.setTabStop();
		this.bar.update();
		this.frame();
	}

	holdsFocus() { return this.finGroup.contains(document.activeElement); }

	/** The fins as they stand, and new ones after them: moving a node would take the focus from it. */
	inPlace() {
		const wanted = new Set(this.shown.map(item => item.fin));
		const standing = Array.from(this.finGroup.children).filter(fin => wanted.has(fin));
		for (const fin of standing) wanted.delete(fin);
		return standing.concat(Array.from(wanted));
	}

	/** Draws the fins where the device is at this moment. */
	frame() {
		const { model, motion } = this.app;
		const heading = motion.angle === null ? 0 : motion.angle;
		const turned = "rotate(" + (-heading).toFixed(2) + ")";
		setAttribute(this.rose, "transform", turned);
		setAttribute(this.finGroup, "transform", turned);
		for (const item of this.shown) {
			const far = model.distance(motion.position, item.thing);
			const bearing = model.bearing(motion.position, item.thing);
			item.bearing = bearing;
			item.width = far === null ? 0 : finWidth(far);
			const d = bearing === null ? "" :
				sector(bearing, item.width, item.isNearby ? INNER_NEARBY : INNER, OUTER);
			if (item.fin.drawn !== d) {
				item.fin.drawn = d;
				item.fin.setAttribute("d", d);
			}
		}
		this.drawCentre();
	}

	drawCentre() {
		const { model, motion } = this.app;
		const thing = model.selected;
		const far = thing ? model.distance(motion.position, thing) : null;
		const bearing = thing ? model.bearing(motion.position, thing) : null;
		setText(this.name, thing ? nameOf(thing) : model.zone ? "Nothing is near" : model.environment ? "In no zone" : "No place is loaded");
		setText(this.far, far === null ? "" : metres(far));
		setShown(this.far, far !== null);
		let where = "";
		if (bearing !== null) where = motion.angle === null ? wind(bearing) : side(bearing - motion.angle);
		else if (thing && far === null) where = motion.position ? "position unknown" : "own position unknown";
		setText(this.where, where);
	}

	// MARK: Selecting

	tap(event) {
		const box = this.svg.getBoundingClientRect();
		const x = (event.clientX - box.left) / box.width * 200 - 100;
		const y = (event.clientY - box.top) / box.height * 200 - 100;
		const radius = Math.sqrt(x * x + y * y);
		if (radius < 52 || radius > 106) return;
		const heading = this.app.motion.angle === null ? 0 : this.app.motion.angle;
		const angle = positive(Math.atan2(x, -y) * 180 / Math.PI + heading);
		// A finger is wider than a far thing's fin.
		const reach = 24 / (box.width / 200 * 82) * 180 / Math.PI;
		let best = null;
		for (const item of this.shown) {
			if (item.bearing === null) continue;
			const beside = Math.max(0, Math.abs(turn(item.bearing, angle)) - item.width / 2);
			// Where fins overlap, the nearer one lies on top.
			if (beside <= reach && (!best || beside <= best.beside)) best = { beside, item };
		}
		if (best) this.app.select(best.item.thing.id);
	}

	key(event) {
		const step = event.key === "ArrowDown" ? -1 : event.key === "ArrowUp" ? 1 : 0;
		const index = this.shown.findIndex(item => item.fin === document.activeElement);
		if (index < 0) return;
		if (step) {
			const item = this.shown[Math.min(Math.max(index + step, 0), this.shown.length - 1)];
			this.focusedID = item.thing.id;
			this.setTabStop();
			item.fin.focus();
			event.preventDefault();
		} else if (event.key === "Enter" || event.key === " ") {
			this.app.select(this.shown[index].thing.id);
			event.preventDefault();
		}
	}

	/** One fin can be reached by tabulator; up and down go on from there. */
	setTabStop() {
		const selected = this.app.model.selected;
		const wanted = [this.focusedID, selected && selected.id, this.shown.length && this.shown[this.shown.length - 1].thing.id];
		const id = wanted.find(one => one && this.fins.has(one));
		for (const [key, fin] of this.fins) setAttribute(fin, "tabindex", key === id ? "0" : "-1");
	}
}

function ringPath() {
	return "M0 -" + OUTER + "A" + OUTER + " " + OUTER + " 0 1 1 -.01 -" + OUTER + "Z" +
		"M0 -" + INNER + "A" + INNER + " " + INNER + " 0 1 0 .01 -" + INNER + "Z";
}
