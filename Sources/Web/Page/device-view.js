// The device view: where the device is, what is near it, and how good its position is.

import { arrange, button, element, reuse, set, setText, show } from "./dom.js";
import { clip, join, metres, nameOf, say, since, summary, words } from "./text.js";
import { makeDot, paint } from "./selection-bar.js";

const TITLES = { environment: "Place", zone: "Zone", nearby: "Nearby", device: "This device" };
const MOST_ALERTS = 5;

export class DeviceView {
	constructor(app, section) {
		this.app = app;
		this.cards = {};
		const nodes = Object.keys(TITLES).map(key => this.makeCard(key));
		this.dot = makeDot();
		this.cards.nearby.name.parentNode.insertBefore(this.dot, this.cards.nearby.name);
		this.buttons = [["previous", "‹ Previous"], ["next", "Next ›"]].map(([word, text]) =>
			button({ class: "button", text: say(text), "aria-label": say(words(word) + " place") }, event =>
				app.commands.press(event.currentTarget, "api/environment/set", { environment: word })));
		nodes[0].appendChild(element("div", { class: "buttons" }, ...this.buttons));
		this.facts = element("dl", { class: "facts" });
		this.rows = new Map();
		nodes[3].appendChild(this.facts);
		this.alerts = element("ul", { class: "alerts", "aria-label": say("Problems") });
		section.appendChild(this.alerts);
		section.appendChild(element("div", { class: "cards" }, ...nodes));
		this.addSignOut(section);
	}

	makeCard(key) {
		const card = this.cards[key] = { name: element("span"), description: element("p", { class: "card-text" }) };
		return card.node = element("article", { class: "card card-" + key }, element("h2", { text: say(TITLES[key]) }),
			element("p", { class: "card-name" }, card.name), card.description);
	}

	addSignOut(section) {
		try {
			if (!localStorage.getItem("trilateral-signed-in")) return;
			section.appendChild(button({ class: "button", text: say("My account") }, () => location.assign("me")));
			section.appendChild(button({ class: "button", text: say("Sign out") }, () =>
				import("./people.js").then(people => people.signOut()).catch(error => this.app.commands.notify(error.message))));
		} catch (error) { /* no store */ }
	}

	update() {
		const { model } = this.app;
		const { environment, zone, nearby, device } = model;
		this.fill("environment", environment, "No place is loaded");
		const stay = zone && since(zone.since, Date.now());
		this.fill("zone", zone, environment ? "In no zone" : "None", stay && say("For ") + stay);
		this.fill("nearby", nearby, "Nothing is near",
			nearby && join(metres(model.distanceTo(nearby)), summary(nearby)));
		show(this.dot, nearby);
		if (nearby) paint(this.dot, nearby);
		this.fill("device", device, "No device");
		for (const node of this.buttons) set(node, { disabled: model.environments.size < 2 });
		this.fillFacts(device || {}, model.state || {});
		const alerts = Array.from(model.alerts.values()).slice(0, MOST_ALERTS);
		show(this.alerts, alerts.length);
		if (this.shownAlerts === (this.shownAlerts = JSON.stringify(alerts))) return;
		arrange(this.alerts, alerts.map(alert => element("li", { class: "card", text: clip(alert.message || alert.id, 300) })));
	}

	fill(key, object, otherwise, more) {
		const card = this.cards[key];
		const text = [object && clip(object.description, 400), more].filter(Boolean).join("\n");
		setText(card.name, object ? nameOf(object) : say(otherwise));
		setText(card.description, text);
		show(card.description, text);
		card.node.classList.toggle("card-empty", !object);
	}

	fillFacts(device, state) {
		const life = state.lifecycle || {};
		const sound = (state.audio && state.audio.state) || life.audio;
		const axes = ["x", "y", "z"].filter(axis => device.position && Number.isFinite(device.position[axis]));
		const facts = {
			Position: axes.map(axis => axis + " " + device.position[axis].toFixed(2)).join("  ") || say("unknown"),
			Accuracy: Number.isFinite(device.accuracy_m) && "± " + metres(device.accuracy_m),
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
