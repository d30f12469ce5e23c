// The properties of a thing with a profile: a card each, with its control.

import { button, element } from "./dom.js";
import { titled } from "./text.js";
import { CONTROLS } from "./property-controls.js";
import { Host } from "./host.js";
import { needStyles } from "./styles.js";
import { kitOf } from "./device-controls.js";
import { Part } from "./part.js";
import { valueOf } from "./profiles.js";

const MOST_ACTIONS = 60;
let count = 0;

/** A part that shows a property with its control; another one if that does not work. */
function makePart(kit, thing, property) {
	const make = name => new Part(name, {
		find: one => CONTROLS[one],
		isModule: one => kit.profiles.modules.has(one),
		make: Class => new Class(new Host(kit, thing.id, property), property.extras),
		fallback: () => (name === property.generic ? null : make(property.generic))
	});
	return make(property.part);
}

/** What of a thing makes other cards necessary; its values do not, save their kinds. */
export function cardsKey(kit, thing) {
	const { profiles } = kit;
	return JSON.stringify([thing.id, thing.slug, thing.profile, profiles.language, thing.palette, thing.actions,
		profiles.properties(thing).map(property => [property.name, profiles.describe(thing, property).part])]);
}

/** The cards of a thing, in order: each a node, an `update(state)` and an `unmount()`. */
export function makeCards(kit, thing) {
	const { profiles } = kit;
	const cards = profiles.properties(thing).map(property => {
		const told = profiles.describe(thing, property);
		const id = "property-" + (count += 1);
		const area = element("div", { class: "control" });
		const part = makePart(kit, thing, told);
		part.mount(area);
		return {
			node: element("section", { class: "card property kind-" + told.part, "aria-labelledby": id },
				element("h2", { id, class: "key", text: told.title }), area),
			update: state => part.update(Object.assign({}, state, { value: valueOf(state.thing, property.name) })),
			unmount: () => part.unmount()
		};
	});
	const actions = ownActions(profiles, thing);
	if (actions.length) cards.push(makeActions(new Host(kit, thing.id), actions));
	return cards;
}

/** The actions that the thing has besides those of its properties. */
function ownActions(profiles, thing) {
	const known = new Set();
	for (const property of profiles.of(thing).managedProperties) {
		if ((property.roles || []).indexOf("on_off") >= 0) known.add("on").add("off").add("toggle");
		for (const action of property.actions) known.add(action.name).add(property.name + "." + action.name);
	}
	return (Array.isArray(thing.actions) ? thing.actions : []).filter(name => !known.has(name)).slice(0, MOST_ACTIONS);
}

function makeActions(host, actions) {
	const id = "property-" + (count += 1);
	const nodes = actions.map(name => {
		const text = host.string(name);
		const node = button({ class: "button", text: text === name ? titled(name) : text }, async () => {
			if (node.getAttribute("aria-busy")) return;
			node.setAttribute("aria-busy", "true");
			await host.action(name);
			node.removeAttribute("aria-busy");
		});
		return node;
	});
	return {
		node: element("section", { class: "card property", "aria-labelledby": id }, element("h2", { id, text: host.word("actions") }),
			element("div", { class: "buttons", role: "group", "aria-labelledby": id }, ...nodes)),
		update: () => {},
		unmount: () => {}
	};
}

/** For the thing view of a page without screens of its own: in the place of thing-controls. */
export class PropertyControls {
	constructor(app) {
		this.kit = kitOf(app);
		this.cards = [];
		needStyles();
	}

	keyOf(thing) {
		const life = this.kit.model.state && this.kit.model.state.lifecycle;
		if (life && life.language) this.kit.profiles.language = life.language;
		return this.kit.profiles.of(thing) ? cardsKey(this.kit, thing) : "";
	}

	make(app, thing) {
		for (const card of this.cards) card.unmount();
		this.cards = this.kit.profiles.of(thing) ? makeCards(this.kit, thing) : [];
		return this.cards.map(card => ({ node: card.node, update: one => card.update({ thing: one, language: this.kit.profiles.language }) }));
	}
}
