// Things as they are: made, changed and removed. Rights on them are given in other parts.

import { ListPart } from "./people-list.js";
import { ask, clip, part, say } from "./people.js";

const AXES = ["x", "y", "z"];

const wordOf = object => object.slug || object.id;

const plain = value => clip(typeof value === "string" ? value : JSON.stringify(value), 120);

function place(position) {
	if (!position) return "";
	return AXES.filter(axis => Number.isFinite(position[axis])).map(axis => axis + " " + Math.round(position[axis] * 100) / 100).join(", ");
}

/** What was typed, as JSON where it is some, else as text; nothing removes a value. */
function valueOf(text) {
	if (text === undefined || text === "") return null;
	try { return JSON.parse(text); } catch (error) { return text; }
}

function fields(zones, thing) {
	const { name, description, zone, position } = thing || {};
	const axis = key => ({
		name: key, label: key + " (m)", type: "number", step: "any", value: position && Number.isFinite(position[key]) ? position[key] : undefined
	});
	return [
		{ name: "name", label: say("Name"), value: name, required: true, maxlength: 200 },
		{ name: "zone", label: say("Zone"), type: "select", options: zones, value: zone, required: true },
		{ name: "description", label: say("Description"), value: description, keepEmpty: Boolean(thing), maxlength: 2000 }, ...AXES.map(axis)
	];
}

/** The members of a form that differ from what the thing has. */
function changes(values, thing) {
	const { name, zone, description = "", position = {} } = thing;
	const body = {};
	if (values.name !== name) body.name = values.name;
	if (values.zone !== zone) body.zone = values.zone;
	if (values.description !== undefined && values.description !== description) body.description = values.description;
	const moved = point(values);
	if (moved && AXES.some(axis => moved[axis] !== (position[axis] || 0))) body.position = moved;
	return body;
}

function point(values) {
	if (values.x === undefined || values.y === undefined) return null;
	return { x: Number(values.x), y: Number(values.y), z: Number(values.z || 0) };
}

function create({ name, zone, description, ...rest }) {
	const position = point(rest);
	return ask("POST", "things", Object.assign({ name, zone }, description ? { description } : {}, position ? { position } : {}));
}

export function thingsPart({ me, scopes }) {
	const path = thing => "things/" + part(wordOf(thing));
	const zones = scopes.zones.map(zone => [wordOf(zone), zone.name || wordOf(zone)]);
	const own = new Set((me.rights || []).filter(grant => grant.access === "own").map(grant => grant.scope));
	const isOwn = thing => me.administers || own.has("all") || scopes.isOwn("thing:" + wordOf(thing), own);
	const ownZones = zones.filter(([zone]) => me.administers || own.has("all") || scopes.isOwn("zone:" + zone, own));
	const save = async (thing, values) => {
		const body = changes(values, thing);
		if (Object.keys(body).length) await ask("PATCH", path(thing), body);
	};
	const actions = thing => [
		{
			label: say("Edit"), done: say("Saved."),
			form: () => ({ fields: fields(zones, thing), submit: say("Save"), send: values => save(thing, values) })
		},
		{
			label: say("Set a value"), done: say("Saved."), form: () => ({
				fields: [
					{ name: "key", label: say("Name of the value"), choices: Object.keys(thing.data || {}), required: true, isWord: true },
					{ name: "value", label: say("Value"), hint: say("Numbers, true, false and JSON are read as such. Nothing removes it."), maxlength: 10000 }
				],
				submit: say("Save"), send: ({ key, value }) => ask("PATCH", path(thing), { data: { [key]: valueOf(value) } })
			})
		},
		{
			label: say("Remove"), question: say("Remove the thing {0}? Rights on it go, too.", thing.name || wordOf(thing)),
			act: () => ask("DELETE", path(thing)), done: say("The thing is removed.")
		}
	];
	return new ListPart({
		title: say("Things"), empty: say("There are no things that you may see."), keyOf: thing => thing.id, load: () => ask("GET", "things"),
		row: thing => ({
			name: thing.name || wordOf(thing), facts: [
				[thing.slug, thing.zone ? scopes.text("zone:" + thing.zone) : say("in no zone"), place(thing.position)].filter(Boolean).join(" · "),
				thing.available === false ? say("not reachable") : ""
			],
			notes: [thing.data && Object.keys(thing.data).map(key => key + ": " + plain(thing.data[key])).join(" · ")],
			actions: isOwn(thing) ? actions(thing) : []
		}),
		add: ownZones.length > 0 && {
			title: say("Add a thing"), form: () => ({ fields: fields(ownZones), submit: say("Add"), send: create })
		}
	});
}
