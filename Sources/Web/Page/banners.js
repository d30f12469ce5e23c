// Banners: what rules show on this display, one after the other, each for its time.

import { button, element } from "./dom.js";
import { clip, say } from "./text.js";

const MOST_WAITING = 20;
const MOST_CHARACTERS = 1000;
const SHORTEST = 3;
const LONGEST = 600;

export class Banners {
	/** `area` is a live region, which is there from the beginning: screen readers read out what comes into it. */
	constructor(area) {
		this.area = area;
		this.waiting = [];
		this.shown = null;
	}

	/** What the daemon says. */
	hear(value) {
		const title = clip(value.title, MOST_CHARACTERS);
		const text = clip(value.text, MOST_CHARACTERS);
		if (!title && !text) return;
		const seconds = Number.isFinite(value.seconds) ? Math.min(Math.max(value.seconds, SHORTEST), LONGEST) : 10;
		this.waiting.push({ title, text, seconds });
		// The newest ones count.
		if (this.waiting.length > MOST_WAITING) this.waiting.shift();
		if (!this.shown) this.next();
	}

	next() {
		clearTimeout(this.timer);
		if (this.shown) this.area.removeChild(this.shown);
		this.shown = null;
		const banner = this.waiting.shift();
		if (!banner) return;
		const words = element("div", { class: "banner-words", tabindex: 0 });
		for (const [name, text] of [["h2", banner.title], ["p", banner.text]]) {
			if (text) words.appendChild(element(name, { text }));
		}
		this.shown = element("div", { class: "banner" }, words);
		this.shown.appendChild(button({ "aria-label": say("Dismiss"), text: "✕" }, () => this.next()));
		this.area.appendChild(this.shown);
		this.timer = setTimeout(() => this.next(), banner.seconds * 1000);
	}
}
