// The parts of a rule's form that several of its parts have: things, clauses and schedules.

import { Area, entry, more, nameEntry, valueEntry } from "./rule-controls.js";
import { button, element } from "./dom.js";
import { COMPARISON_NAMES, month, occurrence, weekday } from "./rule-sentence.js";
import { fill, mark, wordOf } from "./rule-names.js";
import { isOrder, newClause } from "./rule-model.js";
import { nameOf, say } from "./text.js";

const CLAUSE_NAMES = {
	compare: mark("one value"), and: mark("several values, of which all must fit"), or: mark("several values, of which one must fit"),
	time: mark("the time of the report"), all: mark("whatever it reports")
};
const MISSED = { skip: mark("leave it out"), run: mark("make up for it, if it is not too late") };
const CHOOSE_FIRST = () => say("Choose a thing first: then there is a list.");
const MOST_CLAUSES = 50;
const DEEPEST = 8;

/** Options of a table of words. */
export const options = table => Object.keys(table).map(key => [key, say(table[key])]);

/** A field that is bound to a member of a draft. */
export const bind = (draft, key, path, spec) => Object.assign({
	read: () => draft[key], write: value => { draft[key] = value; }, path: () => path() + "." + (spec.member || key)
}, spec);

export const byName = (a, b) => a[1].localeCompare(b[1], undefined, { numeric: true });

/** Things to choose from; where several have the same name, with their zones. */
export function thingOptions({ names }) {
	const counts = new Map();
	for (const one of names.things) counts.set(nameOf(one), (counts.get(nameOf(one)) || 0) + 1);
	return names.things.map(one => [wordOf(one), counts.get(nameOf(one)) > 1 && one.zone ? nameOf(one) + " · " + names.zoneName(one.zone) : nameOf(one)]).sort(byName);
}

export const zoneOptions = form => form.names.zones.map(one => [wordOf(one), nameOf(one)]).sort(byName);

export const thingEntry = (form, draft, path, redraw) => entry(form, bind(draft, "thing", path, {
	label: say("Thing"), type: "select", options: thingOptions(form), required: true, redraw
}));

export const missedEntry = (form, draft, path) => entry(form, bind(draft, "missed", path, {
	label: say("If Trilateral was off at that time"), type: "select", options: options(MISSED)
}));

export const zoneEntries = (form, draft, path) => [
	entry(form, bind(draft, "timeZone", path, {
		label: say("Time zone (optional)"), isWord: true, hint: say("Such as Europe/Berlin. Left empty: that of the place."), choices: zones()
	})),
	entry(form, bind(draft, "utc", path, { label: say("World time (UTC)"), type: "checkbox" }))
];

function zones() {
	// Newer browsers know them.
	try { return Intl.supportedValuesOf("timeZone"); } catch (error) { return []; }
}

// Clauses

/** Whether a clause compares with a limit, beyond which a value may swing. */
export const hasRange = clause => (clause.parts ? clause.parts.some(hasRange) : isOrder(clause.comparison));

const countOf = clause => 1 + (clause.parts || []).reduce((sum, part) => sum + countOf(part), 0);

/** Another kind of a clause, with what of the old one still means something. */
function changed(old, kind) {
	if (kind === "time" || kind === "all") return { kind };
	if (kind === "compare") return (old.parts || []).find(part => part.kind === "compare") || newClause("compare");
	return { kind, parts: old.parts || [old] };
}

/**
 * A clause about a thing: one comparison, or several. `slot` has get() and set(clause). `other` is something else in its
 * place, with a name, `is()`, `choose(isChosen)` and `make()`.
 */
export function clauseEditor(form, slot, thing, path, { depth = 1, other } = {}) {
	const kinds = Object.keys(CLAUSE_NAMES).filter(kind => depth < DEEPEST || !/^(and|or)$/.test(kind)).map(kind => [kind, say(CLAUSE_NAMES[kind])]);
	if (other) kinds.splice(1, 0, ["other", other.name]);
	const isOther = () => Boolean(other && other.is());
	const area = new Area(() => (isOther() ? other.make() : clauseFields(form, slot.get(), thing, path, depth)), { class: "form wide" });
	const kind = entry(form, {
		label: say("What counts"), type: "select", options: kinds, path, read: () => (isOther() ? "other" : slot.get().kind), write: value => {
			if (other) other.choose(value === "other");
			if (value !== "other") slot.set(changed(slot.get(), value));
		},
		redraw: () => area.draw()
	});
	return [kind, element("div", { class: "across" }, area.node)];
}

function clauseFields(form, clause, thing, path, depth) {
	switch (clause.kind) {
	case "and": case "or": return [clauseParts(form, clause, thing, path, depth)];
	case "time": return [["from", "lowerLimit", say("From")], ["to", "upperLimit", say("Until")]].map(([key, member, label]) =>
		entry(form, bind(clause, key, path, { label, member, type: "moment", isNumber: true, required: true })));
	case "all": return [];
	default: return comparison(form, clause, thing, path);
	}
}

function clauseParts(form, clause, thing, path, depth) {
	const node = element("div", { class: "across" });
	const draw = () => {
		node.textContent = "";
		clause.parts.forEach((part, index) => {
			const slot = { get: () => clause.parts[index], set: value => { clause.parts[index] = value; } };
			const remove = button({ class: "button", text: say("Remove"), disabled: clause.parts.length < 2 }, () => {
				clause.parts.splice(index, 1);
				draw();
				form.changed();
				add.focus();
			});
			node.appendChild(element("fieldset", { class: "rule-part" }, element("legend", { text: fill("Part {0}", index + 1) }),
				element("div", { class: "form wide" }, ...clauseEditor(form, slot, thing, () => path() + ".clauses[" + index + "]", { depth: depth + 1 })),
				element("div", { class: "buttons" }, remove)));
		});
		node.appendChild(element("div", { class: "buttons" }, add));
	};
	const add = button({ class: "button", text: say("Add a part") }, () => {
		if (countOf(clause) >= MOST_CLAUSES) return;
		clause.parts.push(newClause("compare"));
		draw();
		form.changed();
		const all = node.querySelectorAll(":scope > fieldset select");
		if (all.length) all[all.length - 1].focus();
	});
	draw();
	return node;
}

/** A field, how it is compared, and with what. */
function comparison(form, clause, thing, path) {
	const fields = form.names.readable(thing());
	const field = () => form.names.field(thing(), clause.field);
	const limitOf = () => ({ ge: "lowerLimit", gt: "lowerLimit", le: "upperLimit", lt: "upperLimit", between: "limits" }[clause.comparison]);
	// What a thing reports may lie beyond what can be set at it.
	const number = () => Object.assign({}, field(), { options: limitOf() ? [] : field().options }, field().kind === "share" ? {} : { kind: "number", min: null, max: null });
	// An equality is not the clause itself where it is negated.
	const inner = () => path() + (clause.comparison === "ne" ? ".clause" : "");
	const values = new Area(() => {
		if (clause.comparison === "between") {
			return [
				valueEntry(form, bind(clause, "low", path, { label: say("Lower limit"), member: "lowerLimit", required: true }), number()),
				valueEntry(form, bind(clause, "high", path, { label: say("Upper limit"), member: "upperLimit", required: true }), number()),
				entry(form, bind(clause, "includesLow", path, { label: say("The lower limit counts, too"), member: "lowerIncluded", type: "checkbox" })),
				entry(form, bind(clause, "includesHigh", path, { label: say("The upper limit counts, too"), member: "upperIncluded", type: "checkbox" }))
			];
		}
		const limit = limitOf();
		return [valueEntry(form, bind(clause, "value", inner, { label: say("Value"), member: limit || "value", required: true }), limit || field().kind === "number" ? number() : field())];
	}, { class: "form" });
	const compare = new Area(() => {
		// Truths and words have no order, but what a rule has already stays.
		const { kind } = field();
		const all = options(COMPARISON_NAMES);
		const fitting = /^(number|share|any)$/.test(kind) || isOrder(clause.comparison) ? all : all.filter(([key]) => !isOrder(key));
		return [entry(form, bind(clause, "comparison", path, {
			label: say("Comparison"), type: "select", options: fitting, member: "type", redraw: () => {
				if (clause.comparison === "between" && clause.includesLow === undefined) Object.assign(clause, { includesLow: true, includesHigh: true });
				if (isOrder(clause.comparison) && typeof clause.value !== "number") clause.value = undefined;
				values.draw();
			}
		}))];
	}, { class: "form" });
	let kindBefore = field().kind;
	const name = nameEntry(form, bind(clause, "field", inner, {
		label: say("What it reports"), options: fields.map(({ name: key, title }) => [key, title]), required: true, hint: thing() ? "" : CHOOSE_FIRST(), redraw: () => {
			const isFresh = clause.value === undefined && clause.low === undefined;
			if (kindBefore !== (kindBefore = field().kind)) clause.value = undefined;
			// A number is hardly ever met exactly.
			if (isFresh && clause.comparison === "eq" && /^(number|share)$/.test(kindBefore)) clause.comparison = "ge";
			if (!/^(number|share|any)$/.test(kindBefore) && isOrder(clause.comparison)) clause.comparison = "eq";
			compare.draw();
			values.draw();
		}
	}));
	return [element("div", { class: "across form three" }, name, compare.node, values.node)];
}

// Schedules

export const START_KINDS = { clock: mark("at a time"), sunrise: mark("at sunrise"), sunset: mark("at sunset"), "": mark("some time before the end") };
export const END_KINDS = { "": mark("no end"), clock: mark("at a time"), sunrise: mark("at sunrise"), sunset: mark("at sunset") };
const WAYS = { "+": mark("after"), "-": mark("before") };
export const SHORT = ["s", "min", "h"];

/** The start or the end of a schedule. */
export function timeEntries(form, draft, path, member, label, kinds, redraw) {
	const area = new Area(() => {
		if (draft.kind === "clock") {
			return [entry(form, bind(draft, "time", path, {
				label: fill("{0}: time", label), type: "time", path: () => path() + "." + member, required: true, step: /:\d\d:/.test(draft.time) ? 1 : 60
			}))];
		}
		if (!draft.kind) return [];
		return [
			entry(form, bind(draft, "offset", path, { label: fill("{0}: so much earlier or later (optional)", label), type: "length", units: SHORT, path: () => path() + "." + member })),
			entry(form, bind(draft, "way", path, { label: fill("{0}: before or after the sun", label), type: "select", options: options(WAYS), path: () => "" }))
		];
	}, { class: "form" });
	return [entry(form, bind(draft, "kind", path, { label, type: "select", options: options(kinds), path: () => path() + "." + member, redraw: () => {
		area.draw();
		if (redraw) redraw();
	} })), area.node];
}

const numbers = (count, name) => Array.from({ length: count }, (_, index) => [index + 1, name(index + 1)]);

// Weeks begin with Monday.
const WEEK = [2, 3, 4, 5, 6, 7, 1];

export const weekdayEntry = (form, draft, path) => entry(form, bind(draft, "daysOfWeek", path, {
	label: say("Days of the week"), hint: say("None: every day."), type: "toggles", isWide: true, options: WEEK.map(day => [day, weekday(day)])
}));

/** A schedule: at which times, on which days. */
export function scheduleEditor(form, draft, path, rest = () => []) {
	const before = () => entry(form, bind(draft, "before", path, {
		label: say("How long before the end"), member: "timeBeforeEnd", type: "length", units: SHORT, required: !draft.start.kind
	}));
	const lead = new Area(() => (draft.start.kind ? [] : [before()]), { class: "across form wide" });
	const isUnusual = ["monthsOfYear", "daysOfMonth", "dayOccurOfMonth"].some(key => draft[key].length) || draft.startDate || draft.endDate || draft.timeZone ||
		draft.utc || draft.interval.amount || (draft.start.kind && draft.before.amount);
	return [
		...timeEntries(form, draft.start, path, "startTimeEachDay", say("Begins"), START_KINDS, () => lead.draw()), lead.node,
		...timeEntries(form, draft.end, path, "endTimeEachDay", say("Ends"), END_KINDS),
		entry(form, bind(draft, "duration", path, { label: say("It lasts (optional)"), type: "length" })),
		weekdayEntry(form, draft, path),
		more(Boolean(isUnusual), ...[
			entry(form, bind(draft, "interval", path, { label: say("Again and again, from start to start (optional)"), type: "length" })),
			draft.start.kind ? before() : null,
			entry(form, bind(draft, "dayOccurOfMonth", path, {
				label: say("Which of these weekdays of the month"), hint: say("None: all of them."), type: "toggles", isWide: true, options: numbers(6, occurrence)
			})),
			entry(form, bind(draft, "daysOfMonth", path, {
				label: say("Days of the month"), hint: say("None: every day."), type: "toggles", isWide: true, options: numbers(32, day => (day === 32 ? say("the last") : String(day)))
			})),
			entry(form, bind(draft, "monthsOfYear", path, {
				label: say("Months"), hint: say("None: every month."), type: "toggles", isWide: true, options: numbers(12, month)
			})),
			entry(form, bind(draft, "startDate", path, { label: say("First day (optional)"), type: "date" })),
			entry(form, bind(draft, "endDate", path, { label: say("Last day (optional)"), type: "date" })),
			...zoneEntries(form, draft, path), ...rest()
		])
	];
}
