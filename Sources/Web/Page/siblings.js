// The other pages of this browser: each has a display of its own, and they share its few connections to the daemon.

// A browser has six connections to one server; two are left for what is asked and loaded.
const MOST_STREAMS = 4;
const PAGES = "trilateral-pages";
const DISPLAYS = "trilateral-displays";
const OWN = "trilateral-display";
// So long another page may take to say that a display is its own.
const ANSWER_TIME = 250;

export const isLegal = id => /^(?!all$)[A-Za-z0-9_-]{1,64}$/.test(id || "");

const random = () => crypto.getRandomValues(new Uint32Array(2)).reduce((text, part) => text + part.toString(36), "");

function readDisplays() {
	try {
		const displays = JSON.parse(localStorage.getItem(DISPLAYS));
		return displays && typeof displays === "object" ? displays : {};
	} catch (error) { return {}; /* no store, or not ours */ }
}

function store(area, key, value) {
	try { window[area].setItem(key, value); } catch (error) { /* no store: this page is the only one */ }
}

function recall(area, key) {
	try { return window[area].getItem(key); } catch (error) { return null; }
}

/** What pages tell each other is a change of a key in the browser's store, which all others hear of. */
export class Siblings {
	constructor() {
		/** The name of this page, until it is loaded anew. */
		this.page = random();
		this.display = null;
		this.later = new Set();
		this.count = 0;
		/** Called when so many pages have opened a stream after this one that it has to do without. */
		this.onCrowd = () => {};
		window.addEventListener("storage", event => { if (event.key === PAGES && event.newValue) this.hear(event.newValue.split(" ")); });
		window.addEventListener("pagehide", () => this.release());
		window.addEventListener("pageshow", event => { if (event.persisted && this.display) this.claim(); });
	}

	say(...words) {
		this.count += 1;
		// An equal value would be no change.
		store("localStorage", PAGES, words.concat(this.page, this.count).join(" "));
	}

	hear([word, about, page]) {
		if (word === "open") this.later.add(about);
		else if (word === "close") this.later.delete(about);
		else if (word === "whose" && about === this.display) this.say("mine", about);
		else if (word === "mine" && about === this.wanted && page !== this.page) this.wanted = null;
		if (this.later.size >= MOST_STREAMS) {
			this.later.clear();
			this.onCrowd();
		}
	}

	streamOpened() {
		this.later.clear();
		this.say("open", this.page);
	}

	streamClosed() { this.say("close", this.page); }

	/** The id under which the daemon knows this display: that of the address, or one of its own, again after each start. */
	async findDisplay(asked) {
		if (isLegal(asked)) return asked;
		let id = [recall("sessionStorage", OWN), recall("localStorage", OWN)].find(isLegal) || "kiosk-" + random();
		if (readDisplays()[id] && !await this.isFree(id)) id = "kiosk-" + random();
		if (!isLegal(recall("localStorage", OWN))) store("localStorage", OWN, id);
		store("sessionStorage", OWN, id);
		this.display = id;
		this.claim();
		return id;
	}

	claim() {
		store("localStorage", DISPLAYS, JSON.stringify(Object.assign(readDisplays(), { [this.display]: this.page })));
	}

	/** Whether no page shows a display: one that was has not always said that it went. */
	async isFree(id) {
		this.wanted = id;
		this.say("whose", id);
		await new Promise(resolve => setTimeout(resolve, ANSWER_TIME));
		return this.wanted === id;
	}

	release() {
		const displays = readDisplays();
		if (!this.display || displays[this.display] !== this.page) return;
		delete displays[this.display];
		store("localStorage", DISPLAYS, JSON.stringify(displays));
	}
}
