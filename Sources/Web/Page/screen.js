// What the page tells about itself and asks of the browser: presence, wake lock, its own version.

import { request } from "./feed.js";

/** The id under which the daemon knows this display. */
export function displayID(asked) {
	if (asked && /^[A-Za-z0-9_-]{1,64}$/.test(asked)) return asked;
	const key = "trilateral-display";
	let id = null;
	try { id = localStorage.getItem(key); } catch (error) { /* no store */ }
	if (!id || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
		id = "kiosk-" + Array.from(crypto.getRandomValues(new Uint8Array(4)), byte =>
			(byte + 256).toString(16).slice(1)).join("");
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
			navigator.sendBeacon(this.path, new Blob([JSON.stringify({ presence: "gone" })], { type: "application/json" }));
		});
	}

	tell() {
		// A page that goes becomes hidden afterwards.
		if (this.isGone) return;
		const presence = document.hidden ? "hidden" : "visible";
		request(this.path, {
			method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ presence })
		}).catch(() => { /* told again with the next stream */ });
	}
}

/** Keeps the screen on while the page is seen, where the browser can. */
export function keepScreenOn() {
	if (!navigator.wakeLock) return;
	const ask = () => {
		if (!document.hidden) navigator.wakeLock.request("screen").catch(() => { /* not allowed */ });
	};
	document.addEventListener("visibilitychange", ask);
	ask();
}
