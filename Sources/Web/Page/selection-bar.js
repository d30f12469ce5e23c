// The bar under compass and map: the selected thing, with its switch and the way to the rest of it.

import { element, setAttribute, setShown, setText } from "./dom.js";
import { colourOf, metres, nameOf, summary } from "./text.js";
import { thingPath } from "./commands.js";

export class SelectionBar {
	constructor(app) {
		this.app = app;
		this.dot = element("span", { class: "dot", "aria-hidden": "true" });
		this.name = element("span", { class: "bar-name" });
		this.facts = element("span", { class: "bar-facts" });
		this.open = element("button", {
			type: "button", class: "bar-open", click: () => app.show("thing")
		}, this.dot, element("span", { class: "bar-text" }, this.name, this.facts));
		this.toggle = element("button", {
			type: "button", class: "switch", role: "switch", click: () => this.press()
		}, element("span", { class: "switch-knob", "aria-hidden": "true" }));
		this.node = element("div", { class: "bar" }, this.open, this.toggle);
	}

	press() {
		const thing = this.app.model.selected;
		if (thing) this.app.commands.press(this.toggle, thingPath(thing, "set"), { state: "TOGGLE" });
	}

	update() {
		const { model, motion } = this.app;
		const thing = model.selected;
		setAttribute(this.node, "class", thing ? "bar" : "bar bar-empty");
		setAttribute(this.open, "disabled", thing ? null : "disabled");
		setShown(this.toggle, canSwitch(thing));
		if (!thing) {
			setText(this.name, "No thing is near");
			setText(this.facts, "Tap a thing to select it");
			paint(this.dot, null);
			return;
		}
		const far = metres(model.distance(motion.goal("position"), thing));
		setText(this.name, nameOf(thing));
		setText(this.facts, [far, summary(thing)].filter(Boolean).join(" · "));
		paint(this.dot, thing);
		setAttribute(this.toggle, "aria-checked", thing.state === "ON" ? "true" : "false");
		setAttribute(this.toggle, "aria-label", nameOf(thing));
	}
}

export function canSwitch(thing) {
	return Boolean(thing && thing.state && (thing.settable || ["state"]).indexOf("state") >= 0);
}

/** Gives an element the colour of a thing; hollow when it is off. */
export function paint(node, thing) {
	const colour = thing ? colourOf(thing) || "" : "";
	if (node.thingColour !== colour) {
		node.thingColour = colour;
		node.style.setProperty("--thing", colour || "var(--plain)");
	}
	const isOff = !thing || thing.state === "OFF";
	if (node.classList.contains("off") !== isOff) node.classList.toggle("off", isOff);
}
