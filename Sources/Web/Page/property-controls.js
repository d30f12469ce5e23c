// The controls of single properties. Each is made, mounted, updated and unmounted as one of a module of its own.

import { button, element, set, setText, show } from "./dom.js";
import { Latest } from "./commands.js";
import { cssColour, hexOf } from "./text.js";
import { meansOn, switchAction } from "./profiles.js";

const MOST = 60;
// More actions than this are a list to choose from.
const MOST_BUTTONS = 6;

/** What every control has: who made it and for what. */
class Control {
	constructor(host, config) {
		this.host = host;
		this.config = config;
		this.property = host.property;
	}

	word(key) { return this.host.word(key); }

	send(value) { return this.host.set({ [this.property.name]: value }); }

	/** Sends when a button is pressed, which is busy until the answer. */
	async press(node, value) {
		if (node.getAttribute("aria-busy")) return;
		set(node, { "aria-busy": "true" });
		await this.send(value);
		set(node, { "aria-busy": null });
	}

	/** Buttons for the actions of a property. */
	actionButtons(actions, kind) {
		this.choices = actions.slice(0, MOST).map(action => {
			const node = button({ class: "button key", text: action.title }, () => this.press(node, action.value));
			return { node, action };
		});
		return element("div", { class: kind, role: "group", "aria-label": this.property.title }, ...this.choices.map(one => one.node));
	}

	mark(value) {
		for (const { node, action } of this.choices) set(node, { "aria-pressed": String(action.value === value) });
	}

	unmount() {}
}

class Switch extends Control {
	mount(area) {
		this.label = element("span", { class: "power-text" });
		this.node = button({ class: "power", role: "switch", "aria-label": this.property.title },
			() => this.press(this.node, this.isOn ? "OFF" : "ON"),
			element("span", { class: "switch" }, element("span", { class: "knob" })), this.label);
		area.appendChild(this.node);
	}

	update({ value }) {
		const { actions } = this.property;
		this.isOn = meansOn(actions, value);
		const action = actions.find(one => one.value === value) || switchAction(actions, this.isOn);
		set(this.node, { "aria-checked": String(this.isOn) });
		setText(this.label, action ? action.title : this.word(this.isOn ? "on" : "off"));
	}
}

class Slider extends Control {
	mount(area) {
		const { min, max, step, title, actions } = this.property;
		this.output = element("output");
		this.latest = new Latest(value => this.send(value));
		this.input = element("input", { type: "range", min, max, "aria-label": title, input: () => {
			const value = Number(this.input.value);
			this.show(value);
			this.latest.set(value);
		} });
		set(this.input, { step: step || (max - min > 10 ? 1 : (max - min) / 100) });
		area.appendChild(this.output);
		area.appendChild(this.input);
		if (actions.length) area.appendChild(this.actionButtons(actions, "buttons"));
	}

	text(value) {
		const { min, max, unit } = this.property;
		return max === 1 && min === 0 ? Math.round(value * 100) + "\u00a0%" : this.host.number(value) + (unit && "\u00a0" + unit);
	}

	show(value) {
		const { min, max } = this.property;
		const text = this.text(value);
		setText(this.output, text);
		set(this.input, { "aria-valuetext": text });
		this.input.style.setProperty("--part", Math.min(Math.max((value - min) / (max - min), 0), 1) * 100 + "%");
	}

	update({ value }) {
		clearTimeout(this.timer);
		if (this.choices) this.mark(value);
		// The finger's own value stays until it has been answered.
		if (this.latest.isActive) { this.timer = setTimeout(() => this.update({ value }), 400); return; }
		if (!Number.isFinite(value)) { setText(this.output, this.word("none")); return; }
		this.input.value = value;
		this.show(value);
	}

	unmount() { clearTimeout(this.timer); }
}

class NumberInput extends Control {
	get step() { return this.property.step || (this.isWhole ? 1 : 0.1); }

	mount(area) {
		const { min, max, title, unit, actions } = this.property;
		this.latest = new Latest(value => this.send(value));
		this.input = element("input", { type: "text", inputmode: this.isWhole && !(min < 0) ? "numeric" : "decimal", maxlength: 20,
			"aria-label": unit ? title + ", " + unit : title, autocomplete: "off" });
		this.input.addEventListener("input", () => { this.isEdited = true; });
		this.input.addEventListener("change", () => this.finish());
		const form = element("form", { class: "stepper", novalidate: true, submit: event => {
			event.preventDefault();
			this.finish();
		} }, this.stepButton(-1, "−", "less"), this.input);
		if (unit) form.appendChild(element("span", { class: "unit", text: unit }));
		form.appendChild(this.stepButton(1, "+", "more"));
		area.appendChild(form);
		this.limits = [Number.isFinite(min) ? min : -Infinity, Number.isFinite(max) ? max : Infinity];
		if (actions.length) area.appendChild(this.actionButtons(actions, "buttons"));
	}

	stepButton(way, text, key) {
		return button({ class: "button tool", text, "aria-label": this.property.title + ": " + this.word(key) }, () => {
			const from = Number.isFinite(this.shown) ? this.shown : Math.max(0, this.limits[0]);
			// To the next step, also from a value that is between two.
			const next = (way > 0 ? Math.floor(from / this.step + 1e-6) + 1 : Math.ceil(from / this.step - 1e-6) - 1) * this.step;
			this.put(Math.round(Math.min(Math.max(next, this.limits[0]), this.limits[1]) * 1e6) / 1e6);
		});
	}

	/** Shows and sends a number. */
	put(value) {
		this.isEdited = false;
		this.shown = value;
		this.input.value = this.host.number(value);
		this.latest.set(value);
	}

	finish() {
		if (!this.isEdited) return;
		const value = Number(this.input.value.trim().replace(",", "."));
		if (this.input.value.trim() && Number.isFinite(value)) { this.put(value); return; }
		this.isEdited = false;
		this.input.value = Number.isFinite(this.shown) ? this.host.number(this.shown) : "";
	}

	update({ value }) {
		clearTimeout(this.timer);
		if (this.choices) this.mark(value);
		if (this.isEdited) return;
		if (this.latest.isActive) { this.timer = setTimeout(() => this.update({ value }), 400); return; }
		this.shown = value;
		const text = Number.isFinite(value) ? this.host.number(value) : "";
		if (this.input.value !== text) this.input.value = text;
	}

	unmount() { clearTimeout(this.timer); }
}

class IntegerInput extends NumberInput {
	get isWhole() { return true; }
}

class Select extends Control {
	mount(area) {
		const { actions, title } = this.property;
		if (actions.length <= MOST_BUTTONS) { area.appendChild(this.actionButtons(actions, "buttons choices")); return; }
		this.choices = [];
		this.list = element("select", { "aria-label": title, change: () => {
			const action = actions[Number(this.list.value)];
			if (action) this.send(action.value);
		} }, element("option", { value: "", text: this.word("choose"), disabled: true }),
		...actions.map((action, index) => element("option", { value: index, text: action.title })));
		area.appendChild(this.list);
	}

	update({ value }) {
		this.mark(value);
		if (!this.list) return;
		const index = this.property.actions.findIndex(action => action.value === value);
		this.list.value = index < 0 ? "" : String(index);
	}
}

class Button extends Control {
	mount(area) {
		const { actions } = this.property;
		area.appendChild(this.actionButtons(actions, "buttons"));
	}

	update() {}
}

class TextInput extends Control {
	mount(area) {
		const { title, actions } = this.property;
		this.input = element("input", { type: "text", maxlength: 1000, "aria-label": title, autocomplete: "off" });
		this.input.addEventListener("input", () => { this.isEdited = true; });
		const node = element("button", { type: "submit", class: "button", text: this.word("set"), "aria-label": title + ": " + this.word("set") });
		area.appendChild(element("form", { class: "field", submit: event => {
			event.preventDefault();
			this.isEdited = false;
			this.press(node, this.input.value);
		} }, this.input, node));
		if (actions.length) area.appendChild(this.actionButtons(actions, "buttons"));
	}

	update({ value }) {
		const text = value === undefined || value === null ? "" : String(value);
		if (!this.isEdited && this.input.value !== text) this.input.value = text;
	}
}

class ColorPicker extends Control {
	mount(area) {
		const { title } = this.property;
		const palette = (this.host.thing && this.host.thing.palette) || [];
		this.latest = new Latest(value => this.send(value));
		this.swatches = palette.filter(name => typeof name === "string").slice(0, MOST).map(name => {
			const patch = element("span", { class: "patch" });
			patch.style.backgroundColor = cssColour(name) || "";
			const node = button({ class: "swatch" }, () => this.press(node, name), patch, element("span", { text: this.host.string(name) }));
			return { name, node };
		});
		this.input = element("input", { type: "color", "aria-label": title, input: () => this.latest.set(this.input.value) });
		this.text = element("output");
		area.appendChild(element("div", { class: "picker" }, this.input, this.text));
		if (!this.swatches.length) return;
		area.appendChild(element("div", { class: "swatches", role: "group", "aria-label": title }, ...this.swatches.map(one => one.node)));
	}

	update({ value, thing }) {
		for (const { name, node } of this.swatches) set(node, { "aria-pressed": String(name === value) });
		setText(this.text, value === undefined || value === null ? this.word("none") : this.host.string(value));
		if (this.latest.isActive) return;
		const hex = hexOf(thing && thing.color) || hexOf(String(value));
		if (hex) this.input.value = hex;
	}
}

class ReadonlyText extends Control {
	mount(area) {
		this.text = element("p", { class: "reading" });
		area.appendChild(this.text);
	}

	update({ value }) { setText(this.text, this.host.reading(this.property, value)); }
}

/** What the page has for the controls of a configuration; a custom one is a module. */
export const CONTROLS = {
	Switch, Slider, Dimmer: Slider, DecimalInput: NumberInput, IntegerInput, Select, Button, TextInput, ColorPicker, ReadonlyText
};
