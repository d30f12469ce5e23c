// A screen: what a thing and the place say, and every way to another screen.
export default class Board {
	constructor(host, config) {
		this.host = host;
		this.config = config;
	}

	mount(element) {
		this.note = document.createElement("p");
		this.note.className = "card board-note";
		this.note.style.borderLeft = "8px solid " + this.host.color(this.config.accent);
		element.appendChild(this.note);
		this.count = document.createElement("p");
		this.count.className = "empty board-count";
		element.appendChild(this.count);
		const buttons = document.createElement("div");
		buttons.className = "buttons";
		element.appendChild(buttons);
		const ways = {
			details: () => this.host.pushScreen("details", "climate"), home: () => this.host.navigateHome(), back: () => this.host.back()
		};
		for (const name of Object.keys(ways)) {
			const button = document.createElement("button");
			button.className = "button way-" + name;
			button.textContent = name;
			button.addEventListener("click", ways[name]);
			buttons.appendChild(button);
		}
		// A screen of the page, within this one.
		this.part = document.createElement("div");
		this.part.className = "board-part";
		element.appendChild(this.part);
		this.inner = this.host.createScreen("times");
		this.inner.mount(this.part);
	}

	update(state) {
		this.note.textContent = this.host.string(this.config.note);
		this.count.textContent = state.things.length + " · " + (state.thing ? state.thing.name : "–") + " · " + state.language;
		this.inner.update(state);
	}

	unmount() {
		this.inner.unmount();
		window.boardsUnmounted = (window.boardsUnmounted || 0) + 1;
	}
}
