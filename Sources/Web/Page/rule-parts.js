// What starts a rule, and what must be so: the fields of each kind.

import { Area, entry, nameEntry, namesEntry, shareEntry } from "./rule-controls.js";
import { CALLS, LEVEL_NAMES, levelName } from "./rule-sentence.js";
import { bind, byName, clauseEditor, hasRange, missedEntry, options, scheduleEditor, SHORT, thingEntry, thingOptions, zoneEntries, zoneOptions } from "./rule-editors.js";
import { show } from "./dom.js";
import { mark } from "./rule-names.js";
import { say } from "./text.js";

const TRIGGER_NAMES = {
	state: mark("a thing reports a value"), schedule: mark("a time comes"), cron: mark("a cron time comes"), once: mark("one moment comes"),
	enter: mark("a device enters a place"), exit: mark("a device leaves a place"), near: mark("a thing comes near"),
	far: mark("a thing is no longer near"), lifecycle: mark("the level of the display changes"), device: mark("a thing's connection changes")
};
const CONDITION_NAMES = {
	state: mark("a thing's value"), during: mark("a time of the day"), zone: mark("the zone of a device"), near: mark("the thing that is near"),
	level: mark("the level of the display")
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
const PLACES = { zone: mark("a zone"), geofence: mark("a circle on the map of the world"), beacon: mark("the range of a beacon") };

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
