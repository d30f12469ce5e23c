// The list of devices, and what is heard and is none.

import { button, element } from "./dom.js";
import { titleOf } from "./people-parts.js";
import { ListPart } from "./people-list.js";
import { ask, clip, failure, learn, part, RequestError, say, tell, when } from "./people.js";

/** What a device is. */
const KINDS = { phone: "phone", watch: "watch", tag: "tag", badge: "badge", tablet: "tablet", pet: "pet", other: "something else" };
/** What is seen of a sender. */
const SENDERS = {
	"iBeacon": "beacon (iBeacon)", "eddystone": "beacon (Eddystone)", "identity key": "phone or watch with a key", "name": "known by its name",
	"address": "an address that stays", "address?": "an address that may change", "changing address": "a changing address: it needs its key", "other": "something else",
	"own": "the daemon's own device"
};
/** So long the page listens before it shows what was heard, seconds. */
const LISTENING = 5;

/** Longest name of a key that a receiver has; what is longer is taken for the key itself. */
const LONGEST_KEY_NAME = 16;
/** What a form calls the members of a device. */
const LABELS = {
	node: "Short name", name: "Name", kind: "What it is", user: "Whose it is", heard_as: "Heard as", key: "Identity key of the phone (optional)",
	location: "Topic with its GPS location (optional)"
};

const path = device => "device-settings/" + part(device.node);
const kindOf = device => say(KINDS[device.kind] || clip(device.kind, 20));

/** The ids of a field, with commas or blanks between them. */
const idsOf = text => text.split(/[\s,]+/).filter(Boolean);

/** What a form has about the ids: a key is typed apart, unseen, and never shown again. */
const heardFields = device => [
	{
		name: "heard_as", label: say("Heard as"), value: (device.heard_as || []).join(", "), maxlength: 4000, isWord: true, keepEmpty: Boolean(device.heard_as),
		hint: say("Identifiers as “Heard now” shows them, with commas between them. A key shows as irk:*** and stays while that stands here.")
	},
	{
		name: "key", label: say("Identity key of the phone (optional)"), type: "password", autocomplete: "off",
		hint: say("32 hexadecimal digits, or base64. It is stored, and not shown again.")
	}
];

/** The values of a form as the daemon wants them; throws a RequestError for what cannot be a key. */
export function bodyOf(values) {
	const body = Object.assign({}, values);
	const { heard_as: ids } = values;
	const key = (values.key || "").trim().replace(/^irk:/i, "").trim();
	delete body.key;
	// The daemon would take it for the name of a key, which everybody may see.
	if (values.key && key.length <= LONGEST_KEY_NAME) {
		throw new RequestError(say("An identity key has 32 hexadecimal digits, or is base64 of 16 bytes."), 0, "key");
	}
	if (ids !== undefined || key) body.heard_as = [...idsOf(ids || ""), ...(key ? ["irk:" + key] : [])];
	return body;
}

/** Sends the values of a form; a refusal has the labels of the form in the place of the members' names. */
async function send(method, path, values) {
	const body = emptied(bodyOf(values), "user", "location");
	// The key is the last of the ids.
	const keyAt = values.key ? body.heard_as.length : 0;
	const label = (member, index) => say(LABELS[keyAt && Number(index) === keyAt ? "key" : member.toLowerCase()]);
	try {
		return await ask(method, path, body);
	} catch (error) {
		error.message = error.message.replace(/(^|; )(node|name|kind|user|heard_as|location)(?:\[(\d+)\])?: /gi,
			(_, before, member, index) => before + label(member, index) + ": ");
		if (keyAt && error.field === "heard_as[" + keyAt + "]") error.field = "key";
		throw error;
	}
}

const emptied = (values, ...names) => {
	for (const name of names) if (values[name] === "") values[name] = null;
	return values;
};

const userField = (users, device) => ({
	name: "user", label: say("Whose it is"), type: "select", value: device.user || "", keepEmpty: true,
	options: [["", say("nobody's")], ...users.map(user => [user.name, titleOf(user)])]
});

const plainFields = device => [
	{ name: "name", label: say("Name"), value: device.name, maxlength: 100, required: true },
	{ name: "kind", label: say("What it is"), type: "select", value: device.kind || "phone", options: Object.keys(KINDS).map(kind => [kind, say(KINDS[kind])]) }
];

const locationField = device => ({
	name: "location", label: say("Topic with its GPS location (optional)"), value: device.location, isWord: true, keepEmpty: Boolean(device.location)
});

function newFields(users, sender) {
	return [
		{ name: "node", label: say("Short name"), required: true, maxlength: 48, isWord: true, hint: say("Small letters, digits, single dashes. It cannot be changed.") },
		...plainFields({ name: sender ? sender.name : undefined, kind: sender && sender.kind !== "identity key" ? "tag" : "phone" }),
		userField(users, {}), ...heardFields({ heard_as: sender ? [sender.id] : undefined }), locationField({})
	];
}

const addition = (users, sender) => ({
	fields: newFields(users, sender), submit: say("Add"), send: values => send("POST", "device-settings", values)
});

function listPart({ me, users }) {
	const mayEnrol = me.administers;
	return new ListPart({
		title: say("Devices"), empty: say("There is no device but the first one."), keyOf: device => device.node,
		note: say("Phones, watches and tags that this daemon follows. Each has a place of its own on the map."),
		load: () => ask("GET", "device-settings"),
		row: device => {
			const isFixed = device.source === "file";
			const mayEdit = device.heard_as && !isFixed;
			return {
				name: device.name, title: device.node, facts: [
					[kindOf(device), device.user && say("of {0}", device.user), say("short name {0}", device.node)].filter(Boolean).join(" · "),
					(device.heard_as || []).length ? say("Heard as: {0}", clip(device.heard_as.join(", "), 300)) : "",
					device.location ? say("Location: {0}", device.location) : ""
				],
				notes: [
					isFixed ? say("It is in the configuration file and is changed there.") : "",
					device.problem ? say("It does not count now: {0}", clip(device.problem, 300)) : ""
				],
				actions: [
					mayEdit && {
						label: say("Edit"), done: say("Saved."), form: () => ({
							fields: mayEnrol ? [...plainFields(device), userField(users, device), ...heardFields(device), locationField(device)] : plainFields(device),
							submit: say("Save"), send: values => send("PATCH", path(device), values)
						})
					},
					mayEdit && mayEnrol && {
						label: say("Remove"), question: say("Remove {0} from the list and from the place?", device.name),
						act: () => ask("DELETE", path(device) + "?place=1"), done: say("The device is removed.")
					}
				]
			};
		},
		add: mayEnrol ? { title: say("Add a device"), form: () => addition(users) } : undefined
	});
}

/** `kitchen -48 dBm (+31)`. */
const levelOf = ({ receiver, rssi, change }) =>
	receiver + " " + Math.round(rssi) + "\u00a0dBm" + (change ? " (" + (change > 0 ? "+" : "") + Math.round(change) + ")" : "");

/** What is heard, only after the button was pressed: who does not look is shown nobody. */
function heardPart({ users }, list) {
	let isListening = false;
	const wrong = failure();
	const press = async pressed => {
		if (pressed.getAttribute("aria-busy")) return;
		isListening = true;
		pressed.setAttribute("aria-busy", "true");
		pressed.textContent = say("Listening for {0} s …", LISTENING);
		await heard.refresh();
		pressed.textContent = say("Listen again");
		pressed.removeAttribute("aria-busy");
	};
	const heard = new ListPart({
		title: say("Heard now"), empty: say("Nothing yet."), keyOf: sender => sender.id,
		note: say("Listen twice: first with the phone or tag far away, then beside a receiver. What has changed most comes first."),
		before: element("div", { class: "buttons" }, button({ class: "button", text: say("Listen") }, event => press(event.currentTarget)), wrong),
		load: () => (isListening ? ask("GET", "heard?seconds=" + LISTENING) : []),
		row: sender => ({
			name: sender.name || sender.id, title: sender.id, facts: [
				[say(SENDERS[sender.own ? "own" : sender.kind + (sender.may_change ? "?" : "")] || clip(sender.kind, 20)), say("since {0}", when(sender.since))].join(" · "),
				sender.name ? sender.id : "", sender.levels.map(levelOf).join(" · ")
			],
			actions: [sender.can_be_added && { label: say("Add as a device"), form: () => addition(users, sender) }]
		}),
		changed: () => {
			tell(say("The device is added."));
			list.refresh();
		}
	});
	return heard;
}

/** The parts of the page about devices. */
export async function devicesParts(context) {
	await learn(() => import("./devices-german.js"));
	const list = listPart(context);
	return context.me.administers ? [list, heardPart(context, list)] : [list];
}
