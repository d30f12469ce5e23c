// The screen DeviceList: the things of the place with their controls, one below the other, as tiles, or one at a time.

import { arrange, button, element, reuse, set, setText, show } from "./dom.js";
import { drawBadge, look, makeBadge } from "./appearance.js";
import { join, nameOf } from "./text.js";
import { makeDeviceControl } from "./device-controls.js";

const LAYOUTS = ["list", "grid", "swipe"];

/** One thing of the list. */
class Tile {
	constructor(host, id, layout, open) {
		this.host = host;
		this.id = id;
		this.layout = layout;
		this.name = element("span", { class: "row-name" });
		this.facts = element("span", { class: "row-facts key" });
		this.badge = makeBadge();
		this.head = button({ class: "tile-head" }, () => open(id), this.badge, element("span", { class: "row-text" }, this.name, this.facts));
		this.area = element("div", { class: "tile-control" });
		this.node = element("li", { class: "card tile" }, this.head, this.area);
	}

	update(state, thing) {
		const { profiles, model } = this.host.kit;
		const key = JSON.stringify([thing.profile, thing.slug, profiles.language, thing.settable, thing.isSeenOnly, Boolean(thing.state),
			profiles.properties(thing).map(property => property.name)]);
		if (key !== this.key) {
			this.key = key;
			this.unmount();
			// Who may only see a thing has its values in the line below its name.
			this.part = thing.isSeenOnly ? null : makeDeviceControl(this.host.kit, thing, this.layout);
			if (this.part) this.part.mount(this.area);
			show(this.area, this.part);
		}
		drawBadge(this.badge, profiles, thing);
		setText(this.name, nameOf(thing));
		const near = model.isNearby(thing) ? this.host.word("near") : "";
		setText(this.facts, join(look(profiles, thing).summary, near));
		this.node.classList.toggle("is-off", thing.available === false);
		if (this.part) this.part.update(Object.assign({}, state, { thing }));
	}

	unmount() {
		if (this.part) this.part.unmount();
		this.part = null;
	}
}

export class DeviceList {
	constructor(host, config) {
		this.host = host;
		this.layout = LAYOUTS.indexOf(config.layout) >= 0 ? config.layout : "list";
		this.tiles = new Map();
	}

	mount(area) {
		this.note = element("p", { class: "empty" });
		this.list = element("ul", { class: "tiles " + this.layout });
		area.appendChild(this.note);
		area.appendChild(this.list);
		if (this.layout === "swipe") this.makeSteps(area);
	}

	/** The ways to the next thing for those who do not swipe. */
	makeSteps(area) {
		const step = (way, text, key) => button({ class: "button tool", text, "aria-label": this.host.word(key) }, () => this.step(way));
		this.place = element("p", { class: "place" });
		this.before = step(-1, "‹", "previous");
		this.after = step(1, "›", "next");
		this.steps = element("div", { class: "swipe-steps" }, this.before, this.place, this.after);
		area.appendChild(this.steps);
		area.classList.add("swipe-screen");
		this.list.addEventListener("scroll", () => this.showPlace());
		area.addEventListener("keydown", event => {
			const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
			if (!way || event.target.closest("input, select")) return;
			event.preventDefault();
			this.step(way);
		});
	}

	/** The number of the thing that is seen. */
	get index() {
		const items = Array.from(this.list.children);
		const middle = this.list.scrollLeft + this.list.clientWidth / 2;
		const away = item => Math.abs(item.offsetLeft - this.list.offsetLeft + item.offsetWidth / 2 - middle);
		return items.reduce((best, item, index) => (away(item) < away(items[best]) ? index : best), 0);
	}

	step(way) {
		const item = this.list.children[this.index + way];
		if (!item) return;
		const left = item.offsetLeft - this.list.offsetLeft - (this.list.clientWidth - item.offsetWidth) / 2;
		this.list.scrollTo({ left, behavior: this.host.kit.isReduced() ? "auto" : "smooth" });
	}

	showPlace() {
		const count = this.list.children.length;
		const { index } = this;
		setText(this.place, count ? index + 1 + " " + this.host.word("of") + " " + count : "");
		set(this.before, { disabled: index < 1 });
		set(this.after, { disabled: index > count - 2 });
	}

	update(state) {
		const things = state.things.slice().sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
		const ids = things.map(thing => thing.id);
		for (const [id, tile] of this.tiles) if (ids.indexOf(id) < 0) tile.unmount();
		const tiles = reuse(this.tiles, ids, id => new Tile(this.host, id, this.layout, one => this.open(one)));
		tiles.forEach((tile, index) => tile.update(state, things[index]));
		arrange(this.list, tiles.map(tile => tile.node));
		setText(this.note, things.length || !state.isLoaded ? "" : this.host.word(state.place.environment ? "no_things" : "no_place"));
		show(this.note, this.note.textContent);
		show(this.list, things.length);
		if (!this.steps) return;
		show(this.steps, things.length > 1);
		this.showPlace();
	}

	open(id) {
		const { kit } = this.host;
		const thing = kit.model.things.get(id);
		const profile = kit.profiles.of(thing);
		const screen = kit.display.detailScreen(profile);
		if (screen) this.host.pushScreen(screen, thing);
	}

	unmount() { for (const tile of this.tiles.values()) tile.unmount(); }
}
