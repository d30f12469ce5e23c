// What the page tells about itself: whether it is seen.

import { post } from "./feed.js";

// A page without a stream counts for ten minutes after its last word.
const REPEAT = 240000;

export class Presence {
	constructor(display, page) {
		this.path = "api/display/" + encodeURIComponent(display) + "/presence";
		this.page = page;
		document.addEventListener("visibilitychange", () => this.tell());
		window.addEventListener("pageshow", () => { this.isGone = false; });
		window.addEventListener("pagehide", () => {
			this.isGone = true;
			this.leave({ presence: this.last || "gone", page });
		});
		setInterval(() => this.tell(), REPEAT);
	}

	/** The last word, which has to leave while the page goes. */
	leave(body) {
		const text = JSON.stringify(body);
		try {
			if (navigator.sendBeacon(this.path, new Blob([text], { type: "application/json" }))) return;
		} catch (error) { /* an old browser sends no JSON in this way */ }
		const request = new XMLHttpRequest();
		request.open("POST", this.path, false);
		request.setRequestHeader("Content-Type", "application/json");
		try { request.send(text); } catch (error) { /* it is gone with its stream */ }
	}

	tell() {
		// A page that goes becomes hidden afterwards.
		if (this.isGone) return;
		post(this.path, { presence: document.hidden ? "hidden" : "visible", page: this.page })
			.catch(() => { /* told again with the next stream */ });
	}
}
