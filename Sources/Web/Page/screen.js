// What the page tells about itself and asks of the browser: presence, wake lock, its own version.

import { request } from "./feed.js";

/** The id under which the daemon knows this display. */
export function displayID(asked) {
	if (asked && /^[A-Za-z0-9_-]{1,64}$/.test(asked)) return asked;
	const key = "trilateral-display";
	let id = null;
	try { id = localStorage.getItem(key); } catch (error) { /* not allowed here */ }
	if (!id || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
		id = "kiosk-" + Array.from(crypto.getRandomValues(new Uint8Array(4)), byte =>
			(byte + 256).toString(16).slice(1)).join("");
		try { localStorage.setItem(key, id); } catch (error) { /* a new one next time */ }
	}
	return id;
}

export class Presence {
	constructor(display) {
		this.path = "api/display/" + encodeURIComponent(display) + "/presence";
		document.addEventListener("visibilitychange", () => this.tell());
		window.addEventListener("pagehide", () => {
			if (!navigator.sendBeacon) return;
			navigator.sendBeacon(this.path, new Blob([JSON.stringify({ presence: "gone" })], { type: "application/json" }));
		});
	}

	tell() {
		const presence = document.hidden ? "hidden" : "visible";
		request(this.path, {
			method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ presence })
		}).catch(() => { /* it is told again when the stream is open again */ });
	}
}

/** Keeps the screen on while the page is seen, where the browser can. */
export function keepScreenOn() {
	if (!navigator.wakeLock) return;
	const ask = () => {
		if (!document.hidden) navigator.wakeLock.request("screen").catch(() => { /* battery saver, or not allowed */ });
	};
	document.addEventListener("visibilitychange", ask);
	ask();
}

/** Loads the page anew when the daemon has been replaced by one with another page. */
export class Version {
	constructor() { this.known = null; }

	async read() {
		const addresses = ["kiosk"].concat(Array.from(
			document.querySelectorAll("link[rel=modulepreload], link[rel=stylesheet]"), link => link.getAttribute("href")));
		const tags = await Promise.all(addresses.map(async address => {
			const response = await fetch(address, { credentials: "same-origin" });
			return response.ok ? response.headers.get("ETag") : null;
		}));
		return tags.every(tag => tag !== null) ? tags.join() : null;
	}

	async remember() {
		this.known = await this.read().catch(() => null);
	}

	async check() {
		const now = await this.read().catch(() => null);
		if (now !== null && this.known !== null && now !== this.known) location.reload();
	}
}
