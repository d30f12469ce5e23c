// The link to the daemon: its event stream, the lists behind it, and its loss.

const TYPES = ["state", "thing", "zone", "environment", "nearby", "lifecycle", "alert", "frame", "screen", "banner",
	"permissions", "device", "ping"];
const REQUEST_TIMEOUT = 10000;
// Lists are long, and a network may be slow.
const LIST_TIMEOUT = 60000;
// The browser tries again by itself for so long; then the stream is opened anew.
const PATIENCE = 8000;
// The stream says something every 5 s. After so long a silence the daemon hangs, or the network is gone.
const SILENCE = 12000;
const WATCH = 1000;
const SLOWEST = 15000;
const FULL_RETRY = 30000;
const MOST_PENDING = 2000;
// A page that nobody sees gives its connection back.
const HIDDEN_TIME = 5000;
// A page that has none, because others of this browser have them, asks so often.
const POLL = 5000;

/** A request to the daemon, below the page's own folder, with an end. */
export async function request(path, options, timeout) {
	const control = window.AbortController && new AbortController();
	let timer = 0;
	const isOver = new Promise((resolve, reject) => {
		timer = setTimeout(() => {
			reject(new Error(path + ": no answer"));
			if (control) control.abort();
		}, timeout || REQUEST_TIMEOUT);
	});
	const ask = async () => {
		const response = await fetch(path, Object.assign({ cache: "no-store", credentials: "same-origin" },
			control && { signal: control.signal }, options));
		if (response.status === 401) location.replace("sign-in" + location.search);
		const body = await response.json().catch(() => null);
		return { response, body };
	};
	try {
		return await Promise.race([ask(), isOver]);
	} finally {
		clearTimeout(timer);
	}
}

export const post = (path, body, headers) => request(path, {
	method: "POST", headers: Object.assign({ "Content-Type": "application/json" }, headers), body: JSON.stringify(body)
});

/** What a path has. */
export async function read(path, timeout) {
	const { response, body } = await request(path, null, timeout);
	if (!response.ok || body === null) throw new Error(path + ": " + response.status);
	return body;
}

const readLists = () => Promise.all(["environments", "zones", "things", "permissions"].map(name => read("api/" + name, LIST_TIMEOUT)));

/** Calls its listener's onState, readDevices, onLists, onChange, onLink("connecting", "up", "lost" or "full"), onOpen and onEpoch. */
export class Feed {
	constructor(display, siblings, listener) {
		this.address = "api/events?display=" + encodeURIComponent(display) + "&page=" + siblings.page;
		this.siblings = siblings;
		this.listener = listener;
		this.epoch = null;
		this.failures = 0;
		this.pending = [];
		this.isComplete = false;
		/** When the daemon was last heard. */
		this.lastHeard = Date.now();
	}

	start() {
		this.open();
		this.attend();
		this.siblings.onCrowd = () => this.giveWay();
		setInterval(() => this.watch(), WATCH);
		window.addEventListener("online", () => { if (this.source) this.open(); });
		document.addEventListener("visibilitychange", () => this.attend());
		const take = () => { if (this.isCrowded) this.open(); };
		for (const name of ["focus", "pointerdown"]) window.addEventListener(name, take, true);
	}

	stop() {
		clearTimeout(this.timer);
		if (!this.source) return;
		this.source.close();
		this.source = null;
		this.siblings.streamClosed();
	}

	open() {
		this.stop();
		this.isCrowded = false;
		this.began = Date.now();
		const source = this.source = new EventSource(this.address);
		for (const type of TYPES) source.addEventListener(type, event => this.hear(source, type, event));
		source.onopen = () => this.opened(source);
		source.onerror = () => this.failed(source);
		this.siblings.streamOpened();
	}

	/** Has a stream while the page is seen. */
	attend() {
		clearTimeout(this.hiding);
		if (document.hidden) this.hiding = setTimeout(() => this.hide(), HIDDEN_TIME);
		else if (!this.source) {
			this.listener.onLink("connecting");
			this.open();
		}
	}

	hide() {
		if (this.isComplete && !this.isLoading) {
			this.isCrowded = false;
			this.leave();
		} else this.attend();
	}

	/** Other pages of this browser have been opened or used after this one: asks from time to time instead. */
	giveWay() {
		if (!this.source || !this.isComplete) return;
		this.isCrowded = true;
		this.leave();
		this.poll();
	}

	leave() {
		this.stop();
		// The daemon must hear it after the end of the stream.
		setTimeout(() => this.listener.onOpen(), 3000);
	}

	async poll() {
		if (!this.isCrowded) return;
		try {
			const state = await read("api/state");
			if (!this.isCrowded) return;
			this.lastHeard = Date.now();
			this.hearState(state);
			if (!this.isLoading) this.load();
		} catch (error) {
			if (!this.isCrowded) return;
			this.listener.onLink("lost");
		}
		this.timer = setTimeout(() => this.poll(), POLL);
	}

	opened(source) {
		if (source !== this.source) return;
		clearTimeout(this.timer);
		this.failures = 0;
		this.isFresh = true;
		this.lastHeard = Date.now();
		this.listener.onOpen();
		if (this.isComplete) this.listener.onLink("up");
	}

	hear(source, type, event) {
		if (source !== this.source) return;
		this.lastHeard = Date.now();
		if (type === "ping") return;
		let value;
		try { value = JSON.parse(event.data); } catch (error) { return; }
		if (!value || typeof value !== "object") return;
		if (type === "state") this.hearState(value);
		else if (["frame", "screen", "banner"].indexOf(type) >= 0 || !this.isLoading) this.listener.onChange(type, value);
		else if (this.pending.length < MOST_PENDING) this.pending.push([type, value]);
		else this.isOutdated = true;
		this.isFresh = false;
	}

	hearState(state) {
		const environment = (state.environment && state.environment.id) || null;
		const isOther = state.epoch !== this.epoch || environment !== this.environment;
		// A stream that starts over may come from another daemon, or from another page of it.
		const isRestarted = this.epoch !== null && (this.isFresh || state.epoch !== this.epoch);
		this.epoch = state.epoch;
		this.environment = environment;
		this.listener.onState(state);
		if (this.isFresh || isOther || !(this.isComplete || this.isLoading)) this.load();
		this.isFresh = false;
		if (isRestarted) this.listener.onEpoch();
	}

	/** Fetches the lists; what changes meanwhile is applied afterwards. Lists that are on their way are let come. */
	async load() {
		this.isOutdated = Boolean(this.isLoading);
		if (this.isLoading) return;
		this.isLoading = true;
		let lists = null;
		try {
			lists = await readLists();
			lists.push(await this.listener.readDevices(lists[1]));
		} catch (error) { /* told below */ }
		this.isLoading = false;
		this.isComplete = lists !== null;
		const pending = this.pending.splice(0);
		if (!lists) {
			this.listener.onLink("lost");
			if (this.source) this.again(this.pause());
			return;
		}
		this.listener.onLists(...lists);
		for (const [type, value] of pending) this.listener.onChange(type, value);
		if (this.isOutdated) this.load();
		else if (this.isCrowded || (this.source && this.source.readyState === EventSource.OPEN)) this.listener.onLink("up");
	}

	failed(source) {
		if (source !== this.source) return;
		this.listener.onLink("lost");
		if (source.readyState === EventSource.CLOSED) this.explain();
		else if (!this.failures++) this.again(PATIENCE);
	}

	/** The stream was refused: the daemon is away, a password is needed, or too many streams are open. */
	async explain() {
		clearTimeout(this.timer);
		let pause = this.pause();
		try {
			const state = await read("api/state");
			// It answers, only not with a stream: show what is so now.
			this.hearState(state);
			this.listener.onLink("full");
			pause = FULL_RETRY * (0.75 + Math.random() / 2);
		} catch (error) { /* still away */ }
		this.again(pause);
	}

	pause() {
		this.failures += 1;
		return Math.min(500 * Math.pow(2, this.failures), SLOWEST) * (0.75 + Math.random() / 2);
	}

	again(pause) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => { if (this.source) this.open(); }, pause);
	}

	/** A connection on which nothing comes does not always end by itself. */
	watch() {
		if (!this.source || this.source.readyState === EventSource.CLOSED) return;
		const isOpen = this.source.readyState === EventSource.OPEN;
		const silence = Date.now() - (isOpen ? this.lastHeard : this.began);
		if (silence < (isOpen ? SILENCE : 2 * SLOWEST)) return;
		this.listener.onLink("lost");
		this.open();
	}
}
