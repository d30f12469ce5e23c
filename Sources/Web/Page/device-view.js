// The device view: where the device is, what is near it, and how good its position is.

import { arrange, element, setAttribute, setShown, setText } from "./dom.js";
import { clip, metres, nameOf, since, summary, words } from "./text.js";
import { paint } from "./selection-bar.js";

const LANES = ["environment", "zone", "nearby", "device"];
const TITLES = { environment: "Place", zone: "Zone", nearby: "Nearby", device: "This device" };

export class DeviceView {
	constructor(app, section) {
		this.app = app;
		this.cards = {};
		const grid = element("div", { class: "cards" });
		for (const lane of LANES) grid.appendChild(this.makeCard(lane));
		section.appendChild(grid);

		this.previous = this.makeButton("‹ Previous", "previous");
		this.next = this.makeButton("Next ›", "next");
		this.cards.environment.node.appendChild(element("div", { class: "buttons" }, this.previous, this.next));

		this.nearbyDot = element("span", { class: "dot", "aria-hidden": "true" });
		const nearbyName = this.cards.nearby.name;
		nearbyName.parentNode.insertBefore(this.nearbyDot, nearbyName);

		this.facts = element("dl", { class: "facts" });
		this.cards.device.node.appendChild(this.facts);
		this.rows = new Map();

		this.alerts = element("ul", { class: "alerts", "aria-label": "Problems", hidden: true });
		section.insertBefore(this.alerts, grid);
		this.signOut = element("button", { type: "button", class: "button", text: "Sign out", hidden: true, click: () => this.leave() });
		section.appendChild(this.signOut);
		try { setShown(this.signOut, localStorage.getItem("trilateral-signed-in") === "1"); } catch (error) { /* no store */ }
	}

	makeCard(lane) {
		const name = element("span");
		const description = element("p", { class: "card-description" });
		const node = element("article", { class: "card card-" + lane },
			element("h3", { text: TITLES[lane] }), element("p", { class: "card-name" }, name), description);
		this.cards[lane] = { node, name, description };
		return node;
	}

	makeButton(text, word) {
		const button = element("button", {
			type: "button", class: "button", text, "aria-label": word === "next" ? "Next place" : "Previous place",
			click: () => this.app.commands.press(button, "api/environment/set", { environment: word })
		});
		return button;
	}

	async leave() {
		if (!await this.app.commands.send("api/sign-out", {})) return;
		try { localStorage.removeItem("trilateral-signed-in"); } catch (error) { /* no store */ }
		location.replace("sign-in");
	}

	update() {
		const { model, motion } = this.app;
		const { environment, zone, nearby, device } = model;
		this.fill("environment", environment, "No place is loaded", environment && environment.description);
		const stay = zone && zone.since ? since(zone.since, Date.now()) : "";
		this.fill("zone", zone, environment ? "In no zone" : "None",
			[zone && zone.description, stay && "For " + stay].filter(Boolean).join("\n"));
		const far = nearby ? metres(model.distance(motion.goal("position"), nearby)) : "";
		this.fill("nearby", nearby, "Nothing is near",
			nearby && [nearby.description, [far, summary(nearby)].filter(Boolean).join(" · ")].filter(Boolean).join("\n"));
		paint(this.nearbyDot, nearby);
		setShown(this.nearbyDot, Boolean(nearby));
		this.fill("device", device, "No device", null);
		for (const button of [this.previous, this.next]) {
			setShown(button, Boolean(environment) || model.environments.size > 0);
			setAttribute(button, "disabled", model.environments.size < 2 ? "disabled" : null);
		}
		this.fillFacts(device);
		this.fillAlerts();
	}

	fill(lane, object, otherwise, description) {
		const card = this.cards[lane];
		setText(card.name, object ? nameOf(object) : otherwise);
		setText(card.description, clip(description, 400));
		setShown(card.description, Boolean(description));
		card.node.classList.toggle("card-empty", !object);
	}

	fillFacts(device) {
		const state = this.app.model.state || {};
		const facts = [];
		const position = device && device.position;
		if (position) facts.push(["Position", "x " + position.x.toFixed(2) + "  y " + position.y.toFixed(2) +
			(Number.isFinite(position.z) ? "  z " + position.z.toFixed(2) : "") + " m"]);
		else if (device) facts.push(["Position", "unknown"]);
		if (device && Number.isFinite(device.accuracy_m)) facts.push(["Accuracy", "± " + metres(device.accuracy_m)]);
		if (device && device.quality) facts.push(["Quality", clip(device.quality, 24)]);
		if (device) facts.push(["Heading", Number.isFinite(device.angle) ? Math.round(device.angle) % 360 + "°" : "unknown"]);
		if (device && device.source) facts.push(["Source", clip(device.source, 40)]);
		if (device && typeof device.moving === "boolean") facts.push(["Moving", device.moving ? "yes" : "no"]);
		const life = state.lifecycle;
		if (life && life.state) facts.push(["Controller", words(life.state)]);
		const sound = (state.audio && state.audio.state) || (life && life.audio);
		if (typeof sound === "string") facts.push(["Sound", words(sound)]);
		arrange(this.facts, facts.map(([title, text]) => {
			let row = this.rows.get(title);
			if (!row) {
				row = element("div", null, element("dt", { text: title }), element("dd"));
				this.rows.set(title, row);
			}
			setText(row.lastChild, text);
			return row;
		}));
	}

	fillAlerts() {
		const alerts = Array.from(this.app.model.alerts.values()).slice(0, 5);
		setShown(this.alerts, alerts.length > 0);
		const key = JSON.stringify(alerts);
		if (key === this.alertsKey) return;
		this.alertsKey = key;
		arrange(this.alerts, alerts.map(alert => element("li", { text: clip(alert.message || alert.id, 300) })));
	}
}
