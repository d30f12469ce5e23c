// Whether the daemon has another page by now.

/** Loads the page anew when the daemon has been replaced by one with another page. */
export class Version {
	constructor() {
		const files = performance.getEntriesByType("resource").map(entry => entry.name)
			.filter(name => /\/kiosk\/[^?]+\.(js|css)$/.test(name));
		this.files = ["kiosk"].concat(Array.from(new Set(files)));
		this.read().then(known => { this.known = known; });
	}

	/** The tags of the page's files, of its screens and of their modules; null when one cannot be had. */
	async read() {
		try {
			const answers = await Promise.all(this.files.map(file => fetch(file)));
			return answers.every(answer => answer.ok) ? answers.map(answer => answer.headers.get("ETag")).join() : null;
		} catch (error) {
			return null;
		}
	}

	async check() {
		const now = await this.read();
		if (now && this.known && now !== this.known) location.reload();
	}
}
