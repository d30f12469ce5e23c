// Commands to the daemon, and the notices that say why one was refused.

import { button, element } from "./dom.js";
import { capital, clip, say } from "./text.js";
import { post } from "./feed.js";

const MOST_NOTICES = 3;
const NOTICE_TIME = 10000;

export class Commands {
	constructor(display, area) {
		this.display = display;
		this.area = area;
	}

	/** Sends a command. Returns whether it was done; if not, the person has been told why. */
	async send(path, body) {
		try {
			const answer = await post(path, body, { "X-Display": this.display });
			const error = answer.body && answer.body.error;
			if (answer.response.ok && !error) return true;
			// Overtaken by a later command of the same kind: nothing went wrong.
			if (error && error.code === "superseded") return true;
			this.notify((error && error.message) || say("The command was refused") + " (" + answer.response.status + ").");
		} catch (error) {
			this.notify(say("Trilateral does not answer. Perhaps the command was not carried out."));
		}
		return false;
	}

	/** Sends when a button is pressed, which is busy until the answer. */
	async press(node, path, body) {
		if (node.getAttribute("aria-busy")) return;
		node.setAttribute("aria-busy", "true");
		await this.send(path, body);
		node.removeAttribute("aria-busy");
	}

	notify(text) {
		const message = sentence(text);
		const notices = Array.from(this.area.children);
		const equal = notices.find(notice => notice.firstChild.textContent === message);
		if (equal) this.area.removeChild(equal);
		else if (notices.length >= MOST_NOTICES) this.area.removeChild(notices[0]);
		const notice = element("div", { class: "notice" }, element("p", { text: message }));
		const remove = () => { if (notice.parentNode === this.area) this.area.removeChild(notice); };
		notice.appendChild(button({ "aria-label": say("Dismiss"), text: "✕" }, remove));
		this.area.appendChild(notice);
		setTimeout(remove, NOTICE_TIME);
	}
}

function sentence(text) {
	const value = capital(clip(text, 300));
	return /[.!?…]$/.test(value) ? value : value + ".";
}

/** Sends the newest value only, one after the other: for sliders. */
export class Latest {
	constructor(send) {
		this.send = send;
		this.isBusy = false;
		this.next = undefined;
		this.touched = -Infinity;
	}

	/** Whether a person is at it, so that values from elsewhere have to wait. */
	get isActive() { return this.isBusy || performance.now() - this.touched < 1000; }

	async set(value) {
		this.touched = performance.now();
		this.next = value;
		if (this.isBusy) return;
		this.isBusy = true;
		while (this.next !== undefined) {
			const sent = this.next;
			this.next = undefined;
			await this.send(sent);
		}
		this.isBusy = false;
	}
}

export const thingPath = (thing, verb) => "api/things/" + encodeURIComponent(thing.slug || thing.id) + "/" + verb;
