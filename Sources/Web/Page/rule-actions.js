// The parts of a rule's form that say what is done.

import { Area, entry, more, nameEntry, valueEntry } from "./rule-controls.js";
import { bind, options, thingOptions, zoneOptions } from "./rule-editors.js";
import { button, element, show } from "./dom.js";
import { CEILING_LEVELS, ceilingName } from "./rule-sentence.js";
import { fill, mark } from "./rule-names.js";
import { isTimed } from "./rule-model.js";
import { say } from "./text.js";

const ACTION_NAMES = {
	set: mark("set values"), action: mark("do an action"), command: mark("give a command, with results"), notify: mark("send a message"),
	ceiling: mark("limit the level of the display"), publish: mark("publish a message of the rule")
};
const RECIPIENTS = {
	user: mark("a user"), contact: mark("a contact"), all: mark("all displays"), display: mark("a display"), installation: mark("a phone or tablet"),
	email: mark("an e-mail address"), sms: mark("a phone number")
};
const CHANNELS = { email: mark("E-mail"), sms: mark("Short message"), push: mark("Notification") };
const TIMES = { start: mark("at the start"), end: mark("at the end"), range: mark("at the start, or later while it lasts") };
const MOST_ROWS = 50;

/** What can be driven, by the words of a rule. */
function targetOptions(form, isThing) {
	const things = thingOptions(form).map(([word, name]) => ["thing:" + word, name]);
	if (isThing) return things;
	return things.concat(zoneOptions(form).map(([word, name]) => ["zone:" + word, fill("the light of {0}", name)]), [["nearby", say("what is near")]]);
}

const targetEntry = (form, draft, path, redraw, isThing) => entry(form, bind(draft, "target", path, {
	label: say("Thing"), type: "select", options: targetOptions(form, isThing), required: true, name: target => form.names.targetName(target), redraw
}));

/** Rows of names and values, with a button for one more. */
function rows(form, list, make, { add, fresh, least = 1 }) {
	const node = element("div", { class: "across" });
	const more = button({ class: "button", text: add }, () => {
		list.push(fresh());
		draw();
		form.changed();
		const all = node.querySelectorAll("fieldset");
		const first = all[all.length - 1].querySelector("select, input");
		if (first) first.focus();
	});
	const draw = () => {
		node.textContent = "";
		list.forEach((row, index) => {
			const remove = button({ class: "button", text: say("Remove"), "aria-label": fill("Remove: {0}", String(index + 1)) }, () => {
				list.splice(index, 1);
				draw();
				form.changed();
				more.focus();
			});
			node.appendChild(element("fieldset", { class: "rule-part" }, make(row, index), element("div", { class: "buttons" }, ...(list.length > least ? [remove] : []))));
		});
		show(more, list.length < MOST_ROWS);
		node.appendChild(element("div", { class: "buttons" }, more));
	};
	draw();
	return node;
}

/** A name and its value. */
function valueRow(form, row, path, fields, field) {
	const value = new Area(() => [valueEntry(form, {
		label: say("Value"), read: () => row.value, write: given => { row.value = given; }, path, required: true
	}, field(row.name))], { class: "form" });
	const name = nameEntry(form, {
		label: say("What is set"), read: () => row.name, write: given => { row.name = given; }, options: fields, required: true, path, redraw: () => {
			row.value = undefined;
			value.draw();
		}
	});
	return element("div", { class: "form wide" }, name, value.node);
}

/** Whether the rule is started by times, for which a profile may not let a value be set. */
const hasTimes = form => form.draft.when.some(trigger => /^(schedule|cron|once)$/.test(trigger.kind));

function setBody(form, draft, path) {
	const rest = new Area(() => {
		const settable = form.names.settable(draft.target);
		const fields = settable.map(({ name, title, schedules }) => [name, schedules || !hasTimes(form) ? title : fill("{0} (not at set times)", title)]);
		return [rows(form, draft.values, row => valueRow(form, row, () => path() + ".set", fields, name => form.names.setField(draft.target, name)),
			{ add: say("Set another value"), fresh: () => ({ name: "", value: undefined }) })];
	}, { class: "across form" });
	return [targetEntry(form, draft, path, () => rest.draw()), rest.node];
}

function nameBody(form, draft, path) {
	const rest = new Area(() => [nameEntry(form, bind(draft, "action", path, {
		label: say("Action"), options: draft.target === "nearby" || form.names.actions(draft.target).length ? form.names.actions(draft.target) : [], required: true
	}))], { class: "form" });
	return [targetEntry(form, draft, path, () => rest.draw()), rest.node];
}

function commandBody(form, draft, path) {
	const inner = () => path() + ".command";
	const rest = new Area(() => {
		const { names } = form;
		const fields = names.settable(draft.target).map(({ name, title }) => [name, title]).concat(names.actions(draft.target));
		const step = row => {
			// An action has no value; what is set has one.
			const field = name => (names.settable(draft.target).some(one => one.name === name) ? names.setField(draft.target, name)
				: { name, kind: names.actions(draft.target).some(([one]) => one === name) ? "action" : "any", options: [[true, say("do it")]] });
			const told = name => Object.assign({}, field(name), field(name).kind === "action" ? { kind: "choice" } : {});
			return valueRow(form, row, inner, fields, told);
		};
		return [rows(form, draft.steps, step, { add: say("Add a step"), fresh: () => ({ name: "", value: undefined }) })];
	}, { class: "across form" });
	const isUnusual = draft.issuer || draft.schema || draft.schemaVersion || draft.title || draft.description || draft.metadata.length;
	const text = (key, label, maxlength, hint) => entry(form, bind(draft, key, inner, { label, maxlength, hint }));
	return [
		targetEntry(form, draft, path, () => rest.draw(), true), rest.node,
		more(Boolean(isUnusual), text("title", say("Title of the command (optional)"), 50), text("description", say("Description (optional)"), 200),
			text("issuer", say("Who gives it (optional)"), 200, say("Such as user:anna. Left empty: the maker of the rule.")), text("schema", say("Schema (optional)"), 200),
			entry(form, bind(draft, "schemaVersion", inner, { label: say("Version of the schema (optional)"), type: "number", min: 0, max: 2147483647, step: 1 })),
			rows(form, draft.metadata, row => element("div", { class: "form wide" },
				entry(form, { label: say("Name"), read: () => row.name, write: name => { row.name = name; }, path: inner, maxlength: 200, isWord: true }),
				entry(form, { label: say("Value"), type: "value", read: () => row.value, write: value => { row.value = value; }, path: inner })),
			{ add: say("Add a note for programs"), fresh: () => ({ name: "", value: undefined }), least: 0 }))
	];
}

// Messages

/** Who may be chosen: others than the reader and what is theirs only by who administers. */
function recipientKinds({ me }, now) {
	const all = options(RECIPIENTS);
	return me && me.administers ? all : all.filter(([kind]) => !/^(email|sms)$/.test(kind) || kind === now);
}

function recipientRow(form, draft, row, path) {
	const { context } = form;
	const users = context.users.map(user => [user.name, user.display && user.display !== user.name ? user.display + " (" + user.name + ")" : user.name]);
	const own = users.length || !context.me ? users : [[context.me.name, context.me.display || context.me.name]];
	const bound = spec => entry(form, Object.assign({ read: () => row.name, write: name => { row.name = name; }, path, required: true, maxlength: 254 }, spec));
	const rest = new Area(() => {
		switch (row.kind) {
		case "user": return [bound({ label: say("User"), type: own.length ? "select" : "text", options: own })];
		case "contact": return [bound({
			label: say("Contact"), type: "select", options: context.contacts.map(one => [String(one.id), one.name]), hint: context.contacts.length ? "" : say("Add contacts under “My account”.")
		})];
		case "all": return [];
		case "display": return [bound({ label: say("Name of the display"), isWord: true, hint: say("As in its address: ?display=hall"), maxlength: 64 })];
		case "installation": return [bound({ label: say("Identifier of its installation"), isWord: true, maxlength: 64 })];
		case "email": return [bound({ label: say("E-mail"), type: "email" })];
		default: return [bound({ label: say("Phone"), type: "tel", maxlength: 32 })];
		}
	}, { class: "form" });
	return element("div", { class: "form wide" }, entry(form, {
		label: say("To"), type: "select", options: recipientKinds(context, row.kind), read: () => row.kind, path: () => "", write: kind => Object.assign(row, { kind, name: "" }),
		redraw: () => rest.draw()
	}), rest.node);
}

const notifyBody = (form, draft, path) => [
	rows(form, draft.recipients, (row, index) => recipientRow(form, draft, row, () => path() + ".notify[" + index + "]"),
		{ add: say("Send it to another one, too"), fresh: () => ({ kind: "user", name: "" }) }),
	entry(form, bind(draft, "channels", path, {
		label: say("By"), hint: say("None: in every way that the user or the contact has."), type: "toggles", isWide: true, options: options(CHANNELS)
	})),
	entry(form, bind(draft, "subject", path, { label: say("Subject (optional)"), maxlength: 1000 })),
	entry(form, bind(draft, "text", path, {
		label: say("Text (optional)"), type: "long", maxlength: 1000, isWide: true,
		hint: say("These words are filled in: {device} {thing} {zone} {field} {value} {before} {time} {rule} {why}")
	}))
];

const BODIES = {
	set: setBody, action: nameBody, command: commandBody, notify: notifyBody,
	ceiling: (form, draft, path) => [entry(form, bind(draft, "level", path, {
		label: say("Highest level"), member: "ceiling", type: "select", hint: say("A level that somebody has forced still counts."),
		options: CEILING_LEVELS.map(name => [name, ceilingName(name)]).concat([["", say("no limit any more")]])
	}))],
	publish: (form, draft, path) => [entry(form, bind(draft, "value", path, {
		label: say("Message"), member: "publish", type: "value", required: true, isWide: true, maxlength: 4096,
		hint: say("Programs receive it on the rule's own topic: a text, a number, or JSON.")
	}))]
};

export const actionOptions = () => options(ACTION_NAMES);

export const actionBody = (form, draft, path) => BODIES[draft.kind](form, draft, path).concat(form.watch(entry(form, bind(draft, "at", path, {
	label: say("When it is done"), type: "select", options: options(TIMES)
})), node => show(node, isTimed(form.draft))));
