// The bar under compass and map: the selected thing, with its switch and the way to the rest of it.

import { button, element, set, setText, show } from "./dom.js";
import { colourOf, join, metres, nameOf, say, summary } from "./text.js";
import { thingPath } from "./commands.js";

export class SelectionBar {
	constructor(app) {
		this.app = app;
		this.dot = makeDot();
		this.name = element("span", { class: "bar-name" });
		this.facts = element("span", { class: "bar-facts" });
		this.open = button({ class: "bar-open" }, () => app.show("thing"),
			this.dot, element("span", { class: "bar-text" }, this.name, this.facts));
		this.toggle = button({ class: "switch", role: "switch" }, () => {
			app.commands.press(this.toggle, thingPath(app.model.selected, "set"), { state: "TOGGLE" });
		}, element("span", { class: "knob" }));
		this.node = element("div", { class: "card bar" }, this.open, this.toggle);
	}

	update() {
		const { model } = this.app;
		const thing = model.selected;
		set(this.open, { disabled: !thing });
		show(this.dot, thing);
		show(this.toggle, canSwitch(thing));
		setText(this.name, thing ? nameOf(thing) : say("No thing is near"));
		setText(this.facts, thing ? join(metres(model.distanceTo(thing)), summary(thing)) : say("Tap a thing to select it"));
		if (!thing) return;
		paint(this.dot, thing);
		set(this.toggle, { "aria-checked": String(thing.state === "ON"), "aria-label": nameOf(thing) });
	}
}

export const canSwitch = thing =>
	Boolean(thing && thing.state && (thing.settable || ["state"]).indexOf("state") >= 0);

export const makeDot = () => element("span", { class: "dot", "aria-hidden": "true" });

/** Gives an element the colour of a thing; hollow when it is off. */
export function paint(node, thing) {
	const colour = colourOf(thing) || "var(--plain)";
	if (node.thingColour !== colour) node.style.setProperty("--thing", node.thingColour = colour);
	node.classList.toggle("off", thing.state === "OFF");
}
