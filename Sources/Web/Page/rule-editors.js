// The parts of a rule's form: what starts it, and what must be so.

import { Area, entry, more, nameEntry, namesEntry, shareEntry, valueEntry } from "./rule-controls.js";
import { button, element, show } from "./dom.js";
import { CALLS, COMPARISON_NAMES, LEVEL_NAMES, levelName, month, occurrence, weekday } from "./rule-sentence.js";
import { fill, mark, wordOf } from "./rule-names.js";
import { isOrder, newClause } from "./rule-model.js";
import { nameOf, say } from "./text.js";

const TRIGGER_NAMES = {
	state: mark("a thing reports a value"), schedule: mark("a time comes"), cron: mark("a cron time comes"), once: mark("one moment comes"),
	enter: mark("a device enters a place"), exit: mark("a device leaves a place"), near: mark("a thing comes near"),
	far: mark("a thing is no longer near"), lifecycle: mark("the level of the display changes"), device: mark("a thing's connection changes")
};
const CONDITION_NAMES = {
	state: mark("a thing's value"), during: mark("a time of the day"), zone: mark("the zone of a device"), near: mark("the thing that is near"),
	level: mark("the level of the display")
};
const CLAUSE_NAMES = {
	compare: mark("one value"), and: mark("several values, of which all must fit"), or: mark("several values, of which one must fit"),
	time: mark("the time of the report"), all: mark("whatever it reports")
};
const EDGES = {
	CONDITION_FALSE_TO_TRUE: mark("when it becomes so"), CONDITION_TRUE: mark("at each report while it is so"),
	CONDITION_CHANGED: mark("when it becomes so, and when it is no longer so")
};
const FIELD_EDGES = { CONDITION_CHANGED: mark("when its value changes"), CONDITION_TRUE: mark("at each report") };
const CONNECTIONS = {
	on_connection_lost: mark("it is not reachable"), on_connection_restore: mark("it is reachable again"), on_connect: mark("it connects"),
	ip_change: mark("its address changes")
};
const MISSED = { skip: mark("leave it out"), run: mark("make up for it, if it is not too late") };
const PLACES = { zone: mark("a zone"), geofence: mark("a circle on the map of the world"), beacon: mark("the range of a beacon") };
const CHOOSE_FIRST = () => say("Choose a thing first: then there is a list.");
const MOST_CLAUSES = 50;
const DEEPEST = 8;

/** Options of a table of words. */
export const options = table => Object.keys(table).map(key => [key, say(table[key])]);

/** A field that is bound to a member of a draft. */
export const bind = (draft, key, path, spec) => Object.assign({
	read: () => draft[key], write: value => { draft[key] = value; }, path: () => path() + "." + (spec.member || key)
}, spec);

const byName = (a, b) => a[1].localeCompare(b[1], undefined, { numeric: true });

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

/** Whose coming and going it is; nothing to choose where there is one device. `word` is what is said of several. */
function deviceEntry(form, draft, path, word) {
	const { devices } = form.names;
	if (!devices.length && !draft.device) return null;
	const words = ["any", word];
	const nodes = devices.map(({ node }) => node).concat(draft.device || []).filter((node, index, all) => words.indexOf(node) < 0 && all.indexOf(node) === index);
	return entry(form, bind(draft, "device", path, {
		label: say("Device"), type: "select", options: [["", say("this device")]].concat(nodes.concat(words).map(one => [one, form.names.deviceName(one)]))
	}));
}

const missedEntry = (form, draft, path) => entry(form, bind(draft, "missed", path, {
	label: say("If Trilateral was off at that time"), type: "select", options: options(MISSED)
}));

const zoneEntries = (form, draft, path) => [
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
const hasRange = clause => (clause.parts ? clause.parts.some(hasRange) : isOrder(clause.comparison));

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
function clauseEditor(form, slot, thing, path, { depth = 1, other } = {}) {
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
const SHORT = ["s", "min", "h"];

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

// Triggers

/** Whether all values that a clause compares with a limit are written in percent. */
const isOfShares = (form, draft, clause) => (clause.parts ? clause.parts.filter(hasRange).every(part => isOfShares(form, draft, part))
	: form.names.field(draft.thing, clause.field).kind === "share");

/** How far a value must go back beyond its limit: in the same unit as the limit. */
function marginEntry(form, draft, path) {
	const isShare = () => hasRange(draft.clause) && isOfShares(form, draft, draft.clause);
	let isDrawn = isShare();
	const label = say("It ends only this far beyond the limit (optional)");
	const hint = say("So that a value at the limit does not start the rule again and again.");
	const area = new Area(() => [(isDrawn ? shareEntry : entry)(form, bind(draft, "margin", path, {
		label: isDrawn ? label + " (%)" : label, type: "number", min: 0, hint
	}))], { class: "name" });
	return form.watch(area.node, () => {
		if (isDrawn === (isDrawn = isShare())) return;
		// A number of another unit means nothing any more.
		draft.margin = undefined;
		area.draw();
	});
}

function stateBody(form, draft, path) {
	const isField = () => draft.watches === "field";
	const edges = new Area(() => [
		entry(form, bind(draft, "edge", path, { label: say("It starts"), type: "select", options: options(isField() ? FIELD_EDGES : EDGES) })),
		isField() ? null : entry(form, bind(draft, "for", path, { label: say("Only if it lasts (optional)"), type: "length", units: SHORT })),
		isField() ? null : form.watch(marginEntry(form, draft, path), node => show(node, hasRange(draft.clause)))
	], { class: "across form wide" });
	const slot = { get: () => draft.clause, set: clause => { draft.clause = clause; } };
	const field = {
		name: say("any report of one value"), is: isField, make: () => [nameEntry(form, bind(draft, "field", path, {
			label: say("What it reports"), options: form.names.readable(draft.thing).map(({ name, title }) => [name, title]), required: true
		}))],
		choose: isChosen => {
			if (isChosen === isField()) return;
			draft.watches = isChosen ? "field" : "clause";
			draft.edge = isChosen ? "CONDITION_CHANGED" : "CONDITION_FALSE_TO_TRUE";
			edges.draw();
		}
	};
	const clause = () => clauseEditor(form, slot, () => draft.thing, () => path() + (isField() ? "" : ".clause"), { other: field });
	const rest = new Area(clause, { class: "across form" });
	return [thingEntry(form, draft, path, () => rest.draw()), rest.node, edges.node];
}

function placeBody(form, draft, path) {
	const inner = name => () => path() + "." + name;
	const number = (key, label, low, high, owner, required) => entry(form, bind(draft, key, owner, { label, type: "number", min: low, max: high, required }));
	const beacon = new Area(() => (draft.beacon === "eddystone" ? [
		entry(form, bind(draft, "namespace", inner("beacon"), { label: say("Namespace (20 digits)"), required: true, isWord: true, maxlength: 22 })),
		entry(form, bind(draft, "instance", inner("beacon"), { label: say("Instance (0000 and 8 digits, optional)"), isWord: true, maxlength: 14 }))
	] : [
		entry(form, bind(draft, "uuid", inner("beacon"), {
			label: say("Identifier (UUID)"), required: true, isWord: true, maxlength: 36
		})),
		number("major", say("Its group (major, optional)"), 0, 65535, inner("beacon")), number("minor", say("Its number (minor, optional)"), 0, 65535, inner("beacon"))
	]), { class: "across form wide" });
	const rest = new Area(() => {
		if (draft.where === "zone") {
			return [
				entry(form, bind(draft, "zone", path, { label: say("Zone"), type: "select", options: zoneOptions(form), required: true })),
				deviceEntry(form, draft, path, draft.kind === "enter" ? "first" : "last")
			];
		}
		if (draft.where === "geofence") {
			return [
				number("latitude", say("Latitude (degrees)"), -90, 90, inner("geofence"), true), number("longitude", say("Longitude (degrees)"), -180, 180, inner("geofence"), true),
				number("radius", say("Radius (m, at least 10)"), 10, 100000, inner("geofence"), true)
			];
		}
		const { beacons } = form.names;
		const at = beacons.indexOf(form.names.beacon(draft));
		const choice = { known: at >= 0 ? at : draft.uuid || draft.namespace || !beacons.length ? "other" : undefined };
		const other = new Area(() => (choice.known !== "other" ? [] : [
			entry(form, bind(draft, "beacon", path, {
				label: say("Kind of beacon"), type: "select", options: [["ibeacon", "iBeacon"], ["eddystone", "Eddystone-UID"]], redraw: () => beacon.draw()
			})), beacon.draw().node
		]), { class: "across form wide" });
		return [
			beacons.length ? entry(form, bind(choice, "known", path, {
				member: "beacon", label: say("Beacon"), type: "select", required: true,
				options: beacons.map(({ label }, index) => [index, label]).sort(byName).concat([["other", say("another one …")]]), redraw: () => {
					Object.assign(draft, (beacons[choice.known] || {}).numbers);
					other.draw();
				}
			})) : null, other.node,
			number("rssi", say("Heard at least this strongly (dBm, optional)"), -127, 20, path),
			entry(form, bind(draft, "gone", path, { label: say("Gone if not heard for (empty: 1 minute)"), type: "length", units: SHORT }))
		];
	}, { class: "across form wide" });
	return [entry(form, bind(draft, "where", path, { label: say("Place"), type: "select", options: options(PLACES), path, redraw: () => rest.draw() })), rest.node];
}

function lifecycleBody(form, draft, path) {
	const rest = new Area(() => (draft.what === "call"
		? [entry(form, bind(draft, "call", path, { label: say("Call"), type: "select", options: CALLS.map(name => [name, name]), required: true }))]
		: [entry(form, bind(draft, "level", path, { label: say("Level"), type: "select", options: LEVEL_NAMES.map(name => [name, levelName(name)]), required: true }))]
	), { class: "form" });
	return [entry(form, bind(draft, "what", path, {
		label: say("What counts"), type: "select", options: [["level", say("a level is reached")], ["call", say("a call of the lifecycle")]], path: () => "", redraw: () => rest.draw()
	})), rest.node];
}

const BODIES = {
	state: stateBody, enter: placeBody, exit: placeBody, lifecycle: lifecycleBody,
	schedule: (form, draft, path) => scheduleEditor(form, draft.schedule, path, () => [missedEntry(form, draft, path)]),
	cron: (form, draft, path) => [
		entry(form, bind(draft, "cron", path, {
			label: say("Five fields of cron"), required: true, isWord: true, maxlength: 500, hint: say("Minute, hour, day of the month, month, weekday: 0 7 * * 1-5")
		})), missedEntry(form, draft, path), ...zoneEntries(form, draft, path)
	],
	once: (form, draft, path) => [entry(form, bind(draft, "at", path, { label: say("Moment"), type: "moment", required: true })), missedEntry(form, draft, path)],
	near: (form, draft, path) => [thingEntry(form, draft, path), deviceEntry(form, draft, path, "first")],
	far: (form, draft, path) => [thingEntry(form, draft, path), deviceEntry(form, draft, path, "last")],
	device: (form, draft, path) => [
		thingEntry(form, draft, path),
		entry(form, bind(draft, "event", path, {
			label: say("What happens"), type: "select", options: options(CONNECTIONS), required: true,
			hint: say("Only a thing with a link tells it: a lamp that is driven over the broker, or a thing that speaks for itself.")
		})),
		entry(form, bind(draft, "threshold", path, {
			label: say("Only if it lasts (optional)"), type: "length", units: SHORT, hint: say("At least 5 minutes. Left empty: 5 minutes if it is not reachable, or reachable again; else at once.")
		}))
	]
};

export const triggerOptions = () => options(TRIGGER_NAMES);

export const triggerBody = (form, draft, path) => BODIES[draft.kind](form, draft, path);

// Conditions

export const conditionOptions = () => options(CONDITION_NAMES);

export function conditionBody(form, draft, path) {
	const names = (label, choices) => [namesEntry(form, bind(draft, "names", path, { label, member: draft.kind, options: choices, required: true, isWide: true }))];
	switch (draft.kind) {
	case "during": return scheduleEditor(form, draft.schedule, () => path() + ".during");
	case "zone": return names(say("One of these zones"), zoneOptions(form)).concat(deviceEntry(form, draft, path, "none") || []);
	case "near": return names(say("One of these things"), thingOptions(form)).concat(deviceEntry(form, draft, path, "none") || []);
	case "level": return names(say("One of these levels"), LEVEL_NAMES.map(name => [name, levelName(name)]));
	default: {
		const slot = { get: () => draft.clause, set: clause => { draft.clause = clause; } };
		const rest = new Area(() => clauseEditor(form, slot, () => draft.thing, () => path() + ".clause"), { class: "across form wide" });
		return [thingEntry(form, draft, path, () => rest.draw()), rest.node];
	}
	}
}
