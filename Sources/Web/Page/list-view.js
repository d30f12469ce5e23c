// The list: the things of the place, nearest first, grouped by zone. It never moves under a finger.

import { arrange, element, setAttribute, setShown, setText } from "./dom.js";
import { metres, nameOf, summary } from "./text.js";
import { paint } from "./selection-bar.js";

const MOVE_TIME = 500;
// A thing passes another one only when it is so much nearer: no trembling.
const MARGIN = 0.2;

export class ListView {
	constructor(app, section) {
		this.app = app;
		this.rows = new Map();
		this.groups = new Map();
		this.order = [];
		this.pointers = new Set();
		this.note = element("p", { class: "empty" });
		this.area = element("div", { class: "groups" });
		this.section = section;
		section.appendChild(this.note);
		section.appendChild(this.area);

		this.area.addEventListener("click", event => this.tap(event));
		this.area.addEventListener("keydown", event => this.key(event));
		this.area.addEventListener("pointerdown", event => this.pointers.add(event.pointerId));
		const end = event => {
			if (this.pointers.delete(event.pointerId)) app.redraw();
		};
		window.addEventListener("pointerup", end);
		window.addEventListener("pointercancel", end);
		this.area.addEventListener("focusout", () => app.redraw());
	}

	get isFrozen() { return this.pointers.size > 0 || this.area.contains(document.activeElement); }

	update() {
		const { model, motion } = this.app;
		const position = motion.goal("position");
		const items = new Map();
		for (const thing of model.here.things) {
			items.set(thing.id, { thing, far: model.distance(position, thing), zone: model.zoneOf(thing) });
		}
		const text = !model.environment ? "No place is loaded" : !items.size && model.isLoaded ? "There are no things here" : "";
		setText(this.note, text);
		setShown(this.note, Boolean(text));

		for (const id of Array.from(this.rows.keys())) if (!items.has(id)) this.rows.delete(id);
		for (const item of items.values()) this.fillRow(item);
		this.place(this.isFrozen ? this.keptOrder(items) : this.newOrder(items));
	}

	fillRow({ thing, far }) {
		let row = this.rows.get(thing.id);
		if (!row) {
			const dot = element("span", { class: "dot", "aria-hidden": "true" });
			const name = element("span", { class: "row-name" });
			const facts = element("span", { class: "row-facts" });
			const distance = element("span", { class: "row-far" });
			const button = element("button", { type: "button", class: "row", "data-id": thing.id },
				dot, element("span", { class: "row-text" }, name, facts), distance);
			row = { node: element("li", null, button), button, dot, name, facts, distance };
			this.rows.set(thing.id, row);
		}
		const { selected, nearby } = this.app.model;
		paint(row.dot, thing);
		setText(row.name, nameOf(thing));
		setText(row.facts, summary(thing) || thing.description);
		setText(row.distance, metres(far));
		const isSelected = Boolean(selected && selected.id === thing.id);
		setAttribute(row.button, "aria-pressed", isSelected ? "true" : "false");
		row.button.classList.toggle("nearby", Boolean(nearby && nearby.id === thing.id));
	}

	// MARK: Order

	/** Zones with their things as they stand; what is new comes last. */
	keptOrder(items) {
		const order = [];
		const placed = new Set();
		for (const group of this.order) {
			const ids = group.ids.filter(id => items.has(id) && zoneKey(items.get(id)) === group.key);
			ids.forEach(id => placed.add(id));
			order.push({ key: group.key, ids });
		}
		for (const [id, item] of items) {
			if (placed.has(id)) continue;
			const key = zoneKey(item);
			let group = order.find(one => one.key === key);
			if (!group) order.push(group = { key, ids: [] });
			group.ids.push(id);
		}
		return order.filter(group => group.ids.length);
	}

	/** The zone of the device first, then the nearest one; in each the nearest thing first. */
	newOrder(items) {
		const zone = this.app.model.zone;
		const order = this.keptOrder(items);
		const far = id => (items.get(id).far === null ? Infinity : items.get(id).far);
		for (const group of order) {
			const isNew = group.ids.some(id => !this.known || !this.known.has(id));
			if (isNew) group.ids.sort((a, b) => compare(far(a), far(b)) || nameOf(items.get(a).thing).localeCompare(nameOf(items.get(b).thing)));
			else settle(group.ids, (a, b) => far(a) - far(b) > MARGIN || (far(a) === Infinity && far(b) < Infinity));
			group.far = group.ids.length ? far(group.ids[0]) : Infinity;
			if (zone && group.key === zone.id) group.far = -1;
		}
		settle(order, (a, b) => a.far - b.far > MARGIN || (a.far === Infinity && b.far < Infinity));
		this.known = new Set(items.keys());
		return order;
	}

	place(order) {
		const key = JSON.stringify(order.map(group => [group.key, group.ids]));
		const { model } = this.app;
		for (const group of order) {
			let node = this.groups.get(group.key);
			if (!node) {
				const id = "zone-" + group.key;
				node = element("section", { class: "group", "aria-labelledby": id }, element("h3", { id }), element("ul", null));
				this.groups.set(group.key, node);
			}
			const zone = model.zones.get(group.key);
			const isHere = Boolean(model.zone && model.zone.id === group.key);
			setText(node.firstChild, nameOf(zone, "Elsewhere") + (isHere ? " · here" : ""));
		}
		if (key === this.shownOrder) return;
		this.shownOrder = key;
		this.order = order.map(group => ({ key: group.key, ids: group.ids }));
		const keys = new Set(order.map(group => group.key));
		for (const one of Array.from(this.groups.keys())) if (!keys.has(one)) this.groups.delete(one);
		this.animate(() => {
			for (const group of order) {
				arrange(this.groups.get(group.key).lastChild, group.ids.map(id => this.rows.get(id).node));
			}
			arrange(this.area, order.map(group => this.groups.get(group.key)));
		});
	}

	/** Changes the order, and lets the rows that are seen move to their new places. */
	animate(change) {
		const nodes = Array.from(this.rows.values(), row => row.node);
		const canMove = !this.app.motion.isReduced && document.body.animate && this.area.offsetParent;
		const before = canMove ? nodes.map(node => (node.isConnected ? node.getBoundingClientRect().top : null)) : [];
		change();
		if (!canMove) return;
		const height = window.innerHeight;
		const after = nodes.map(node => node.getBoundingClientRect().top);
		nodes.forEach((node, index) => {
			const way = before[index] === null ? 0 : before[index] - after[index];
			if (!way || (after[index] > height && before[index] > height) || Math.max(after[index], before[index]) < -80) return;
			node.animate([{ transform: "translateY(" + way + "px)" }, { transform: "none" }],
				{ duration: MOVE_TIME, easing: "ease-out" });
		});
	}

	// MARK: Selecting

	tap(event) {
		const button = event.target.closest(".row");
		if (!button) return;
		// A finger leaves no focus behind, which would keep the order frozen.
		if (event.detail > 0) button.blur();
		this.app.select(button.getAttribute("data-id"), "thing");
	}

	key(event) {
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (!step) return;
		const buttons = Array.from(this.area.querySelectorAll(".row"));
		const index = buttons.indexOf(document.activeElement);
		if (index < 0) return;
		buttons[Math.min(Math.max(index + step, 0), buttons.length - 1)].focus();
		event.preventDefault();
	}
}

const zoneKey = item => (item.zone ? item.zone.id : "none");
const compare = (a, b) => (a === b ? 0 : a < b ? -1 : 1);

/** Sorts by moving only what is clearly out of place. */
function settle(list, isAfter) {
	for (let end = 1; end < list.length; end += 1) {
		for (let at = end; at > 0 && isAfter(list[at - 1], list[at]); at -= 1) {
			[list[at - 1], list[at]] = [list[at], list[at - 1]];
		}
	}
}
