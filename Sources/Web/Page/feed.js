// The link to the daemon: its event stream, the lists behind it, and its loss.

const TYPES = ["state", "thing", "zone", "environment", "nearby", "lifecycle", "alert", "frame", "screen"];
const REQUEST_TIMEOUT = 10000;
// The browser tries again by itself for so long; then the stream is opened anew.
const PATIENCE = 8000;
// Nothing heard for so long: ask whether the daemon is still the same.
const SILENCE = 30000;
const SLOWEST = 15000;
const FULL_RETRY = 30000;
const MOST_PENDING = 2000;

/** A request to the daemon, below the page's own folder, with an end. */
export async function request(path, options) {
	const control = new AbortController();
	const timer = setTimeout(() => control.abort(), REQUEST_TIMEOUT);
	try {
		const response = await fetch(path, Object.assign({ cache: "no-store", signal: control.signal }, options));
		if (response.status === 401) location.replace("sign-in" + location.search);
		const body = await response.json().catch(() => null);
		return { response, body };
	} finally {
		clearTimeout(timer);
	}
}

export const post = (path, body, headers) => request(path, {
	method: "POST", headers: Object.assign({ "Content-Type": "application/json" }, headers), body: JSON.stringify(body)
});

/** What a path has. */
export async function read(path) {
	const { response, body } = await request(path);
	if (!response.ok || body === null) throw new Error(path + ": " + response.status);
	return body;
}

/** Calls its listener's onState, onLists, onChange, onLink("up", "lost" or "full"), onOpen and onEpoch. */
export class Feed {
	constructor(display, listener) {
		this.address = "api/events?display=" + encodeURIComponent(display);
		this.listener = listener;
		this.epoch = null;
		this.turns = this.loading = this.failures = 0;
		this.pending = [];
		this.isComplete = false;
	}

	start() {
		this.open();
		setInterval(() => this.watch(), 5000);
		window.addEventListener("online", () => this.open());
	}

	stop() {
		clearTimeout(this.timer);
		if (this.source) this.source.close();
		this.source = null;
	}

	open() {
		this.stop();
		const source = this.source = new EventSource(this.address);
		for (const type of TYPES) source.addEventListener(type, event => this.hear(source, type, event));
		source.onopen = () => this.opened(source);
		source.onerror = () => this.failed(source);
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
		let value;
		try { value = JSON.parse(event.data); } catch (error) { return; }
		if (!value || typeof value !== "object") return;
		if (type === "state") this.hearState(value);
		else if (type === "frame" || type === "screen" || !this.loading) this.listener.onChange(type, value);
		else if (this.pending.length < MOST_PENDING) this.pending.push([type, value]);
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
		if (this.isFresh || isOther || !this.isComplete) this.load();
		if (isRestarted) this.listener.onEpoch();
	}

	/** Fetches the lists; what changes meanwhile is applied afterwards. */
	async load() {
		const turn = ++this.turns;
		this.loading = turn;
		try {
			const lists = await Promise.all([read("api/environments"), read("api/zones"), read("api/things")]);
			if (this.loading !== turn) return;
			this.loading = 0;
			this.isComplete = true;
			this.listener.onLists(lists[0], lists[1], lists[2]);
			for (const [type, value] of this.pending.splice(0)) this.listener.onChange(type, value);
			if (this.source && this.source.readyState === EventSource.OPEN) this.listener.onLink("up");
		} catch (error) {
			if (this.loading !== turn) return;
			this.loading = 0;
			this.pending.length = 0;
			this.isComplete = false;
			this.listener.onLink("lost");
			this.again(this.pause());
		}
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
		this.timer = setTimeout(() => this.open(), pause);
	}

	/** Comments of the stream cannot be seen from here; so a long silence is answered with a question. */
	async watch() {
		const isOpen = this.source && this.source.readyState === EventSource.OPEN;
		if (!isOpen || Date.now() - this.lastHeard < SILENCE) return;
		this.lastHeard = Date.now();
		try {
			const state = await read("api/state");
			if (state.epoch !== this.epoch) this.open();
		} catch (error) {
			this.listener.onLink("lost");
			this.open();
		}
	}
}
