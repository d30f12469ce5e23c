// Commands to the daemon, and the notices that say why one was refused.

import { button, element } from "./dom.js";
import { capital, clip, say } from "./text.js";
import { post } from "./feed.js";

const MOST_NOTICES = 3;
const NOTICE_TIME = 10000;
// A command that takes longer than that is no surprise only when the page says so.
const WAIT_TIME = 3000;
// At most six a second: each is a row of the log, and perhaps a message to a lamp by radio.
const PACE = 170;

export class Commands {
	constructor(display, area) {
		this.display = display;
		this.area = area;
	}

	/** Where a command goes, and its body; another one on a page that shows another device. */
	route(path, body) { return [path, body]; }

	/** Sends a command. Returns whether it was done; if not, the person has been told why. */
	async send(path, body) {
		let forget = () => {};
		const timer = setTimeout(() => { forget = this.notify(say("No answer from Trilateral yet.")); }, WAIT_TIME);
		try {
			const answer = await post(...this.route(path, body), { "X-Display": this.display });
			const error = answer.body && answer.body.error;
			if (answer.response.ok && !error) return true;
			// Overtaken by a later command of the same kind: nothing went wrong.
			if (error && error.code === "superseded") return true;
			this.notify((error && error.message) || say("The command was refused") + " (" + answer.response.status + ").");
		} catch (error) {
			this.notify(say("Trilateral does not answer. Perhaps the command was not carried out."));
		} finally {
			clearTimeout(timer);
			forget();
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

	/** Tells something for a while. Returns what takes it back. */
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
		return remove;
	}
}

function sentence(text) {
	const value = capital(clip(text, 300));
	return /[.!?…]$/.test(value) ? value : value + ".";
}

/** Sends the newest value only, one after the other and not too often: for sliders. */
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
			const pause = new Promise(resolve => setTimeout(resolve, PACE));
			await this.send(sent);
			await pause;
		}
		this.isBusy = false;
	}
}

export const thingPath = (thing, verb) => "api/things/" + encodeURIComponent(thing.slug || thing.id) + "/" + verb;
