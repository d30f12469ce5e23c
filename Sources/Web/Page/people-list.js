// A list from the API: its rows, what can be done with them, and a form that adds one.

import { button, element, setText, show } from "./dom.js";
import { Form } from "./people-forms.js";
import { say, tell } from "./people.js";

/** So many rows are shown at once. */
const PAGE = 100;
/** With more rows than these, a field narrows them. */
const FEW = 8;

export class ListPart {
	/**
	 * `load()` gives the items; `keyOf(item)`; `row(item)` gives name, facts (texts), notes and actions.
	 * An action has a label and either `act(item)`, with a question to confirm it, or `form(item)`; both tell `done`.
	 * `add` is a form with a title. `before` stands above the list.
	 */
	constructor(spec) {
		this.spec = spec;
		this.limit = PAGE;
		this.items = [];
		this.title = element("h2", { text: spec.title, tabindex: "-1" });
		this.list = element("ul", { class: "rows", "aria-label": spec.title });
		this.empty = element("p", { class: "hint" });
		this.more = button({ class: "button", text: say("Show more") }, () => this.showMore());
		this.node = element("section", { class: "card part" }, this.title);
		if (spec.note) this.node.appendChild(element("p", { class: "hint", text: spec.note }));
		if (spec.before) this.node.appendChild(spec.before);
		this.addition = element("div");
		if (spec.add) this.offer();
		this.makeFilter();
		for (const node of [this.empty, this.list, this.more]) this.node.appendChild(node);
		for (const node of [this.filterEntry, this.empty, this.more]) show(node, false);
	}

	makeFilter() {
		const id = "narrow-" + this.spec.title.toLowerCase().replace(/\W+/g, "-");
		this.filter = element("input", { id, type: "search", autocomplete: "off", spellcheck: "false", input: () => this.draw() });
		this.filterEntry = element("div", { class: "entry" }, element("label", { for: id, text: say("Narrow the list") }), this.filter);
		this.node.appendChild(this.filterEntry);
	}

	/** A button that opens the form for a new one. */
	offer() {
		const { add } = this.spec;
		const opener = this.opener = button({ class: "button", "aria-expanded": "false", text: add.title }, () => {
			if (this.form) this.closeForm(); else this.openForm();
		});
		this.node.appendChild(element("div", { class: "buttons" }, opener));
		this.node.appendChild(this.addition);
	}

	openForm() {
		const { add, done } = this.spec;
		this.form = new Form(Object.assign({ label: add.title, isWide: true, cancel: () => this.closeForm() }, add.form(), {
			done: async (answer, values) => {
				this.closeForm();
				await this.refresh();
				if (done) done(answer, values, this);
				else tell(say("Added."));
			}
		}));
		this.addition.appendChild(this.form.node);
		this.opener.setAttribute("aria-expanded", "true");
		this.form.focus();
	}

	closeForm() {
		if (!this.form) return;
		this.addition.removeChild(this.form.node);
		this.form = null;
		this.opener.setAttribute("aria-expanded", "false");
		this.opener.focus();
	}

	/** Reads the list anew. */
	async refresh() {
		this.list.setAttribute("aria-busy", "true");
		try {
			this.items = await this.spec.load() || [];
			this.isLoaded = true;
			this.draw();
			if (this.spec.loaded) this.spec.loaded(this.items);
		} catch (error) {
			this.complain(error);
		}
		this.list.removeAttribute("aria-busy");
	}

	complain(error) {
		this.list.textContent = "";
		this.empty.textContent = "";
		this.empty.appendChild(element("span", { role: "alert", text: error.message + " " }));
		this.empty.appendChild(button({ class: "button", text: say("Try again") }, () => this.refresh()));
		show(this.empty, true);
		show(this.more, false);
	}

	draw() {
		if (!this.isLoaded) return;
		const rows = this.items.map(item => ({ item, row: this.spec.row(item) }));
		const wanted = this.filter.value.trim().toLowerCase();
		const found = wanted ? rows.filter(({ row }) => textOf(row).indexOf(wanted) >= 0) : rows;
		this.list.textContent = "";
		for (const { item, row } of found.slice(0, this.limit)) this.list.appendChild(this.makeRow(item, row));
		show(this.filterEntry, rows.length > FEW);
		show(this.list, found.length > 0);
		show(this.more, found.length > this.limit);
		show(this.empty, found.length === 0);
		setText(this.empty, rows.length ? say("Nothing in the list matches.") : this.spec.empty);
	}

	showMore() {
		const first = this.list.children.length;
		this.limit += PAGE;
		this.draw();
		const node = this.list.children[first];
		if (node) node.focus();
	}

	makeRow(item, { name, facts, notes, actions }) {
		const node = element("li", { tabindex: "-1", "data-key": this.spec.keyOf(item) }, element("p", { class: "item-name", text: name }));
		for (const text of (facts || []).filter(Boolean)) node.appendChild(element("p", { class: "item-facts", text }));
		for (const text of (notes || []).filter(Boolean)) node.appendChild(element("p", { class: "item-note", text }));
		const offered = (actions || []).filter(Boolean);
		if (!offered.length) return node;
		const row = new Row(this, item, node, name);
		row.buttons = element("div", { class: "buttons" }, ...offered.map(action => button({
			class: action.question ? "button risky" : "button", text: action.label, "aria-label": action.label + ": " + name
		}, event => row.begin(action, event.currentTarget))));
		node.appendChild(row.buttons);
		return node;
	}

	/** Reads the list anew; the focus stays at the row if that is there still. */
	async settle(item, text) {
		if (text) tell(text);
		await this.refresh();
		const key = String(this.spec.keyOf(item));
		const node = Array.from(this.list.children).find(one => one.getAttribute("data-key") === key);
		(node || this.title).focus();
		if (this.spec.changed) this.spec.changed();
	}
}

const textOf = row => [row.name].concat(row.facts || [], row.notes || []).join(" ").toLowerCase();

/** What is being done with a row. */
class Row {
	constructor(list, item, node, name) {
		this.list = list;
		this.item = item;
		this.node = node;
		this.name = name;
	}

	begin(action, opener) {
		if (action.form) this.edit(action, opener);
		else if (action.question) this.confirm(action, opener);
		else this.act(action, opener);
	}

	/** Puts something in the place of the buttons. */
	open(node) {
		show(this.buttons, false);
		this.node.appendChild(this.opened = node);
	}

	close(opener) {
		this.node.removeChild(this.opened);
		show(this.buttons, true);
		opener.focus();
	}

	edit(action, opener) {
		const spec = action.form(this.item);
		const form = new Form(Object.assign({ label: action.label + ": " + this.name, isWide: true, cancel: () => this.close(opener) }, spec,
			{ done: () => this.list.settle(this.item, action.done) }));
		this.open(form.node);
		form.focus();
	}

	confirm(action, opener) {
		const keep = button({ class: "button", text: say("Cancel") }, () => this.close(opener));
		const wrong = element("p", { class: "wrong", role: "alert" });
		const yes = button({ class: "button danger", text: action.label }, () => this.act(action, yes, wrong));
		this.open(element("div", { class: "confirm", role: "group", "aria-label": action.question, keydown: event => {
			if (event.key === "Escape") this.close(opener);
		} }, element("p", { text: action.question }), wrong, element("div", { class: "buttons" }, yes, keep)));
		keep.focus();
	}

	async act(action, pressed, wrong) {
		if (this.isBusy) return;
		this.isBusy = true;
		pressed.setAttribute("aria-busy", "true");
		try {
			await action.act(this.item);
			await this.list.settle(this.item, action.done);
		} catch (error) {
			if (wrong) setText(wrong, error.message); else tell(error.message);
		}
		pressed.removeAttribute("aria-busy");
		this.isBusy = false;
	}
}
