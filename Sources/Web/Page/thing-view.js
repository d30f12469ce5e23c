// The thing view: the selected thing, or else the nearby one, with all that it reports and offers.

import { drawBadge, look, makeBadge, paint } from "./appearance.js";
import { arrange, button, element, set, setText, show } from "./dom.js";
import { clip, join, metres, nameOf, say, whereabouts } from "./text.js";
import { controlsKey, makeControls, pictureOf, readings } from "./thing-controls.js";

const PLAIN = { keyOf: controlsKey, make: makeControls };
const NONE = { keyOf: () => "", make: () => [] };

export class ThingView {
	constructor(app, section) {
		this.app = app;
		this.controls = [];
		this.badge = makeBadge();
		this.value = element("p", { class: "hero-value" });
		this.name = element("p", { class: "thing-name hero-name" });
		this.where = element("p", { class: "thing-where hero-where" });
		this.gone = element("p", { class: "warning", text: say("It cannot be reached now.") });
		this.description = element("p");
		this.picture = element("img", { referrerpolicy: "no-referrer", error: () => show(this.picture, false) });
		this.opener = button({ class: "button", "aria-expanded": "false", text: say("Times") }, () => this.showTimes(!this.isOpen));
		this.timesArea = element("div", { class: "across", hidden: true });
		this.back = button({ class: "button", text: say("Follow what is nearby") }, () => app.select(null));
		this.area = element("div", { class: "controls" });
		this.facts = element("dl", { class: "facts" });
		this.note = element("p", { class: "empty" });
		this.hero = element("div", { class: "card hero about", tabindex: 0 },
			element("div", { class: "hero-head" }, this.badge, element("div", { class: "hero-text" }, this.name, this.value, this.where)),
			this.gone, this.description, this.picture, this.facts, this.opener, this.back);
		this.whole = element("div", { class: "thing" }, this.hero, this.area, this.timesArea);
		section.appendChild(this.note);
		section.appendChild(this.whole);
	}

	/** Opens or closes what happens to the thing by itself, for who has signed in. What that needs is only loaded here. */
	async showTimes(isOpen) {
		this.isOpen = isOpen;
		set(this.opener, { "aria-expanded": String(isOpen) });
		show(this.timesArea, isOpen);
		this.whole.classList.toggle("timed", isOpen);
		if (!isOpen) return;
		try {
			const { ThingTimes } = await import("./thing-times.js");
			const { model, profiles, commands } = this.app;
			this.times = this.times || new ThingTimes({ kit: { model, profiles, commands }, word: () => "" }, this.timesArea);
			this.app.redraw();
			await this.times.ready;
			// It stands below the controls.
			if (this.isOpen) this.times.reveal();
		} catch (error) {
			this.showTimes(false);
		}
	}

	/** What makes the controls of a thing; for one with a profile it comes from other files. */
	maker(thing) {
		if (!thing.profile || !this.app.experience) return PLAIN;
		if (!this.profiled) {
			this.profiled = NONE;
			import("./property-list.js").then(file => new file.PropertyControls(this.app)).catch(() => PLAIN).then(maker => {
				this.profiled = maker;
				this.app.redraw();
			});
		}
		return this.profiled;
	}

	update() {
		const { model } = this.app;
		const thing = model.selected;
		show(this.whole, thing);
		show(this.note, !thing);
		setText(this.note, say(model.hides("nearby") ? "Tap a thing on the map or the list."
			: "No thing is near. Tap one on the compass, the map or the list."));
		const maker = thing && this.maker(thing);
		const key = thing && maker.keyOf(thing);
		if (key !== this.key) {
			this.key = key;
			this.controls = thing ? maker.make(this.app, thing) : [];
			arrange(this.area, []);
			arrange(this.area, this.controls.map(control => control.node));
			this.whole.classList.toggle("bare", !this.controls.length);
		}
		if (!thing) return;
		for (const control of this.controls) control.update(thing);
		const { profiles } = this.app;
		paint(this.hero, look(profiles, thing));
		drawBadge(this.badge, profiles, thing);
		setText(this.value, look(profiles, thing).summary);
		show(this.value, this.value.textContent);
		setText(this.name, nameOf(thing));
		setText(this.description, clip(thing.description, 1000));
		show(this.description, thing.description);
		show(this.gone, thing.available === false);
		show(this.back, model.selectedID);
		const mayPlan = Boolean(model.permissions.signed_in) && !thing.isSeenOnly;
		show(this.opener, mayPlan);
		if (!mayPlan && this.isOpen) this.showTimes(false);
		if (this.times && this.isOpen) this.times.update({ asked: thing.id, thing, things: model.here.things, isLoaded: true });
		const address = pictureOf(thing);
		if (address !== this.address) {
			this.address = address;
			this.picture.alt = say("Picture of ") + nameOf(thing);
			this.picture.src = address || "";
			show(this.picture, address);
		}
		const rows = maker === PLAIN ? readings(thing) : [];
		show(this.facts, rows.length);
		if (this.shownFacts !== (this.shownFacts = JSON.stringify(rows))) arrange(this.facts, rows.map(([title, text]) =>
			element("div", null, element("dt", { text: title }), element("dd", { text }))));
		this.frame();
	}

	frame() {
		const { model, motion } = this.app;
		const thing = model.selected;
		if (!thing) return;
		const zone = model.zoneOf(thing);
		setText(this.where, join(zone && nameOf(zone), metres(model.distanceTo(thing, motion.position)),
			whereabouts(model.bearingTo(thing, motion.position), motion.angle)));
	}
}
