// What the page says where there is nothing to show: what is missing, why, and what can be done about it.

import { arrange, coded, element, set, setText, show } from "./dom.js";
import { post } from "./feed.js";
import { clip, say } from "./text.js";

// The reason is asked for again so often while it lasts.
const PAUSE = 60000;

const byID = id => document.getElementById(id);

const linkTo = (href, text) => element("a", { class: "button", href, text });
const link = (href, text) => linkTo(href, say(text));

/** Without a place there is one sentence in the place of all views, and for who administers the way to make one. */
export function drawPlaceless({ model, devices }) {
	const missing = devices && devices.missing;
	const isEmpty = model.isLoaded && (missing || !model.environment && !model.here.things.length && !model.here.zones.length);
	document.body.classList.toggle("placeless", isEmpty);
	show(byID("placeless"), isEmpty);
	const { administers, signed_in: isSignedIn, users } = model.permissions;
	const isHidden = model.hides("environment");
	const texts = [missing || (isHidden ? "You may not see the place where this device is."
		: model.environments.size ? "No place is loaded" : "There is no place yet.")];
	if (isHidden && !missing) texts.push("Somebody who owns the place can let you see it.");
	if (texts[0] === "There is no place yet." && users && !isSignedIn) {
		texts.push("Sign in to make one, or run: `trilateral import FILE`");
	}
	// The page of another device would say the same of the place.
	const pages = devices && !missing && !isHidden ? devices.pages : [];
	const key = isEmpty && JSON.stringify([texts, pages, model.permissions]);
	if (byID("placeless").drawn === key) return;
	byID("placeless").drawn = key;
	const nodes = texts.map(text => element("p", null, ...coded(say(text))));
	nodes.push(...pages.map(({ href, text }) => linkTo(href, text)));
	if (missing) nodes.push(link("kiosk", "Show the first device"));
	else if (administers && users) nodes.push(link("admin", "Make a place"));
	if (users && !administers) nodes.push(isSignedIn ? link("me", "My account") : link("sign-in", "Sign in"));
	arrange(byID("placeless"), isEmpty ? nodes : []);
}

/** Why the device has no position, in the daemon's words. */
export class Reason {
	constructor(app) {
		this.app = app;
		this.asked = -Infinity;
	}

	draw() {
		const { model, link: state } = this.app;
		const isMissing = Boolean(model.isLoaded && model.environment && !model.position && !model.hides("device") && state === "up");
		show(byID("reason"), isMissing && byID("reason").textContent);
		if (!isMissing || document.hidden || performance.now() - this.asked < PAUSE) return;
		this.asked = performance.now();
		this.ask();
		setTimeout(() => this.app.redraw(), PAUSE + 100);
	}

	async ask() {
		try {
			const { devices } = this.app;
			const { response, body } = await post((devices ? devices.path : "api/") + "request/explain", { subject: "zone" });
			const text = response.ok && body && body.data && body.data.text;
			setText(byID("reason"), text ? clip(text, 400) : "");
			this.app.redraw();
		} catch (error) { /* asked again */ }
	}
}
