// What the page tells about itself: which display it is, and whether it is seen.

import { post } from "./feed.js";

const isLegal = id => /^(?!all$)[A-Za-z0-9_-]{1,64}$/.test(id || "");

/** The id under which the daemon knows this display. */
export function displayID(asked) {
	if (isLegal(asked)) return asked;
	const key = "trilateral-display";
	let id = null;
	try { id = localStorage.getItem(key); } catch (error) { /* no store */ }
	if (!isLegal(id)) {
		id = "kiosk-" + crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
		try { localStorage.setItem(key, id); } catch (error) { /* no store */ }
	}
	return id;
}

export class Presence {
	constructor(display) {
		this.path = "api/display/" + encodeURIComponent(display) + "/presence";
		document.addEventListener("visibilitychange", () => this.tell());
		window.addEventListener("pageshow", () => { this.isGone = false; });
		window.addEventListener("pagehide", () => {
			this.isGone = true;
			if (!navigator.sendBeacon) return;
			navigator.sendBeacon(this.path, new Blob([JSON.stringify(this.last || "gone")], { type: "application/json" }));
		});
	}

	tell() {
		// A page that goes becomes hidden afterwards.
		if (this.isGone) return;
		post(this.path, { presence: document.hidden ? "hidden" : "visible" }).catch(() => { /* told again with the next stream */ });
	}
}
