// The thing view: the selected thing, or else the nearby one, with all that it reports and offers.

import { arrange, element, empty, setShown, setText } from "./dom.js";
import { metres, nameOf, clip, side, wind } from "./text.js";
import { paint } from "./selection-bar.js";
import { controlsKey, makeControls, pictureOf, readings } from "./thing-controls.js";

export class ThingView {
	constructor(app, section) {
		this.app = app;
		this.controls = [];
		this.key = null;
		this.dot = element("span", { class: "dot", "aria-hidden": "true" });
		this.name = element("p", { class: "thing-name" });
		this.where = element("p", { class: "thing-where" });
		this.gone = element("p", { class: "warning", text: "It cannot be reached now." });
		this.description = element("p", { class: "thing-description" });
		this.picture = element("img", { class: "thing-picture", referrerpolicy: "no-referrer", hidden: true });
		this.picture.addEventListener("error", () => setShown(this.picture, false));
		this.back = element("button", {
			type: "button", class: "button", text: "Follow what is nearby", click: () => app.select(null)
		});
		this.area = element("div", { class: "controls" });
		this.facts = element("dl", { class: "facts" });
		this.note = element("p", { class: "empty" });
		this.whole = element("div", { class: "thing" },
			element("div", { class: "thing-about" },
				element("div", { class: "thing-head" }, this.dot, this.name), this.where, this.gone, this.description,
				this.picture, this.facts, element("div", { class: "buttons" }, this.back)),
			this.area);
		section.appendChild(this.note);
		section.appendChild(this.whole);
	}

	update() {
		const { model } = this.app;
		const thing = model.selected;
		setShown(this.whole, Boolean(thing));
		setShown(this.note, !thing);
		if (!thing) {
			setText(this.note, model.environment ? "No thing is near. Tap one on the compass, the map or the list." : "No place is loaded");
			this.key = null;
			empty(this.area);
			this.controls = [];
			return;
		}
		paint(this.dot, thing);
		setText(this.name, nameOf(thing));
		setText(this.description, clip(thing.description, 1000));
		setShown(this.description, Boolean(thing.description));
		setShown(this.gone, thing.available === false);
		setShown(this.back, Boolean(model.selectedID));
		this.showPicture(thing);
		const rows = readings(thing);
		const text = JSON.stringify(rows);
		if (text !== this.factsText) {
			this.factsText = text;
			arrange(this.facts, rows.map(([title, value]) =>
				element("div", null, element("dt", { text: title }), element("dd", { text: value }))));
		}
		setShown(this.facts, rows.length > 0);
		const key = controlsKey(thing);
		if (key !== this.key) {
			this.key = key;
			this.controls = makeControls(this.app, thing);
			arrange(this.area, this.controls.map(control => control.node));
		}
		for (const control of this.controls) control.update(thing);
		this.frame();
	}

	showPicture(thing) {
		const address = pictureOf(thing);
		if (address === this.address) return;
		this.address = address;
		if (address) {
			this.picture.alt = "Picture of " + nameOf(thing);
			this.picture.src = address;
		} else {
			this.picture.removeAttribute("src");
		}
		setShown(this.picture, Boolean(address));
	}

	frame() {
		const { model, motion } = this.app;
		const thing = model.selected;
		if (!thing) return;
		const zone = model.zoneOf(thing);
		const bearing = model.bearing(motion.position, thing);
		const where = bearing === null ? "" : motion.angle === null ? wind(bearing) : side(bearing - motion.angle);
		const far = model.distance(motion.position, thing);
		setText(this.where, [zone && nameOf(zone), metres(far), where].filter(Boolean).join(" · "));
	}
}
