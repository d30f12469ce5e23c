// A form: labelled fields, one button that sends, and what went wrong.

import { arrange, button, coded, element, setText } from "./dom.js";
import { failure, say } from "./people.js";

const used = new Set();

/** The first field of a name has it as its identifier, so that a program can find it. */
function identifier(name) {
	let id = name;
	for (let count = 2; used.has(id); count++) id = name + "-" + count;
	used.add(id);
	return id;
}

/** Fields by type: what stands in the form, and what is sent of it. */
function control(field, id) {
	const { name, type = "text", options, value } = field;
	if (type === "toggles") return toggles(options, id);
	if (type === "select") {
		const node = element("select", { id, name, required: field.required });
		for (const [key, text] of options) node.appendChild(element("option", { value: key, text }));
		if (value !== undefined) node.value = value;
		return { node, read: () => node.value };
	}
	const isWord = ["username", "email"].indexOf(field.autocomplete) >= 0 || field.isWord;
	const node = element("input", {
		id, name, type, required: field.required, autocomplete: field.autocomplete || "off", minlength: field.minlength,
		maxlength: field.maxlength || 200, step: field.step, min: field.min, max: field.max, autocapitalize: isWord && "none", spellcheck: isWord && "false"
	});
	if (type === "checkbox") {
		node.checked = value === true;
		return { node, read: () => node.checked };
	}
	if (value !== undefined && value !== null) node.value = type === "datetime-local" ? localTime(value) : value;
	if (field.choices) set(node, "list", id + "-choices");
	return { node, read: () => written(node, type) };
}

const set = (node, key, value) => node.setAttribute(key, value);

/** What a field says, as the daemon wants it. */
function written(node, type) {
	if (type === "password") return node.value;
	if (type !== "datetime-local") return node.value.trim();
	const date = new Date(node.value);
	return isNaN(date) ? "" : date.toISOString().replace(/\.\d+Z$/, "Z");
}

/** A moment as a field for dates has it: in the reader's zone, without one. */
function localTime(time) {
	const date = new Date(time);
	if (isNaN(date)) return "";
	return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

/** Several of a few things, each a button that stays pressed. */
function toggles(options, id) {
	const nodes = options.map(([key, text]) => button({ class: "button toggle", "aria-pressed": "false", "data-key": key, text },
		event => set(event.target, "aria-pressed", event.target.getAttribute("aria-pressed") !== "true")));
	return {
		node: element("div", { id, class: "buttons", role: "group" }, ...nodes), isGroup: true,
		read: () => nodes.filter(node => node.getAttribute("aria-pressed") === "true").map(node => node.getAttribute("data-key"))
	};
}

export class Form {
	/**
	 * `fields`: name, label, type, value, options, hint, required and so on; a field whose `shown(values)` is false is left out.
	 * `send(values)` throws a RequestError; `done(answer)` follows. `cancel` makes a second button. Empty fields are not sent,
	 * unless they have `keepEmpty`.
	 */
	constructor({ label, fields, submit, send, done, cancel, isWide }) {
		this.send = send;
		this.done = done || (() => {});
		this.controls = new Map();
		this.message = failure();
		this.node = element("form", { class: isWide ? "form wide" : "form", "aria-label": label, submit: event => this.submit(event) });
		for (const field of fields) this.add(field);
		const buttons = [this.sender = element("button", { type: "submit", class: "button main", text: submit })];
		if (cancel) buttons.push(button({ class: "button", text: say("Cancel") }, cancel));
		this.node.appendChild(this.message);
		this.node.appendChild(element("div", { class: "buttons" }, ...buttons));
		if (cancel) {
			this.node.addEventListener("keydown", event => {
				if (event.key !== "Escape") return;
				event.stopPropagation();
				cancel();
			});
		}
		this.node.addEventListener("input", () => this.arrange());
		this.arrange();
	}

	add(field) {
		const id = identifier(field.name);
		const made = control(field, id);
		const label = element(made.isGroup ? "p" : "label", { id: id + "-label", for: made.isGroup ? null : id, text: field.label });
		const node = element("div", { class: "entry" }, label, made.node);
		if (made.isGroup) set(made.node, "aria-labelledby", id + "-label");
		if (field.choices) {
			const choices = field.choices.map(value => element("option", { value }));
			node.appendChild(element("datalist", { id: id + "-choices" }, ...choices));
		}
		if (field.hint) {
			node.appendChild(element("p", { id: id + "-hint", class: "hint", text: field.hint }));
			set(made.node, "aria-describedby", id + "-hint");
		}
		this.node.appendChild(node);
		this.controls.set(field.name, Object.assign(made, { field, entry: node }));
	}

	/** Shows the fields that count with what is chosen in the others. */
	arrange() {
		const values = this.read(true);
		for (const { field, entry, node } of this.controls.values()) {
			if (field.shown) this.show(entry, node, field.shown(values));
		}
	}

	show(entry, node, isShown) {
		entry.hidden = !isShown;
		// A field that is not seen must not hinder sending.
		node.disabled = !isShown;
	}

	/** Makes a field necessary after all. */
	demand(name) {
		const { entry, node } = this.controls.get(name);
		node.required = true;
		node.removeAttribute("aria-describedby");
		const hint = entry.querySelector(".hint");
		if (hint) entry.removeChild(hint);
	}

	read(isWhole) {
		const values = {};
		for (const [name, { field, entry, read }] of this.controls) {
			if (entry.hidden && !isWhole) continue;
			const value = read();
			if (value !== "" || field.keepEmpty) values[name] = value;
		}
		return values;
	}

	focus(name) {
		const all = Array.from(this.controls.values()).filter(({ entry }) => !entry.hidden);
		const { node } = this.controls.get(name) || all[0] || { node: this.sender };
		(node.tagName === "DIV" ? node.firstChild : node).focus();
	}

	refuse(text, name) {
		arrange(this.message, coded(text));
		this.focus(name);
	}

	async submit(event) {
		event.preventDefault();
		if (this.isBusy) return;
		setText(this.message, "");
		const values = this.read();
		for (const { field } of this.controls.values()) {
			if (!field.repeats) continue;
			if (values[field.name] !== values[field.repeats]) {
				this.refuse(say("The two passwords differ."), field.name);
				return;
			}
			delete values[field.name];
		}
		this.isBusy = true;
		set(this.node, "aria-busy", "true");
		try {
			const answer = await this.send(values);
			this.rest();
			await this.done(answer, values);
		} catch (error) {
			this.rest();
			this.fail(error);
		}
	}

	rest() {
		this.isBusy = false;
		this.node.removeAttribute("aria-busy");
	}

	fail(error) {
		// The daemon names a member: `heard_as[2]`.
		const named = this.controls.get(String(error.field || "").replace(/\[.*$/, ""));
		if (named && !named.entry.hidden) {
			this.refuse(error.message, named.field.name);
			if (named.node.select) named.node.select();
			return;
		}
		const secret = Array.from(this.controls.values()).find(({ field, entry }) => (field.type === "password" || field.isSecret) && !entry.hidden);
		this.refuse(error.message, secret && secret.field.name);
		if (secret) secret.node.select();
	}
}

/** A password that is chosen. */
export const chosen = field =>
	Object.assign({ type: "password", autocomplete: "new-password", minlength: 10, maxlength: 1024, hint: say("At least 10 characters.") }, field);

/** A password that is chosen, and again. */
export const newPassword = (name, label) => [
	Object.assign(chosen({ name, label }), { required: true }),
	{ name: name + "-again", label: say("Again"), type: "password", autocomplete: "new-password", maxlength: 1024, required: true, repeats: name }
];
