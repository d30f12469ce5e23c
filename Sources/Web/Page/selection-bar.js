// The bar under compass and map: the selected thing, with its switch and the way to the rest of it.

import { button, element, set, setText, show } from "./dom.js";
import { drawBadge, look, makeBadge } from "./appearance.js";
import { join, metres, nameOf, say } from "./text.js";
import { QuickControl } from "./quick-control.js";

export class SelectionBar {
	constructor(app) {
		this.app = app;
		this.badge = makeBadge();
		this.name = element("span", { class: "bar-name" });
		this.facts = element("span", { class: "bar-facts" });
		this.open = button({ class: "bar-open" }, () => app.show("thing"),
			this.badge, element("span", { class: "bar-text" }, this.name, this.facts));
		this.control = new QuickControl(app, false);
		this.node = element("div", { class: "card bar" }, this.open, this.control.node);
	}

	update() {
		const { model, profiles } = this.app;
		const thing = model.selected;
		set(this.open, { disabled: !thing });
		show(this.badge, thing);
		this.control.update(thing);
		setText(this.name, thing ? nameOf(thing) : say(model.hides("nearby") ? "No thing is selected" : "No thing is near"));
		setText(this.facts, thing ? join(look(profiles, thing).summary, metres(model.distanceTo(thing))) : say("Tap a thing to select it"));
		if (thing) drawBadge(this.badge, profiles, thing);
	}
}
