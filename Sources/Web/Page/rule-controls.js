// The fields of a rule's form: each is bound to a part of the draft, and has its place for what the daemon says against it.

import { button, element, set, setText, show } from "./dom.js";
import { fill, mark, ofHundred, ofOne } from "./rule-names.js";
import { isBrokenValue, parseValue, typedValue, UNITS } from "./rule-model.js";
import { dayOf, length } from "./rule-sentence.js";
import { decimal, say } from "./text.js";

const UNIT_NAMES = { s: mark("seconds"), min: mark("minutes"), h: mark("hours"), d: mark("days") };

// What the daemon says against a field, in the words of the form.
const REFUSALS = [
	[/^must be a (?:whole )?number from (\S+) to (\S+), is /i, (field, ...limits) => fill("Must be from {0} to {1}.", ...limits.map(Number).map(field.isLength ? length : limit => decimal(limit)))],
	[/^must not be before startDate, which is (\S+); /i, (field, day) => fill("Must not be before the first day, {0}.", dayOf(day))],
	[/^must be at least duration, which is (\d+) seconds; /i, (field, seconds) => fill("Must be at least {0}, since it lasts so long.", length(Number(seconds)))],
	[/^is missing\b/i, () => say("This is missing.")], [/^never occurs\b/i, () => say("No day fits all dates, months and days.")]
];

let count = 0;

const isEmpty = value => value === undefined || value === null || value === "";

/** What belongs to one form: its draft, its names, its fields, and what follows each change. */
export class RuleForm {
	/** `context` has names, me, users and contacts; `changed()` is called after each change of the draft. */
	constructor(draft, context, changed) {
		Object.assign(this, { draft, context, names: context.names });
		this.fields = [];
		this.watchers = [];
		this.whenChanged = changed;
	}

	changed() {
		this.watchers = this.watchers.filter(one => one.isNew || one.node.isConnected);
		for (const one of this.watchers) {
			one.isNew = false;
			one.update(one.node);
		}
		this.whenChanged();
	}

	/** Something that depends on other parts of the draft. */
	watch(node, update) {
		this.watchers.push({ node, update, isNew: true });
		update(node);
		return node;
	}

	/** The fields that can be seen. */
	get live() {
		this.fields = this.fields.filter(field => field.isNew || field.holder.isConnected);
		return this.fields.filter(field => field.holder.isConnected && !field.holder.closest("[hidden]")).sort((a, b) =>
			(a.holder.compareDocumentPosition(b.holder) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
	}

	clear() {
		for (const field of this.fields) field.complain("");
	}

	/** What was wrong with a field is not said of what is written there now. */
	forgive(spec) {
		for (const field of this.fields) if (field.read === spec.read) field.complain("");
	}

	/** Whether something is marked as wrong. */
	get isMarked() { return this.live.some(field => field.isWrong); }

	/** Names what is missing, and what cannot be. Returns whether nothing is. */
	check() {
		this.clear();
		const wrong = this.live.filter(field => field.fault());
		for (const field of wrong) field.complain(field.fault());
		if (wrong.length) wrong[0].reveal();
		return !wrong.length;
	}

	/** Shows beside a field what is wrong with it. Returns whether there is such a field. */
	refuse(path, message) {
		const fits = this.live.filter(field => {
			const own = field.path();
			return own && (path === own || path.startsWith(own + ".") || path.startsWith(own + "["));
		});
		// Of a part as a whole, its first field.
		const inside = this.live.filter(field => field.path().startsWith(path + ".") || field.path().startsWith(path + "["));
		const found = fits.sort((a, b) => b.path().length - a.path().length)[0] || inside[0];
		if (!found) return false;
		found.complain(inWords(found, withoutPath(message, path)));
		found.reveal();
		return true;
	}
}

/** A message whose place in the rule is shown by where it stands. */
function withoutPath(message, path) {
	const text = message.toLowerCase().startsWith(path.toLowerCase() + " ") ? message.slice(path.length + 1) : message;
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function inWords(field, message) {
	const [pattern, words] = REFUSALS.find(([one]) => one.test(message)) || [];
	return pattern ? words(field, ...pattern.exec(message).slice(1)) : message;
}

/** An entry of the form. Returns its node. */
export function entry(form, spec) {
	const id = "rule-field-" + (count += 1);
	const made = spec.make ? spec.make(id) : control(form, spec, id);
	const label = element(made.isGroup ? "p" : "label", { id: id + "-label", for: made.isGroup ? null : id, text: spec.label });
	const holder = element("div", { class: spec.isWide ? "entry across" : "entry" }, label, made.node);
	const described = [];
	if (spec.hint) {
		holder.appendChild(element("p", { id: id + "-hint", class: "hint", text: spec.hint }));
		described.push(id + "-hint");
	}
	const wrong = element("p", { id: id + "-wrong", class: "wrong" });
	holder.appendChild(wrong);
	described.push(id + "-wrong");
	set(made.node, { "aria-describedby": described.join(" "), "aria-labelledby": made.isGroup ? id + "-label" : null });
	if (spec.required && !made.isGroup) set(made.node, { "aria-required": "true" });
	const first = made.isGroup ? made.node.querySelector("input, select, button") : made.node;
	form.fields.push({
		holder, isNew: true, isWrong: false, read: spec.read, isLength: spec.type === "length", path: () => (spec.path ? spec.path() : ""),
		// Nothing, or a text without letters, may be meant where any value is.
		fault: () => {
			const isOut = spec.required && (spec.type === "value" ? spec.read() === undefined : isMissing(spec.read()));
			return faultOf(made.node, spec) || (isOut ? say("This is missing.") : "");
		},
		complain(text) {
			this.isNew = false;
			this.isWrong = Boolean(text);
			setText(wrong, text);
			set(first || made.node, { "aria-invalid": text ? "true" : null });
		},
		reveal() {
			for (let node = holder; node; node = node.parentNode) if (node.tagName === "DETAILS") node.open = true;
			if (first) first.focus({ preventScroll: true });
			holder.scrollIntoView({ block: "center" });
		}
	});
	return holder;
}

const isMissing = value => isEmpty(value) || Array.isArray(value) && !value.length || typeof value === "object" && "amount" in value && isEmpty(value.amount);

/** What is wrong with what a field has; nothing where it may be so. */
function faultOf(node, spec) {
	if (spec.type === "value") return isBrokenValue(node.value) ? say("This begins like JSON, and is none. Put it in quotes if it is a text.") : "";
	if (spec.type !== "number") return "";
	if (node.validity && node.validity.badInput) return say("This is not a number.");
	const value = isEmpty(spec.read()) ? NaN : Number(spec.read());
	if (value > limitOf(spec.max, Infinity)) return fill("Must be at most {0}.", decimal(spec.max));
	return value < limitOf(spec.min, -Infinity) ? fill("Must be at least {0}.", decimal(spec.min)) : "";
}

const limitOf = (limit, otherwise) => (Number.isFinite(limit) ? limit : otherwise);

/** Writes what a field says, and tells the form. */
function bound(form, spec, value) {
	spec.write(value);
	form.forgive(spec);
	if (spec.redraw) spec.redraw();
	form.changed();
}

function control(form, spec, id) {
	switch (spec.type) {
	case "select": return select(form, spec, id);
	case "toggles": return toggles(form, spec, id);
	case "length": return lengthControl(form, spec, id);
	case "moment": return moment(form, spec, id);
	case "checkbox": {
		const node = element("input", { id, type: "checkbox", change: () => bound(form, spec, node.checked) });
		node.checked = spec.read() === true;
		return { node };
	}
	case "long": {
		const node = element("textarea", { id, rows: 3, maxlength: spec.maxlength, input: () => bound(form, spec, node.value) });
		node.value = spec.read() || "";
		return { node };
	}
	default: return written(form, spec, id);
	}
}

/** A line of text, a number, a time or a date; a `value` is anything that JSON has. */
function written(form, spec, id) {
	const { type = "text" } = spec;
	const isValue = type === "value";
	const node = element("input", {
		id, type: isValue ? "text" : type, min: spec.min, max: spec.max, step: spec.step || (type === "number" ? "any" : null), maxlength: spec.maxlength || 1000,
		autocomplete: "off", autocapitalize: spec.isWord || isValue ? "none" : null, spellcheck: spec.isWord || isValue ? "false" : null,
		input: () => bound(form, spec, isValue ? parseValue(node.value) : node.value)
	});
	const now = spec.read();
	node.value = isValue ? typedValue(now) : isEmpty(now) ? "" : now;
	if (!spec.choices || !spec.choices.length) return { node };
	set(node, { list: id + "-choices" });
	const list = element("datalist", { id: id + "-choices" }, ...spec.choices.map(value => element("option", { value })));
	// The list has to stand in the page; the field is what counts.
	setTimeout(() => { if (node.parentNode) node.parentNode.appendChild(list); }, 0);
	return { node };
}

/** A choice of any values. One that is not among them stays. */
function select(form, spec, id) {
	const node = element("select", { id, change: () => bound(form, spec, node.value === "" ? undefined : JSON.parse(node.value)) });
	const now = spec.read();
	const options = spec.options.slice();
	const isKnown = options.some(([value]) => value === now);
	if (isEmpty(now) && !isKnown) node.appendChild(element("option", { value: "", text: say("choose …") }));
	else if (!isKnown) options.push([now, spec.name ? spec.name(now) : typedValue(now)]);
	for (const [value, text] of options) node.appendChild(element("option", { value: JSON.stringify(value), text }));
	node.value = isEmpty(now) && !isKnown ? "" : JSON.stringify(now);
	return { node };
}

/** Several of a few, each a button that stays pressed. */
function toggles(form, spec, id) {
	const chosen = spec.read();
	const nodes = spec.options.map(([value, text]) => button({ class: "button toggle", "aria-pressed": String(chosen.indexOf(value) >= 0), text }, event => {
		const at = chosen.indexOf(value);
		if (at < 0) chosen.push(value); else chosen.splice(at, 1);
		if (typeof value === "number") chosen.sort((a, b) => a - b);
		set(event.currentTarget, { "aria-pressed": String(at < 0) });
		bound(form, spec, chosen);
	}));
	return { node: element("div", { id, class: "buttons toggles", role: "group" }, ...nodes), isGroup: true };
}

/** An amount and its unit. */
function lengthControl(form, spec, id) {
	const draft = spec.read();
	const wanted = spec.units || UNITS;
	const units = wanted.indexOf(draft.unit) < 0 ? wanted.concat(draft.unit) : wanted;
	const amount = element("input", { id, type: "number", min: 0, step: "any", "aria-label": spec.label, input: () => {
		draft.amount = amount.value;
		bound(form, spec, draft);
	} });
	amount.value = draft.amount;
	const unit = element("select", { "aria-label": fill("Unit of: {0}", spec.label), change: () => {
		draft.unit = unit.value;
		bound(form, spec, draft);
	} }, ...units.map(one => element("option", { value: one, text: say(UNIT_NAMES[one]) })));
	unit.value = draft.unit;
	return { node: element("div", { class: "pair", role: "group" }, amount, unit), isGroup: true };
}

/** A moment in the reader's time; `isNumber` for milliseconds. It stays as it is until it is changed. */
function moment(form, spec, id) {
	const node = element("input", { id, type: "datetime-local", input: () => {
		const date = new Date(node.value);
		bound(form, spec, isNaN(date) ? undefined : spec.isNumber ? Number(date) : date.toISOString().replace(/\.\d+Z$/, "Z"));
	} });
	const date = new Date(spec.read());
	if (!isEmpty(spec.read()) && !isNaN(date)) node.value = new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
	return { node };
}

/** A part of the form that is drawn anew when what is above it changes. */
export class Area {
	constructor(make, attributes) {
		this.make = make;
		this.node = element("div", Object.assign({ class: "form wide" }, attributes));
		this.draw();
	}

	draw() {
		this.node.textContent = "";
		for (const child of this.make()) if (child) this.node.appendChild(child);
		return this;
	}
}

/** What is needed seldom. Open if something of it is set. */
export const more = (isOpen, ...children) =>
	element("details", { class: "across more", open: isOpen }, element("summary", { text: say("More") }), element("div", { class: "form wide" }, ...children.filter(Boolean)));

/** A name from a list, or another one. */
export function nameEntry(form, spec) {
	let isOther = false;
	const area = new Area(() => {
		const now = spec.read();
		if (isOther || !spec.options.length) return [entry(form, Object.assign({}, spec, { isWord: true, maxlength: 200 }))];
		const options = spec.options.concat(isEmpty(now) || spec.options.some(([name]) => name === now) ? [] : [[now, String(now)]], [[null, say("another one …")]]);
		return [entry(form, Object.assign({}, spec, {
			type: "select", options, write: value => {
				isOther = value === null;
				spec.write(isOther ? "" : value);
			},
			redraw: () => {
				if (isOther) {
					area.draw();
					area.node.querySelector("input").focus();
				}
				if (spec.redraw) spec.redraw();
			}
		}))];
	}, { class: "name" });
	return area.node;
}

/** A value of a field: by what the field is, unless the value is something else. */
export function valueEntry(form, spec, field) {
	// What can only be one thing is not asked for.
	if (field.kind === "choice" && field.options.length === 1 && spec.read() === undefined) spec.write(field.options[0][0]);
	const now = spec.read();
	const label = field.unit ? spec.label + " (" + field.unit + ")" : spec.label;
	const base = Object.assign({}, spec, { label });
	const any = () => entry(form, Object.assign(base, { type: "value", hint: say("A number, true, false, or a text.") }));
	if ((now === null || now === "") && !field.options.some(([value]) => value === now)) return any();
	const isNumber = isEmpty(now) || typeof now === "number";
	if (/^(number|share)$/.test(field.kind) && isNumber && field.options.length) return choiceOrNumber(form, spec, field);
	if (field.kind === "choice" || field.kind === "truth") return entry(form, Object.assign(base, { type: "select", options: field.options }));
	if (field.kind === "number" && isNumber) {
		return entry(form, Object.assign(base, {
			type: "number", min: field.min, max: field.max, write: text => spec.write(text === "" ? undefined : Number(text))
		}));
	}
	if (field.kind === "share" && isNumber) return shareEntry(form, base);
	if (field.kind === "percent" && (isEmpty(now) || /^\d+(\.\d+)?\s*%$/.test(now))) {
		return entry(form, Object.assign(base, {
			label: spec.label + " (%)", type: "number", min: 0, max: 100, read: () => (isEmpty(spec.read()) ? "" : parseFloat(spec.read())),
			write: text => spec.write(text === "" ? undefined : text + "%")
		}));
	}
	if ((field.kind === "text" || field.kind === "colour") && (isEmpty(now) || typeof now === "string")) {
		const hint = field.kind === "colour" ? say("A name such as red, or #ff8800.") : spec.hint;
		return entry(form, Object.assign(base, { hint, write: text => spec.write(text === "" ? undefined : text) }));
	}
	return any();
}

/** A number of which some have names: one of these, or another one. */
function choiceOrNumber(form, spec, field) {
	const other = "…";
	let isOther = !isEmpty(spec.read()) && !field.options.some(([value]) => value === spec.read());
	const plain = Object.assign({}, field, { options: [] });
	const own = field.unit ? spec : Object.assign({}, spec, { label: fill("{0}: number", spec.label) });
	const number = new Area(() => (isOther ? [valueEntry(form, own, plain)] : []), { class: "name" });
	const choice = entry(form, Object.assign({}, spec, {
		type: "select", options: field.options.concat([[other, say("a number …")]]), path: () => (isOther ? "" : spec.path()),
		read: () => (isOther ? other : spec.read()), write: value => {
			isOther = value === other;
			spec.write(isOther ? undefined : value);
		},
		redraw: () => {
			number.draw();
			if (isOther) number.node.querySelector("input").focus();
			if (spec.redraw) spec.redraw();
		}
	}));
	return element("div", { class: "form" }, choice, number.node);
}

/** A number from 0 to 1, written in percent. */
export const shareEntry = (form, spec) => entry(form, Object.assign({}, spec, {
	type: "number", min: 0, max: 100, read: () => (isEmpty(spec.read()) ? "" : ofHundred(spec.read())),
	write: text => spec.write(text === "" ? undefined : ofOne(text))
}));

// With more names than these, they are chosen one by one.
const FEW = 24;

/** Several names: buttons for a few, else a list to add from. */
export function namesEntry(form, spec) {
	const chosen = spec.read();
	const options = spec.options.concat(chosen.filter(name => !spec.options.some(([value]) => value === name)).map(name => [name, name]));
	if (options.length <= FEW) return entry(form, Object.assign({}, spec, { type: "toggles", options }));
	const list = element("ul", { class: "chosen", "aria-label": spec.label });
	const box = entry(form, Object.assign({}, spec, { make: id => {
		const node = element("select", { id, "aria-label": spec.label });
		const changed = () => {
			draw();
			bound(form, spec, chosen);
			node.focus();
		};
		const draw = () => {
			node.textContent = "";
			for (const [value, text] of options) if (chosen.indexOf(value) < 0) node.appendChild(element("option", { value, text }));
			list.textContent = "";
			for (const name of chosen) {
				const text = options.find(([value]) => value === name)[1];
				list.appendChild(element("li", {}, element("span", { text }), button({ class: "button", text: "✕", "aria-label": fill("Remove: {0}", text) }, () => {
					chosen.splice(chosen.indexOf(name), 1);
					changed();
				})));
			}
			show(list, chosen.length);
		};
		draw();
		const add = button({ class: "button", text: say("Add") }, () => {
			if (node.value && chosen.indexOf(node.value) < 0) chosen.push(node.value);
			changed();
		});
		return { node: element("div", { class: "pair", role: "group" }, node, add), isGroup: true };
	} }));
	box.insertBefore(list, box.children[1]);
	return box;
}
