// Things as they are: made, changed and removed, in every place. Rights on them are given in other parts.

import { button, element } from "./dom.js";
import { changedValues, positionFields, positionText, putPosition, putTexts, setUpFields, textFields, titleOf, valueFields, wordOf } from "./admin-fields.js";
import { ownership, placeChoice, placesParts } from "./admin-places.js";
import { ListPart } from "./people-list.js";
import { speak, titled } from "./text.js";
import { ask, clip, part, say, tell, told } from "./people.js";
import { Profiles, unitOf } from "./profiles.js";

speak(say);

/** A value of a thing's data with its name and unit. */
function fact(thing, key, profiles) {
	const property = profiles.properties(thing).find(one => one.name === key);
	const { title = key, unit = unitOf(key) } = property ? profiles.describe(thing, property) : {};
	const value = thing.data[key];
	return (title === key ? titled(key) : title) + ": " + clip(told(value), 120) + (unit && typeof value === "number" ? "\u00a0" + unit : "");
}

/** What was typed, as JSON where it is some, else as text; nothing removes a value. */
function valueOf(text) {
	if (text === undefined || text === "") return null;
	try { return JSON.parse(text); } catch (error) { return text; }
}

const path = thing => "things/" + part(wordOf(thing));

/** The parts about places; they come with this file. */
export const places = context => placesParts(context);

/** The buttons for what a thing can do. */
async function actionButtons(thing) {
	const actions = await ask("GET", path(thing) + "/actions") || [];
	if (!actions.length) return element("p", { class: "hint", text: say("It offers no actions.") });
	const press = async ({ name }, title, pressed) => {
		pressed.setAttribute("aria-busy", "true");
		try {
			await ask("POST", path(thing) + "/action", { action: name });
			tell(say("{0}: done.", title));
		} catch (error) {
			tell(error.message);
		}
		pressed.removeAttribute("aria-busy");
	};
	return element("div", { class: "buttons" }, ...actions.map(action => {
		const title = action.title && action.title !== action.name ? action.title : titled(action.name);
		return button({ class: "button", text: title }, event => press(action, title, event.currentTarget));
	}));
}

export function thingsParts(context) {
	const { scopes } = context;
	const { isOwn } = ownership(context);
	const isOwnThing = thing => isOwn("thing:" + wordOf(thing));
	const zonesOf = environment => scopes.zones.filter(zone => environment === "*" || zone.environment === environment);
	const environmentOf = thing => {
		const zone = scopes.find("zone", thing.zone);
		return zone ? zone.environment : undefined;
	};
	const words = scopes.environments.map(wordOf);
	const isHere = thing => environmentOf(thing) === context.current;
	let chosen = words.indexOf(context.current) >= 0 ? context.current : words[0] || "*";
	const option = zone => [wordOf(zone), titleOf(zone)];
	const zoneField = (zones, value) => ({ name: "zone", label: say("Zone"), type: "select", options: zones.map(option), value, required: true });
	let profiles = new Profiles({});
	// By short name or identifier.
	let claimed = [];
	let list = null;

	const removal = thing => say("Remove the thing {0}? Rights on it go, too.", titleOf(thing)) +
		([thing.slug, thing.id].some(word => claimed.indexOf(word) >= 0) ? " " + say("It stays under “Things with owners”, with its history.") : "");

	function edited(values, thing) {
		const body = {};
		putTexts(body, values, thing);
		if (values.zone !== undefined && values.zone !== (thing && thing.zone)) body.zone = values.zone;
		putPosition(body, values, thing && thing.position);
		return body;
	}
	const patch = (thing, body) => (Object.keys(body).length ? ask("PATCH", path(thing), body) : Promise.resolve(null));
	const patchData = (thing, values, fields) => {
		const data = changedValues(values, fields);
		return patch(thing, Object.keys(data).length ? { data } : {});
	};
	const dataForm = (thing, fields) => ({ fields, submit: say("Save"), send: values => patchData(thing, values, fields) });

	const actions = thing => {
		const fields = valueFields(thing, profiles);
		// Things in other places cannot be driven from here.
		const offers = isHere(thing) && (thing.actions || []).length > 0;
		return [
			fields.length > 0 && { label: say("Values"), done: say("Saved."), form: () => dataForm(thing, fields) },
			offers && { label: say("Actions"), panel: () => actionButtons(thing) },
			{
				label: say("Edit"), done: say("Saved."), form: () => ({
					fields: [...textFields(thing), zoneField(zonesOf(environmentOf(thing)), thing.zone), ...positionFields(thing.position)],
					submit: say("Save"), send: values => patch(thing, edited(values, thing))
				})
			},
			{ label: say("Profile and beacon"), done: say("Saved."), form: () => dataForm(thing, setUpFields(thing, profiles)) },
			{
				label: say("Another value"), done: say("Saved."), form: () => ({
					fields: [
						{ name: "key", label: say("Name of the value"), choices: Object.keys(thing.data || {}), required: true, isWord: true },
						{ name: "value", label: say("Value"), hint: say("Numbers, true, false and JSON are read as such. Leave it empty to remove the value."), maxlength: 10000 }
					],
					submit: say("Save"), send: ({ key, value }) => patch(thing, { data: { [key]: valueOf(value) } })
				})
			},
			{
				label: say("Remove"), question: removal(thing),
				act: () => ask("DELETE", path(thing)), done: say("The thing is removed.")
			}
		];
	};

	const ownZones = () => zonesOf(chosen).filter(zone => isOwn("zone:" + wordOf(zone)));
	const canAdd = scopes.zones.some(zone => isOwn("zone:" + wordOf(zone)));
	list = new ListPart({
		title: say("Things"), keyOf: thing => thing.id,
		empty: scopes.environments.length ? say("There are no things that you may see.") : say("There is no place yet. Make one under “Places and zones”; things come into its zones."),
		before: placeChoice(scopes.environments, chosen, word => {
			chosen = word;
			list.closeForm();
			list.refresh();
		}),
		load: async () => {
			const [things, experience, known] = await Promise.all([
				ask("GET", "things?environment=" + part(chosen)), ask("GET", "experience").catch(() => null), ask("GET", "bindings?filter=onboarded").catch(() => null)
			]);
			claimed = known ? known.bindings.map(binding => binding.thing).filter(Boolean) : [];
			profiles = new Profiles(experience || {});
			return things;
		},
		group: thing => {
			const zone = thing.zone ? scopes.text("zone:" + thing.zone) : say("in no zone");
			const place = chosen === "*" && thing.zone ? scopes.find("environment", environmentOf(thing)) : null;
			return place ? titleOf(place) + " · " + zone : zone;
		},
		row: thing => ({
			name: titleOf(thing), facts: [
				[thing.slug, positionText(thing.position)].filter(Boolean).join(" · "), thing.available === false ? say("not reachable") : ""
			],
			notes: [thing.data && Object.keys(thing.data).map(key => fact(thing, key, profiles)).join(" · ")],
			actions: isOwnThing(thing) ? actions(thing) : []
		}),
		add: canAdd && {
			title: say("Add a thing"), form: () => ({
				fields: [...textFields(null), zoneField(ownZones()), ...positionFields(null)], submit: say("Add"), send: values => ask("POST", "things", edited(values, null))
			})
		}
	});
	return [list];
}
