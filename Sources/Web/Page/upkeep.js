// What a page needs that stays open for long: it keeps the screen on, and makes way for what is newer.

import { read } from "./feed.js";

const RETRY = 5000;

/** What the configuration says, without what changes while it runs. */
const contents = experience => JSON.stringify(Object.assign({}, experience, { language: null }));

/** Loads the page anew when the daemon has been replaced by one with another page, or with another configuration. */
export class Version {
	constructor(app) {
		this.experience = app.experience;
		const files = performance.getEntriesByType("resource").map(entry => entry.name)
			.filter(name => /\/kiosk\/[^?]+\.(js|css)$/.test(name));
		const modules = this.experience ? this.experience.modules : [];
		const paths = ["kiosk"].concat(modules.map(name => "kiosk/modules/" + name + ".js"));
		this.files = Array.from(new Set(files.concat(paths.map(path => new URL(path, document.baseURI).href))));
		this.read().then(known => {
			this.known = known;
			if (app.isRestarted) this.check();
		});
	}

	/** The tags of the page's files, of its screens and of their modules; null when one cannot be had. */
	async read() {
		try {
			const answers = await Promise.all(this.files.map(file => fetch(file)));
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

/** Keeps the screen on while the page is seen, where the browser can. */
export function keepScreenOn() {
	if (!navigator.wakeLock) return;
	const ask = () => {
		if (!document.hidden) navigator.wakeLock.request("screen").catch(() => { /* not allowed */ });
	};
	document.addEventListener("visibilitychange", ask);
	ask();
}
