// What a page needs that stays open for long: it keeps the screen on, and makes way for what is newer.

import { element } from "./dom.js";
import { read } from "./feed.js";

const RETRY = 5000;
const FRAME = 5000;

/** What the configuration says, without what changes while it runs. */
const contents = experience => JSON.stringify(Object.assign({}, experience, { language: null }));

/** Loads the page anew when the daemon has been replaced by one with another page, or with another configuration. */
export class Version {
	constructor(app) {
		this.experience = app.experience;
		const modules = this.experience ? this.experience.modules : [];
		// The page names its files by an address that changes with them; own modules have tags.
		this.files = ["kiosk"].concat(modules.map(name => "kiosk/modules/" + name + ".js"));
		this.read().then(known => {
			this.known = known;
			if (app.isRestarted) this.check();
		});
	}

	/** The tags of the page and of its own modules; null when one cannot be had. */
	async read() {
		try {
			const answers = await Promise.all(this.files.map(file => fetch(file, { method: "HEAD", credentials: "same-origin" })));
			const isGood = answers.every(answer => answer.ok || answer.status === 404);
			return isGood ? answers.map(answer => answer.headers.get("ETag")).join() : null;
		} catch (error) {
			return null;
		}
	}

	async check() {
		const [now, experience] = await Promise.all([this.read(), read("api/experience").catch(() => null)]);
		const isOther = now && this.known && now !== this.known;
		if (isOther || (experience && this.experience && contents(experience) !== contents(this.experience))) location.reload();
		else if (!now || !experience) setTimeout(() => this.check(), RETRY);
	}
}

/** Keeps the screen on while the page is seen: by a lock, or by a film where the browser has none, or not without TLS. */
export function keepScreenOn() {
	const act = navigator.wakeLock
		? () => navigator.wakeLock.request("screen").catch(() => { /* not allowed */ }) : playNothing();
	const ask = () => { if (!document.hidden) act(); };
	document.addEventListener("visibilitychange", ask);
	ask();
}

/** Makes a film in which nothing happens; returns what plays it. Screens stay on only for one that is large. */
function playNothing() {
	const canvas = element("canvas", { width: 16, height: 16 });
	if (!canvas.captureStream) return () => {};
	const film = element("video", { id: "film", muted: true, playsinline: true, "aria-hidden": "true", tabindex: -1 });
	film.muted = true;
	const draw = () => canvas.getContext("2d").clearRect(0, 0, 1, 1);
	draw();
	setInterval(draw, FRAME);
	film.srcObject = canvas.captureStream();
	document.body.appendChild(film);
	return () => { film.play().catch(() => { /* not allowed before a tap, or at all */ }); };
}
