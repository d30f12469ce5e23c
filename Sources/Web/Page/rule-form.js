// The form of a rule: what starts it, what must be so, what is done, and all of it as one sentence.

import { actionBody, actionOptions } from "./rule-actions.js";
import { Area, entry, RuleForm } from "./rule-controls.js";
import { arrange, button, coded, element, set, setText } from "./dom.js";
import { bind } from "./rule-editors.js";
import { conditionBody, conditionOptions, triggerBody, triggerOptions } from "./rule-parts.js";
import { fill } from "./rule-names.js";
import { newAction, newCondition, newTrigger, writeRule } from "./rule-model.js";
import { say } from "./text.js";
import { sentenceOf } from "./rule-sentence.js";

// A sentence is read out when somebody has stopped writing.
const PAUSE = 600;

const LISTS = () => [
	{ key: "when", title: say("When"), hint: say("Any of these starts the rule."), part: number => fill("Start {0}", number), add: say("Add another start"),
		kinds: triggerOptions(), make: newTrigger, body: triggerBody, first: "state", least: 1, most: 10 },
	{ key: "if", title: say("Only if"), hint: say("All of these must be so. Without one, it always counts."), part: number => fill("Condition {0}", number),
		add: say("Add a condition"), kinds: conditionOptions(), make: newCondition, body: conditionBody, first: "state", least: 0, most: 20 },
	{ key: "then", title: say("Then"), hint: say("Done in this order."), part: number => fill("Step {0}", number), add: say("Add another step"),
		kinds: actionOptions(), make: newAction, body: actionBody, first: "set", least: 1, most: 50, isOrdered: true }
];

/** One part of a rule: its kind, and what belongs to that. */
function partNode(form, list, drafts, start, { label, move, remove }) {
	let draft = start;
	// Who looks through the kinds finds again what was written.
	const kept = {};
	const path = () => list.key + "[" + drafts.indexOf(draft) + "]";
	const area = new Area(() => list.body(form, draft, path), { class: "form wide" });
	const kind = entry(form, { label: list.title, type: "select", options: list.kinds, path, isWide: true, read: () => draft.kind, write: value => {
		kept[draft.kind] = draft;
		const next = kept[value] || list.make(value);
		for (const key of ["thing", "target"]) if (draft[key] && key in next && !next[key]) next[key] = draft[key];
		drafts[drafts.indexOf(draft)] = next;
		draft = next;
	}, redraw: () => area.draw() });
	const buttons = element("div", { class: "buttons" });
	const node = element("fieldset", { class: "rule-part" }, element("legend", { text: label }), element("div", { class: "form" }, kind), area.node, buttons);
	if (move) {
		buttons.appendChild(button({ class: "button", text: say("Up"), "aria-label": fill("Up: {0}", label), disabled: drafts.indexOf(draft) === 0 }, () => move(draft, -1)));
		buttons.appendChild(button({
			class: "button", text: say("Down"), "aria-label": fill("Down: {0}", label), disabled: drafts.indexOf(draft) === drafts.length - 1
		}, () => move(draft, 1)));
	}
	if (remove) buttons.appendChild(button({ class: "button", text: say("Remove"), "aria-label": fill("Remove: {0}", label) }, () => remove(draft)));
	return node;
}

/** The parts of one kind, and a button for another one. */
function partList(form, list) {
	const drafts = form.draft[list.key];
	const node = element("section", { class: "rule-list" });
	const title = element("h3", { text: list.title, tabindex: "-1" });
	const holder = element("div");
	const add = button({ class: "button", text: list.add }, () => {
		drafts.push(list.make(list.first));
		draw();
		form.changed();
		holder.lastChild.querySelector("select").focus();
	});
	const move = (draft, way) => {
		const at = drafts.indexOf(draft);
		drafts.splice(at, 1);
		drafts.splice(at + way, 0, draft);
		draw();
		form.changed();
		holder.children[at + way].querySelector("select").focus();
	};
	const remove = draft => {
		drafts.splice(drafts.indexOf(draft), 1);
		draw();
		form.changed();
		title.focus();
	};
	const draw = () => {
		holder.textContent = "";
		drafts.forEach((draft, index) => holder.appendChild(partNode(form, list, drafts, draft, {
			label: list.part(index + 1), move: list.isOrdered && drafts.length > 1 ? move : null, remove: drafts.length > list.least ? remove : null
		})));
		set(add, { hidden: drafts.length >= list.most });
	};
	draw();
	for (const child of [title, element("p", { class: "hint", text: list.hint }), holder, element("div", { class: "buttons" }, add)]) node.appendChild(child);
	return node;
}

export class RuleEditor {
	/**
	 * `send(rule)` and `test(rule)` throw errors with `message` and perhaps `field`; `done(answer)` follows the first, and
	 * what the second has is shown. `isNew` names the button.
	 */
	constructor({ draft, context, isNew, send, done, test, cancel }) {
		Object.assign(this, { draft, send, done, cancel });
		this.form = new RuleForm(draft, context, () => this.read());
		this.sentence = element("p", { class: "sentence" });
		// The same for who hears it, not at each letter.
		this.spoken = element("p", { class: "unseen", "aria-live": "polite" });
		this.message = element("p", { class: "wrong", role: "alert" });
		this.result = element("div");
		this.sender = element("button", { type: "submit", class: "button main", text: isNew ? say("Add the rule") : say("Save") });
		const tester = button({ class: "button", text: say("Would it start now?") }, event => this.show(test, event.currentTarget));
		this.node = element("form", { class: "rule-form", novalidate: true, "aria-label": isNew ? say("A new rule") : say("Change the rule"), submit: event => this.submit(event) },
			this.head(), ...LISTS().map(list => partList(this.form, list)), this.tail(),
			element("div", { class: "read-back" }, element("h3", { text: say("This is the rule") }), this.sentence, this.spoken), this.result, this.message,
			this.buttons = element("div", { class: "buttons" }, this.sender, tester, this.leaver = button({ class: "button", text: say("Cancel") }, () => this.leave())));
		this.node.addEventListener("keydown", event => {
			// A list of choices that is open closes by the same key.
			if (event.key === "Escape" && event.target.tagName !== "SELECT") this.leave();
		});
		this.read();
		this.before = JSON.stringify(this.json);
	}

	head() {
		return element("div", { class: "form" }, entry(this.form, bind(this.draft, "title", () => "", {
			label: say("Title"), maxlength: 50, path: () => "title", hint: say("Left empty, it is made from what starts the rule.")
		})));
	}

	tail() {
		const path = name => () => name;
		return element("div", { class: "form wide" },
			entry(this.form, bind(this.draft, "description", path(""), { label: say("Description (optional)"), maxlength: 200, path: path("description") })),
			entry(this.form, bind(this.draft, "pause", path(""), { label: say("At most once in (optional)"), type: "length", path: path("pause") })),
			entry(this.form, bind(this.draft, "enabled", path(""), { label: say("Switched on"), type: "checkbox", path: path("enabled") })));
	}

	get json() { return writeRule(this.draft); }

	/** Closes the form; what was written goes only if that is meant. */
	leave() {
		if (JSON.stringify(this.json) === this.before) {
			this.cancel();
			return;
		}
		if (this.question) return;
		const stay = button({ class: "button", text: say("Go on writing") }, () => {
			this.node.removeChild(this.question);
			this.question = null;
			set(this.buttons, { hidden: null });
			this.leaver.focus();
		});
		const text = say("Throw away what you have written?");
		this.question = element("div", { class: "confirm", role: "group", "aria-label": text }, element("p", { text }),
			element("div", { class: "buttons" }, button({ class: "button danger", text: say("Throw away") }, this.cancel), stay));
		set(this.buttons, { hidden: true });
		this.node.appendChild(this.question);
		stay.focus();
	}

	/** Reads the rule back as a sentence. */
	read() {
		const text = sentenceOf(this.json, this.form.names);
		setText(this.sentence, text);
		clearTimeout(this.timer);
		this.timer = setTimeout(() => setText(this.spoken, text), PAUSE);
		// What was tested, or refused, is another rule now.
		this.result.textContent = "";
		if (!this.form.isMarked) setText(this.message, "");
	}

	focus() { this.node.querySelector("input").focus(); }

	refuse(error) {
		setText(this.message, "");
		const { field, message } = error;
		if (field && this.form.refuse(field, message)) {
			setText(this.message, say("Something is not right yet. It is marked above."));
			return;
		}
		arrange(this.message, coded(message));
		this.sender.focus();
	}

	async show(test, pressed) {
		if (!this.form.check() || this.isBusy) return;
		await this.during(pressed, async () => arrange(this.result, [await test(this.json)]));
	}

	async submit(event) {
		event.preventDefault();
		setText(this.message, "");
		if (this.isBusy || !this.form.check()) return;
		await this.during(this.sender, async () => this.done(await this.send(this.json)));
	}

	/** Does something that takes a while. */
	async during(pressed, act) {
		this.isBusy = true;
		set(pressed, { "aria-busy": "true" });
		setText(this.message, "");
		try {
			await act();
		} catch (error) {
			this.refuse(error);
		}
		set(pressed, { "aria-busy": null });
		this.isBusy = false;
	}
}
