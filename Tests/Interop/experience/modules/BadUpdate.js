// A control that shows itself, and fails at the first value.
export default class BadUpdate {
	mount(element) {
		this.text = document.createElement("p");
		this.text.className = "bad-update";
		this.text.textContent = "half of it";
		element.appendChild(this.text);
	}

	update() { throw new Error("BadUpdate throws in update"); }

	unmount() { throw new Error("BadUpdate throws in unmount, too"); }
}
