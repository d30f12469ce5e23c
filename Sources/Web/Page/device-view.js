// The device view: what is near, with its controls; where that is; and, folded, how well the device knows its position.

import { arrange, button, element, reuse, set, setText, show } from "./dom.js";
import { drawBadge, look, makeBadge, paint } from "./appearance.js";
import { clip, decimal, join, metres, nameOf, say, since, whereabouts, words } from "./text.js";
import { QuickControl } from "./quick-control.js";

const MOST_ALERTS = 5;
const HIDDEN = "You may not see where this device is. Your things are in the list.";
const NO_LOOK = { isLit: false };

export class DeviceView {
	constructor(app, section) {
		this.app = app;
		this.badge = makeBadge();
		this.name = element("p", { class: "hero-name" });
		this.value = element("p", { class: "hero-value" });
		this.where = element("p", { class: "hero-where" });
		this.control = new QuickControl(app, true);
		this.more = button({ class: "button", text: say("All controls") }, () => {
			app.model.selectedID = this.thing && !app.model.isNearby(this.thing) ? this.thing.id : null;
			app.show("thing");
		});
		this.back = button({ class: "button", text: say("Follow what is nearby") }, () => app.select(null));
		this.title = element("h2");
		this.hero = element("article", { class: "card hero" }, this.title,
			element("div", { class: "hero-head" }, this.badge, element("div", { class: "hero-text" }, this.name, this.value, this.where)),
			this.control.node, element("div", { class: "buttons" }, this.more, this.back));
		this.places = ["zone", "environment"].map(key => this.makePlace(key));
		this.buttons = [["previous", "‹ Previous"], ["next", "Next ›"]].map(([word, text]) =>
			button({ class: "button", text: say(text), "aria-label": say(words(word) + " place") }, event =>
				app.commands.press(event.currentTarget, "api/environment/set", { environment: word })));
		this.choice = element("div", { class: "buttons" }, ...this.buttons);
		this.places[1].node.appendChild(this.choice);
		this.facts = element("dl", { class: "facts" });
		this.rows = new Map();
		this.summary = element("summary", { text: say("This device") });
		this.diagnosis = element("details", { class: "card diagnosis" }, this.summary, this.facts);
		this.alerts = element("ul", { class: "alerts", "aria-label": say("Problems") });
		section.appendChild(this.alerts);
		section.appendChild(element("div", { class: "cards" }, this.hero, ...this.places.map(place => place.node), this.diagnosis));
		this.links = element("nav", { class: "buttons", "aria-label": say("Account") });
		section.appendChild(this.links);
	}

	makePlace(key) {
		const place = { key, name: element("p", { class: "card-name" }), text: element("p", { class: "card-text" }) };
		place.node = element("article", { class: "card card-" + key },
			element("h2", { text: say(key === "zone" ? "Zone" : "Place") }), place.name, place.text);
		return place;
	}

	/** The ways to the other pages, for whom they are; `pages` are those of other devices. */
	drawLinks({ users, administers, signed_in: isSignedIn, by_session: hasSession }, pages) {
		const key = JSON.stringify([users, administers, isSignedIn, hasSession, pages]);
		if (this.shownLinks === key) return;
		this.shownLinks = key;
		const to = (href, text) => button({ class: "button", text: say(text) }, () => location.assign(href));
		const nodes = pages.map(({ href, text }) => to(href, text));
		if (users && isSignedIn) nodes.push(to("me", "My account"));
		if (users && administers) nodes.push(to("admin", "Administration"));
		if (hasSession) nodes.push(button({ class: "button", text: say("Sign out") }, () =>
			import("./people.js").then(people => people.signOut()).catch(error => this.app.commands.notify(error.message))));
		if (users && !isSignedIn) nodes.push(to("sign-in", "Sign in"));
		arrange(this.links, nodes);
	}

	update() {
		const { model, profiles, devices } = this.app;
		const { environment, zone, device } = model;
		// Beside map and list, what is tapped there.
		const thing = this.thing = this.app.view === "overview" ? model.selected : model.nearby;
		const stay = zone && since(zone.since, this.app.now);
		this.fill(this.places[0], zone, environment ? "In no zone" : "None", stay && say("For ") + stay);
		this.fill(this.places[1], environment, "");
		show(this.places[0].node, !model.hides("zone"));
		show(this.places[1].node, environment);
		this.hero.classList.toggle("alone", model.hides("zone") && !environment);
		show(this.choice, model.environments.size > 1 && model.permissions.devices);
		this.drawLinks(model.permissions, devices ? devices.pages : []);
		this.hero.classList.toggle("card-empty", !thing);
		for (const node of [this.badge, this.value, this.where, this.more]) show(node, thing);
		const isChosen = thing && !model.isNearby(thing);
		show(this.back, isChosen);
		setText(this.title, say(isChosen ? "Selected" : "Nearby"));
		this.control.update(thing);
		setText(this.more, say(thing && thing.isSeenOnly ? "Details" : "All controls"));
		setText(this.name, thing ? nameOf(thing) : say(model.hides("nearby") ? HIDDEN : "Nothing is near"));
		paint(this.hero, thing ? look(profiles, thing) : NO_LOOK);
		if (thing) {
			drawBadge(this.badge, profiles, thing);
			setText(this.value, look(profiles, thing).summary);
		}
		this.fillFacts(device || {}, model.state || {});
		show(this.diagnosis, device);
		const alerts = Array.from(model.alerts.values()).slice(0, MOST_ALERTS);
		show(this.alerts, alerts.length);
		if (this.shownAlerts !== (this.shownAlerts = JSON.stringify(alerts))) {
			arrange(this.alerts, alerts.map(alert => element("li", { class: "card", text: clip(alert.message || alert.id, 300) })));
		}
		this.frame();
	}

	frame() {
		const { model, motion } = this.app;
		const { thing } = this;
		if (thing) setText(this.where, join(metres(model.distanceTo(thing, motion.position)),
			whereabouts(model.bearingTo(thing, motion.position), motion.angle)));
	}

	fill(place, object, otherwise, more) {
		const text = [object && clip(object.description, 400), more].filter(Boolean).join("\n");
		setText(place.name, object ? nameOf(object) : say(otherwise));
		setText(place.text, text);
		show(place.text, text);
		place.node.classList.toggle("card-empty", !object);
	}

	fillFacts(device, state) {
		const life = state.lifecycle || {};
		const sound = (state.audio && state.audio.state) || life.audio;
		const axes = ["x", "y", "z"].filter(axis => device.position && Number.isFinite(device.position[axis]));
		const facts = {
			Name: nameOf(device),
			Position: axes.map(axis => axis + "\u00a0" + decimal(device.position[axis], 2, 2)).join("  ") || say("unknown"),
			Accuracy: Number.isFinite(device.accuracy_m) && "±\u00a0" + metres(device.accuracy_m),
			Quality: device.quality && say(clip(device.quality, 40)),
			Heading: Number.isFinite(device.angle) ? Math.round(device.angle) % 360 + "°" : say("unknown"),
			Source: clip(device.source, 40),
			Moving: typeof device.moving === "boolean" && say(device.moving ? "yes" : "no"),
			Controller: life.state && say(words(life.state)),
			Sound: sound && say(words(sound))
		};
		const titles = Object.keys(facts).filter(key => facts[key] && device.id);
		const rows = reuse(this.rows, titles, key => element("div", null, element("dt", { text: say(key) }), element("dd")));
		rows.forEach((row, index) => setText(row.lastChild, facts[titles[index]]));
		arrange(this.facts, rows);
	}
}
