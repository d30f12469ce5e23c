// A control: a button for each scene, and one that runs an action of the thing.
export default class SceneDial {
	constructor(host, config) {
		this.host = host;
		this.config = config;
		window.dial = this;
	}

	mount(element) {
		this.text = document.createElement("p");
		this.text.className = "reading dial-text";
		this.text.style.borderBottom = "4px solid " + this.host.color(this.config.dialColor);
		element.appendChild(this.text);
		const row = document.createElement("div");
		row.className = "buttons";
		element.appendChild(row);
		this.buttons = Array.from({ length: this.config.scenes }, (_, index) => this.add(row, "dial-" + (index + 1), index + 1,
			() => this.host.set({ [this.host.property]: index + 1 })));
		this.add(row, "dial-gong", this.host.string("gong"), () => this.host.action("gong"));
	}

	add(row, name, text, act) {
		const button = document.createElement("button");
		button.type = "button";
		button.className = "button " + name;
		button.textContent = text;
		button.addEventListener("click", act);
		row.appendChild(button);
		return button;
	}

	update({ value, thing }) {
		this.text.textContent = this.host.string(this.host.property.name) + " " + value + " · " + thing.name;
		this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index + 1 === value)));
	}

	unmount() {}
}
