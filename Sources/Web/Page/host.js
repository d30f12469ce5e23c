// What a screen or a control may use of the page: the same for ours and for those of the configuration's modules.

import { thingPath } from "./commands.js";
import { clip } from "./text.js";
import { number, word } from "./own-words.js";

export class Host {
	/** `kit` is what the page has: model, commands, profiles, palette and, with screens, display and createScreen. */
	constructor(kit, thingID, property) {
		this.thingID = thingID || null;
		this.property = property || null;
		// Not for modules, but no secret either.
		Object.defineProperty(this, "kit", { value: kit });
	}

	/** The thing that this is for, as it is now; null without one. */
	get thing() { return this.kit.model.things.get(this.thingID) || null; }

	get language() { return this.kit.profiles.language; }

	/** Sets values of the thing. Tells whether that was done; if not, the page has said why. */
	async set(values) {
		const { thing } = this;
		if (!thing) return false;
		return this.kit.commands.send(thingPath(thing, "set"), this.written(thing, values));
	}

	/** Values as they are set: the brightness of a light is a level of 0 to 1, whatever its property is stored as. */
	written(thing, values) {
		const { profiles } = this.kit;
		const body = Object.assign({}, values);
		const property = profiles.properties(thing).find(one => one.name === "brightness");
		if (!property || typeof body.brightness !== "number" || (thing.settable || []).indexOf("level") < 0) return body;
		const { min, max } = profiles.describe(thing, property);
		const dark = profiles.power(thing) ? 0 : min || 0;
		body.level = Math.min(Math.max((body.brightness - dark) / ((max || 1) - dark), 0), 1);
		delete body.brightness;
		return body;
	}

	async action(name) {
		const { thing } = this;
		return thing ? this.kit.commands.send(thingPath(thing, "action"), { action: String(name) }) : false;
	}

	/** The text of a key, in the language of now. */
	string(key) { return this.kit.profiles.string(key); }

	/** A colour's name or value as #rrggbb; null for what is none. */
	color(name) { return this.kit.palette.find(name); }

	/** Opens a screen, for a thing: an object, its short name or its identifier. */
	async pushScreen(name, thing) {
		return this.kit.display ? this.kit.display.push(String(name), thing) : false;
	}

	async navigateHome() { return this.kit.display ? this.kit.display.home() : false; }

	async back() { return this.kit.display ? this.kit.display.back() : false; }

	/** A screen to mount in an element of one's own; it is updated and unmounted by who has made it. */
	createScreen(name) { return this.kit.createScreen(String(name), this.thingID); }

	/** A word of the page itself. */
	word(key) { return word(this.language, key); }

	number(value) { return number(value, this.language); }

	/** A value as people read it, with the unit of its property. */
	reading(property, value) {
		if (value === undefined || value === null || value === "") return this.word("none");
		const action = property.actions.find(one => one.value === value);
		if (action) return action.title;
		if (typeof value === "boolean") return this.word(value ? "yes" : "no");
		const unit = property.unit ? "\u00a0" + property.unit : "";
		if (typeof value === "number") return this.number(value) + unit;
		// States are words of a table, other texts are a person's own.
		const isState = property.roles.some(role => role === "hvac_action" || role === "cover_state");
		const text = typeof value === "string" ? value : JSON.stringify(value);
		return clip(isState ? this.string(text) : text, 300) + unit;
	}
}
