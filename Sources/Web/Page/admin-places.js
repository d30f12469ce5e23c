// Places: environments and the zones in them, made, changed and removed.

import { element } from "./dom.js";
import { changedValues, geofenceFields, perimeterFields, perimeterText, putGeofence, putPerimeter, putTexts, textFields, titleOf, wordOf } from "./admin-fields.js";
import { ListPart } from "./people-list.js";
import { ask, part, say } from "./people.js";

const count = (number, one, many) => (number === 1 ? say(one) : say(many, number));

const things = number => count(number, "1 thing", "{0} things");
const zones = number => count(number, "1 zone", "{0} zones");

/** The environments, zones and things of all places. */
async function readAll() {
	const [environments, found, all] = await Promise.all([ask("GET", "environments"), ask("GET", "zones?environment=*"), ask("GET", "things?environment=*")]);
	return { environments: environments || [], zones: found || [], things: all || [] };
}

/** Whether the reader owns a scope. */
export function ownership({ me, scopes }) {
	const own = new Set((me.rights || []).filter(grant => grant.access === "own").map(grant => grant.scope));
	const all = me.administers || own.has("all");
	return { all, isOwn: scope => all || scopes.isOwn(scope, own) };
}

/** A choice of the place that a list is about. */
export function placeChoice(environments, chosen, change) {
	const id = "place-choice";
	const node = element("select", { id, change: () => change(node.value) });
	for (const one of environments) node.appendChild(element("option", { value: wordOf(one), text: titleOf(one) }));
	if (environments.length > 1) node.appendChild(element("option", { value: "*", text: say("All places") }));
	if (chosen) node.value = chosen;
	return element("div", { class: "entry", hidden: environments.length < 2 }, element("label", { for: id, text: say("Place") }), node);
}

const UUID = value => ({ name: "uuid", label: say("Identifier of its beacons (UUID)"), value, maxlength: 64, isWord: true, keepEmpty: true });
const DISTANCE = value => ({ name: "distance", label: say("Near within (m)"), type: "number", min: 0, step: "any", value, isNumber: true, keepEmpty: true, hint: say("1.5 when left empty.") });
const MAJOR = value => ({ name: "major", label: say("Number of its beacons (major)"), type: "number", min: 0, max: 65535, step: 1, value, isNumber: true, keepEmpty: true });

const environmentData = ({ data = {} }) => [UUID(data.uuid), DISTANCE(data.distance)];
const zoneData = ({ data = {} }) => [MAJOR(data.major)];

function environmentForm(old, submit, send) {
	const data = environmentData(old || {});
	const angle = { name: "angle", label: say("Angle of its y axis from north (degrees)"), type: "number", min: -360, max: 360, step: "any", value: old && old.angle };
	return {
		fields: [...textFields(old), ...perimeterFields(old && old.perimeter), angle, ...geofenceFields(old && old.geofence), ...data], submit,
		send: values => {
			const body = {};
			putTexts(body, values, old);
			putPerimeter(body, values, old && old.perimeter);
			if (Number(values.angle || 0) !== (old ? old.angle : 0)) body.angle = Number(values.angle || 0);
			putGeofence(body, values, old && old.geofence);
			return put(body, values, data, send);
		}
	};
}

function zoneForm(old, submit, send) {
	const data = zoneData(old || {});
	return {
		fields: [...textFields(old), ...perimeterFields(old && old.perimeter), ...data], submit, send: values => {
			const body = {};
			putTexts(body, values, old);
			putPerimeter(body, values, old && old.perimeter);
			return put(body, values, data, send);
		}
	};
}

function put(body, values, fields, send) {
	const data = changedValues(values, fields);
	if (Object.keys(data).length) body.data = data;
	return Object.keys(body).length ? send(body) : Promise.resolve(null);
}

/** What goes with an object, as a question. */
function question(question, full, name, goes) {
	return goes.length ? say(full, name, goes.join(", ")) : say(question, name);
}

export function placesParts(context) {
	const { all, isOwn } = ownership(context);
	let now = { environments: [], zones: [], things: [] };
	const inPlace = place => now.zones.filter(zone => zone.environment === wordOf(place));
	const inZone = zone => now.things.filter(thing => thing.zone === wordOf(zone));
	const path = (kind, object) => kind + "/" + part(wordOf(object));
	const remove = (kind, object, isFull) => ask("DELETE", path(kind, object) + (isFull ? "?contents=true" : ""));
	const read = async () => { now = await readAll(); };
	let rooms = null;

	const environments = new ListPart({
		title: say("Places"), empty: say("There is no place yet. Add the first one; its zones and things come into it."), keyOf: one => one.id,
		load: async () => {
			await read();
			return now.environments;
		},
		row: place => {
			const held = inPlace(place);
			const lots = held.reduce((sum, zone) => sum + inZone(zone).length, 0);
			const { perimeter, geofence, angle } = place;
			return {
				name: titleOf(place), facts: [
					[place.slug, zones(held.length), things(lots)].filter(Boolean).join(" · "),
					[perimeterText(perimeter), angle ? say("turned by {0}°", angle) : "", geofence ? say("chosen by GPS within {0} m", geofence.radius) : ""].filter(Boolean).join(" · ")
				],
				notes: [place.description],
				actions: isOwn("environment:" + wordOf(place)) ? [
					{ label: say("Edit"), done: say("Saved."), form: () => environmentForm(place, say("Save"), body => ask("PATCH", path("environments", place), body)) },
					{
						label: say("Remove"), done: say("The place is removed."), act: () => remove("environments", place, held.length > 0),
						question: question("Remove the place {0}?", "Remove the place {0}, with {1}? Rights on them go, too.", titleOf(place),
							[held.length && zones(held.length), lots && things(lots)].filter(Boolean))
					}
				] : []
			};
		},
		add: all && { title: say("Add a place"), form: () => environmentForm(null, say("Add"), body => ask("POST", "environments", body)) },
		changed: () => rooms.refresh(),
		loaded: () => choose()
	});

	const ownPlaces = () => now.environments.filter(place => isOwn("environment:" + wordOf(place)));
	let chosen = "";
	const choice = element("div");
	function choose() {
		const words = now.environments.map(wordOf).concat(now.environments.length > 1 ? "*" : []);
		if (words.indexOf(chosen) < 0) chosen = words[0] || "";
		choice.textContent = "";
		choice.appendChild(placeChoice(now.environments, chosen, word => {
			chosen = word;
			rooms.refresh();
		}));
	}

	rooms = new ListPart({
		title: say("Zones"), before: choice, empty: say("There are no zones here."), keyOf: zone => zone.id,
		group: zone => (chosen === "*" ? placeName(zone.environment) : ""),
		load: async () => {
			await read();
			choose();
			return now.zones.filter(zone => chosen === "*" || zone.environment === chosen);
		},
		row: zone => {
			const held = inZone(zone);
			return {
				name: titleOf(zone), facts: [[zone.slug, things(held.length), perimeterText(zone.perimeter)].filter(Boolean).join(" · ")],
				notes: [zone.description],
				actions: isOwn("environment:" + zone.environment) || isOwn("zone:" + wordOf(zone)) ? [
					{ label: say("Edit"), done: say("Saved."), form: () => zoneForm(zone, say("Save"), body => ask("PATCH", path("zones", zone), body)) },
					{
						label: say("Remove"), done: say("The zone is removed."), act: () => remove("zones", zone, held.length > 0),
						question: question("Remove the zone {0}?", "Remove the zone {0}, with {1}? Rights on them go, too.", titleOf(zone), held.length ? [things(held.length)] : [])
					}
				] : []
			};
		},
		add: (all || context.scopes.environments.some(place => isOwn("environment:" + wordOf(place)))) && {
			title: say("Add a zone"), form: () => {
				const places = ownPlaces().map(place => [wordOf(place), titleOf(place)]);
				const made = zoneForm(null, say("Add"), null);
				const environment = { name: "environment", label: say("Place"), type: "select", options: places, value: chosen === "*" ? undefined : chosen, required: true };
				return {
					fields: [environment, ...made.fields], submit: made.submit, send: values =>
						zoneForm(null, "", body => ask("POST", "zones", Object.assign({ environment: values.environment }, body))).send(values)
				};
			}
		}
	});
	const placeName = word => {
		const place = now.environments.find(one => wordOf(one) === word);
		return place ? titleOf(place) : word || "";
	};
	return [environments, rooms];
}
