// The screen DeviceList: the things of the place with their controls, one below the other, as tiles, or one at a time.

import { arrange, button, element, reuse, set, setText, show } from "./dom.js";
import { DEVICE_CONTROLS, isOn } from "./device-controls.js";
import { Host } from "./host.js";
import { iconOfThing } from "./icons.js";
import { join, nameOf, percent } from "./text.js";
import { Part } from "./part.js";
import { valueOf } from "./profiles.js";

const LAYOUTS = ["list", "grid", "swipe"];
const MOST_READINGS = 3;

/** What a thing does and reports, in a few words. */
function summary(host, thing) {
	if (thing.available === false) return host.word("unreachable");
	const { profiles } = host.kit;
	const texts = [];
	for (const property of profiles.properties(thing)) {
		const told = profiles.describe(thing, property);
		const value = valueOf(thing, property.name);
		const isPosition = told.roles.indexOf("cover_position") >= 0 && Number.isFinite(value);
		if (value === undefined || value === null || texts.length >= MOST_READINGS) continue;
		if (isPosition) texts.push(host.number(value) + (told.unit ? " " + told.unit : told.max === 100 ? " %" : ""));
		else if (told.part === "Switch" && property === profiles.power(thing)) {
			const action = told.actions.find(one => one.value === value);
			const isPower = told.roles.indexOf("on_off") >= 0;
			texts.push(action ? action.title : isPower ? host.word(isOn(profiles, thing) ? "on" : "off")
				: told.title + ": " + host.word(isOn(profiles, thing) ? "yes" : "no"));
		} else if (told.part === "ReadonlyText" || told.part === "Select") texts.push(host.reading(told, value));
	}
	if (!profiles.of(thing) && thing.state) texts.push(host.word(thing.state === "ON" ? "on" : "off"));
	if (thing.state === "ON" && Number.isFinite(thing.brightness)) texts.push(percent(thing.brightness));
	return join(...texts);
}

/** One thing of the list. */
class Tile {
	constructor(host, id, layout, open) {
		this.host = host;
		this.id = id;
		this.layout = layout;
		this.name = element("span", { class: "row-name" });
		this.facts = element("span", { class: "row-facts key" });
		this.picture = element("span", { class: "tile-icon" });
		this.head = button({ class: "tile-head" }, () => open(id), this.picture, element("span", { class: "row-text" }, this.name, this.facts));
		this.area = element("div", { class: "tile-control" });
		this.node = element("li", { class: "card tile" }, this.head, this.area);
	}

	/** The control for the whole thing; the generic one if that does not work. */
	makePart(name, profiles, thing) {
		const { kit } = this.host;
		const told = profiles.control(name);
		return new Part(told.name, {
			find: one => DEVICE_CONTROLS[one],
			isModule: one => profiles.modules.has(one),
			make: Class => new Class(new Host(kit, thing.id), Object.assign({}, told.extras, { layout: this.layout })),
			fallback: () => (told.name === "Generic" ? null : this.makePart("generic", profiles, thing))
		});
	}

	update(state, thing) {
		const { profiles, model } = this.host.kit;
		const profile = profiles.of(thing);
		const key = JSON.stringify([thing.profile, thing.slug, profiles.language, thing.settable, Boolean(thing.state),
			profiles.properties(thing).map(property => property.name)]);
		if (key !== this.key) {
			this.key = key;
			this.unmount();
			arrange(this.picture, [iconOfThing(profiles, thing)]);
			this.part = this.makePart((profile && profile.deviceControl) || "generic", profiles, thing);
			this.part.mount(this.area);
		}
		setText(this.name, nameOf(thing));
		const near = model.isNearby(thing) ? this.host.word("near") : "";
		setText(this.facts, join(summary(this.host, thing), near));
		this.node.classList.toggle("is-off", thing.available === false);
		this.part.update(Object.assign({}, state, { thing }));
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
