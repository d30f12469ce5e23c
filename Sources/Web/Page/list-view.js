// The list: the things of the place, nearest first, grouped by zone. It never moves under a finger.

import { arrange, button, element, reuse, set, setText, show } from "./dom.js";
import { drawBadge, look, makeBadge } from "./appearance.js";
import { metres, nameOf, say } from "./text.js";
import { Roving } from "./roving.js";

const MOVE_TIME = 500;
// A thing passes another one only when it is so much nearer: no trembling.
const MARGIN = 0.2;
const NOBODY = new Set();

export class ListView {
	constructor(app, section) {
		this.app = app;
		this.rows = new Map();
		this.groups = new Map();
		this.order = [];
		this.pointers = new Set();
		this.note = element("p", { class: "empty" });
		this.area = element("div", { class: "groups" });
		section.appendChild(this.note);
		section.appendChild(this.area);
		this.area.addEventListener("click", event => this.tap(event));
		this.area.addEventListener("focusout", () => app.redraw());
		this.area.addEventListener("pointerdown", event => this.pointers.add(event.pointerId));
		for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, event => {
			if (this.pointers.delete(event.pointerId)) app.redraw();
		});
		this.roving = new Roving(this.area);
	}

	update() {
		const { model } = this.app;
		const items = new Map(model.here.things.map(thing => {
			const far = model.distanceTo(thing);
			return [thing.id, { thing, far: far === null ? Infinity : far }];
		}));
		setText(this.note, model.isLoaded && !items.size ? say("There are no things here") : "");
		show(this.note, this.note.textContent);
		this.populated = this.app.devices ? this.app.devices.zones : NOBODY;
		const rows = reuse(this.rows, Array.from(items.keys()), makeRow);
		Array.from(items.values()).forEach((item, index) => this.fill(rows[index], item));
		const isFrozen = this.pointers.size || this.area.contains(document.activeElement);
		this.place(isFrozen ? this.keptOrder(items) : this.newOrder(items));
	}

	fill(row, { thing, far }) {
		const { model, profiles } = this.app;
		const [badge, text] = row.firstChild.children;
		const [name, distance] = text.firstChild.children;
		drawBadge(badge, profiles, thing);
		setText(name, nameOf(thing));
		setText(text.lastChild, look(profiles, thing).summary || thing.description);
		setText(distance, metres(far));
		set(row.firstChild, { "aria-pressed": String(model.isSelected(thing)) });
	}

	/** Zones with their things as they stand; what is new comes last. */
	keptOrder(items) {
		const { model } = this.app;
		const groups = new Map(this.order.map(group => [group.zone, []]));
		const known = [].concat(...this.order.map(group => group.ids)).filter(id => items.has(id));
		for (const zone of this.populated) if (!groups.has(zone)) groups.set(zone, []);
		for (const id of new Set(known.concat(Array.from(items.keys())))) {
			const known = model.zoneOf(items.get(id).thing);
			const zone = known ? known.id : "";
			if (!groups.has(zone)) groups.set(zone, []);
			groups.get(zone).push(id);
		}
		return Array.from(groups, ([zone, ids]) => ({ zone, ids })).filter(group => group.ids.length || this.populated.has(group.zone));
	}

	/** The zone of the device first, then the nearest one; in each the nearest thing first. */
	newOrder(items) {
		const { zone } = this.app.model;
		const order = this.keptOrder(items);
		const margin = this.order.length ? MARGIN : 0;
		for (const group of order) {
			settle(group.ids, id => items.get(id).far, margin);
			group.far = zone && group.zone === zone.id ? -1 : group.ids.length ? items.get(group.ids[0]).far : Infinity;
		}
		settle(order, group => group.far, margin);
		return order;
	}

	place(order) {
		const { model } = this.app;
		const nodes = reuse(this.groups, order.map(group => group.zone), id => element("section", { "aria-labelledby": "zone-" + id },
			element("h2", { id: "zone-" + id }), element("ul", { class: "card" })));
		order.forEach(({ zone }, index) => setText(nodes[index].firstChild,
			nameOf(model.zones.get(zone), say("Things")) + (model.zone && model.zone.id === zone ? say(" · here") : "")));
		if (this.app.devices) order.forEach(({ zone }, index) => this.app.devices.drawWho(nodes[index], zone));
		const key = JSON.stringify(order.map(group => [group.zone, group.ids]));
		if (key !== this.shownOrder) this.animate(() => {
			order.forEach(({ ids }, index) => arrange(nodes[index].lastChild, ids.map(id => this.rows.get(id))));
			arrange(this.area, nodes);
		});
		this.shownOrder = key;
		this.order = order;
		const selected = this.rows.get(model.selectedID);
		this.roving.update(Array.from(this.area.querySelectorAll(".row")), selected && selected.firstChild);
	}

	/** Changes the order, and lets the rows that are seen move to their new places. */
	animate(change) {
		const rows = this.app.motion.isReduced || !this.area.animate ? [] : Array.from(this.rows.values());
		const corner = row => (row.isConnected ? row.getBoundingClientRect() : null);
		const before = rows.map(corner);
		change();
		const after = rows.map(corner);
		rows.forEach((row, index) => {
			const [from, to] = [before[index], after[index]];
			if (!from || !to || Math.min(from.top, to.top) > window.innerHeight || Math.max(from.bottom, to.bottom) < 0) return;
			const way = "translate(" + (from.left - to.left) + "px, " + (from.top - to.top) + "px)";
			if (way !== "translate(0px, 0px)") row.animate([{ transform: way }, { transform: "none" }], { duration: MOVE_TIME, easing: "ease-out" });
		});
	}

	tap(event) {
		const row = event.target.closest(".row");
		if (!row) return;
		// A finger leaves no focus behind, which would keep the order frozen.
		if (event.detail > 0) row.blur();
		this.app.select(row.dataset.id, "thing");
	}
}

function makeRow(id) {
	return element("li", null, element("button", { type: "button", class: "row", "data-id": id }, makeBadge(),
		element("span", { class: "row-text" },
			element("span", { class: "row-line" }, element("span", { class: "row-name" }), element("span", { class: "row-far" })),
			element("span", { class: "row-facts" }))));
}

/** Sorts by moving only what is out of place by more than a margin. */
export function settle(list, far, margin) {
	for (let end = 1; end < list.length; end += 1) {
		for (let at = end; at > 0 && far(list[at - 1]) - far(list[at]) > margin; at -= 1) {
			[list[at - 1], list[at]] = [list[at], list[at - 1]];
		}
	}
}
