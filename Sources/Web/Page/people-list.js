// A list from the API: its rows, what can be done with them, and a form that adds one.

import { button, element, setText, show } from "./dom.js";
import { Form } from "./people-forms.js";
import { clip, failure, say, sentence, tell } from "./people.js";

/** So many rows are shown at once. */
const PAGE = 100;
/** With more rows than these, a field narrows them. */
const FEW = 8;

export class ListPart {
	/**
	 * `load()` gives the items; `keyOf(item)`; `row(item)` gives name, title, facts (texts), notes and actions.
	 * An action has a label and either `act(item)`, with a question to confirm it (`isHarmless`: that looks as if nothing were lost), or
	 * `form(item)`; both tell `done`. Or it has `panel(item)`, a promise of what is shown. `add` is a form with a title. `before` stands above the list. Rows of the same
	 * `group(item)`, a text, stand together. `changed()` follows each change.
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
		this.warning = element("p", { class: "warning", role: "status" });
		for (const node of [this.warning, this.empty, this.list, this.more]) this.node.appendChild(node);
		for (const node of [this.filterEntry, this.empty, this.more]) show(node, false);
	}

	makeFilter() {
		const id = "narrow-" + this.spec.title.toLowerCase().replace(/\W+/g, "-");
		this.filter = element("input", { id, type: "search", autocomplete: "off", spellcheck: "false", input: () => this.draw() });
		this.filterEntry = element("div", { class: "entry" }, element("label", { for: id, text: say("Search the list") }), this.filter);
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
				this.warn(answer);
				await this.refresh();
				if (done) done(answer, values, this);
				else tell(say("Added."));
				if (this.spec.changed) this.spec.changed();
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

	/** Shows what was accepted and is hardly meant, until the next change. */
	warn(answer) {
		const texts = (answer && answer.warnings || []).map(one => clip(sentence(one.message), 300));
		setText(this.warning, texts.length ? say("Accepted, but: {0}", texts.join(" ")) : "");
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
		const { group } = this.spec;
		if (group) found.sort((a, b) => compare(group(a.item), group(b.item)));
		let last = "";
		for (const { item, row } of found.slice(0, this.limit)) {
			const name = group ? group(item) : "";
			if (name !== last) this.list.appendChild(element("li", { class: "group" }, element("h3", { text: name })));
			last = name;
			this.list.appendChild(this.makeRow(item, row));
		}
		show(this.filterEntry, rows.length > FEW);
		show(this.list, found.length > 0);
		show(this.more, found.length > this.limit);
		show(this.empty, found.length === 0);
		setText(this.empty, rows.length ? say("Nothing matches.") : this.spec.empty);
	}

	showMore() {
		const first = this.list.children.length;
		this.limit += PAGE;
		this.draw();
		const node = this.list.children[first];
		if (node) node.focus();
	}

	makeRow(item, { name, title, facts, notes, actions }) {
		const node = element("li", { tabindex: "-1", title, "data-key": this.spec.keyOf(item) }, element("p", { class: "item-name", text: name }));
		for (const text of (facts || []).filter(Boolean)) node.appendChild(element("p", { class: "item-facts", text }));
		for (const text of (notes || []).filter(Boolean)) node.appendChild(element("p", { class: "item-note", text }));
		const offered = (actions || []).filter(Boolean);
		if (!offered.length) return node;
		const row = new Row(this, item, node, name);
		row.buttons = element("div", { class: "buttons" }, ...offered.map(action => button({
			class: action.question && !action.isHarmless ? "button risky" : "button", text: action.label, "aria-label": action.label + ": " + name
		}, event => row.begin(action, event.currentTarget))));
		node.appendChild(row.buttons);
		return node;
	}

	/** Reads the list anew; the focus stays at the row if that is there still. */
	async settle(item, text, answer) {
		if (text) tell(text);
		this.warn(answer);
		await this.refresh();
		if (!this.reveal(this.spec.keyOf(item))) this.title.focus();
		if (this.spec.changed) this.spec.changed();
	}

	/** Puts the focus at a row. Returns whether it is shown. */
	reveal(key) {
		const node = Array.from(this.list.children).find(one => one.getAttribute("data-key") === String(key));
		if (node) node.focus();
		return Boolean(node);
	}
}

const compare = (a, b) => a.localeCompare(b, undefined, { numeric: true });

const textOf = row => [row.name, row.title || ""].concat(row.facts || [], row.notes || []).join(" ").toLowerCase();

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
		else if (action.panel) this.unfold(action, opener);
		else if (action.question) this.confirm(action, opener);
		else this.act(action, opener);
	}

	/** Puts something in the place of the buttons; what is only read stands below them. */
	open(node, isRead) {
		if (this.opened) this.node.removeChild(this.opened);
		show(this.buttons, isRead);
		this.node.appendChild(this.opened = node);
	}

	ask(label, opener, isRead, ...children) {
		this.open(element("div", { class: "confirm", role: "group", "aria-label": label, keydown: event => {
			if (event.key === "Escape") this.close(opener);
		} }, ...children), isRead);
	}

	close(opener) {
		this.node.removeChild(this.opened);
		this.opened = null;
		show(this.buttons, true);
		opener.focus();
	}

	edit(action, opener) {
		const spec = action.form(this.item);
		const form = new Form(Object.assign({ label: action.label + ": " + this.name, isWide: true, cancel: () => this.close(opener) }, spec,
			{ done: answer => this.list.settle(this.item, action.done, answer) }));
		this.open(form.node);
		form.focus();
	}

	async unfold(action, opener) {
		const close = button({ class: "button", text: say("Close") }, () => this.close(opener));
		let inner = null;
		try {
			inner = await action.panel(this.item);
		} catch (error) {
			inner = failure(error.message);
		}
		// Something else was opened meanwhile.
		if (this.buttons.hidden) return;
		this.ask(action.label + ": " + this.name, opener, true, inner, element("div", { class: "buttons" }, close));
		(inner.querySelector("button") || close).focus();
	}

	confirm(action, opener) {
		const keep = button({ class: "button", text: say("Cancel") }, () => this.close(opener));
		const wrong = failure();
		const yes = button({ class: action.isHarmless ? "button main" : "button danger", text: action.label }, () => this.act(action, yes, wrong));
		this.ask(action.question, opener, false, element("p", { text: action.question }), wrong, element("div", { class: "buttons" }, yes, keep));
		keep.focus();
	}

	async act(action, pressed, wrong) {
		if (this.isBusy) return;
		this.isBusy = true;
		pressed.setAttribute("aria-busy", "true");
		try {
			const answer = await action.act(this.item);
			await this.list.settle(this.item, action.done, answer);
		} catch (error) {
			if (wrong) setText(wrong, error.message); else tell(error.message);
		}
		pressed.removeAttribute("aria-busy");
		this.isBusy = false;
	}
}
