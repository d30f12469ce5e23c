// Things with owners: who claims them, who owns them, what they report, and their history.

import { element } from "./dom.js";
import { whoField } from "./admin-grants.js";
import { historyOf, INTERVALS, nameOfInterval } from "./admin-history.js";
import { ListPart } from "./people-list.js";
import { secretNode } from "./people-parts.js";
import { ask, clip, learn, part, say, tell, told, when } from "./people.js";

/** The interval that a form proposes. */
const PROPOSED = "15_MINUTES";

const path = binding => "bindings/" + part(binding.thingID);

/** A secret above a list: shown once, and gone when the reader has it. */
class SecretHolder {
	constructor() {
		this.node = element("div");
	}

	show({ label, secret, code }, list) {
		const node = secretNode(label, secret, () => {
			this.node.textContent = "";
			(list.opener || list.title).focus();
		});
		this.node.textContent = "";
		this.node.appendChild(node);
		import("./qr.js").then(({ qrImage }) => {
			const image = qrImage(say("The same as a QR code"), JSON.stringify(code));
			if (image) node.insertBefore(image, node.lastChild);
		}, () => { /* The text is there. */ });
	}

	/** The list is read anew first, which takes the focus. */
	keep(secret) {
		this.kept = secret;
	}

	showKept(list) {
		if (!this.kept) return;
		this.show(this.kept, list);
		this.kept = null;
	}
}

// Codes have the members that the contract has: what a thing needs to speak, and what claims it.

const tokenOf = (vendor, { thingID, accessToken }) => ({
	label: say("The token of {0}. Give it to the thing; it is shown only now:", vendor), secret: accessToken, code: { thingID, accessToken }
});

const passwordOf = (vendorThingID, thingPassword) => ({
	label: say("The password of {0}, for its label. It is shown only now:", vendorThingID), secret: thingPassword, code: { vendorThingID, thingPassword }
});

const ROUTES = { edge: "reports by itself", flare: "controlled through the Flare server" };

/** Where a thing is among the things of the place. */
const placeOf = (binding, scopes) =>
	(binding.thing ? say("Thing: {0}", scopes.nameOf("thing", binding.thing)) : say("not among the things of this place"));

function facts(binding, scopes) {
	const owners = (binding.owners || []).join(", ");
	// What the Flare server drives is not heard itself.
	const isFlare = binding.thing && binding.route === "flare";
	const route = binding.thing && (isFlare || binding.seen) && ROUTES[binding.route];
	const heard = isFlare ? "" : binding.seen ? say("last heard {0}", when(binding.seen)) : say("never heard");
	return [
		[binding.type, placeOf(binding, scopes), route && say(route)].concat(binding.owned ? [] : [
			binding.gateway && say("Gateway: {0}", binding.gateway), binding.interval && say("History by {0}", nameOfInterval(binding.interval))
		]).filter(Boolean).join(" · "),
		[binding.owned ? (owners ? say("Owners: {0}", owners) : say("nobody owns it now")) : "", heard].filter(Boolean).join(" · ")
	];
}

// What a thing is, and what it reports

const line = text => element("div", { class: "item-facts", text });

function values(title, object) {
	const keys = Object.keys(object || {});
	if (!keys.length) return [];
	return [element("div", { class: "item-name", text: title }), ...keys.map(key => line(key + ": " + clip(told(object[key]), 300)))];
}

async function details(row) {
	const binding = await ask("GET", path(row));
	const { interval, firmware, layout, gateway } = binding;
	const lines = [
		say("Identifier: {0}", binding.thingID), say("Known since {0}", when(binding.made)),
		interval ? say("History by {0}", nameOfInterval(interval)) : say("No history"), firmware ? say("Firmware: {0}", firmware) : "",
		layout ? say("Layout: {0}", layout) : "", gateway ? say("Gateway: {0}", gateway) : ""
	].filter(Boolean);
	const reported = values(say("Reported last"), binding.state);
	return element("div", {}, ...lines.map(line), ...values(say("Properties"), binding.properties),
		...(reported.length ? reported : [line(say("It has reported nothing yet."))]));
}

// What can be done with a thing

function ownerActions(binding, context) {
	const owners = binding.owners || [];
	return [
		{
			label: say("Add an owner"), done: say("The owner is added."), form: () => ({
				fields: [whoField(context)], submit: say("Add"), send: ({ who }) => ask("POST", path(binding) + "/owners", { owner: who })
			})
		},
		owners.length > 0 && {
			label: say("Remove an owner"), done: say("The owner is removed."), form: () => ({
				fields: [{ name: "who", label: say("Owner"), type: "select", options: owners.map(name => [name, name]) }], submit: say("Remove"),
				send: ({ who }) => ask("DELETE", path(binding) + "/owners/" + part(who))
			})
		}
	];
}

/** Claims a thing that is known by name: nothing else can be done with one that only was seen. A type that it has is fixed. */
const claimAction = (binding, context, secrets) => ({
	label: say("Claim"), done: say("The thing is claimed."), form: () => ({
		fields: claimFields(context, binding), submit: say("Claim"), send: async values => {
			const answer = await claim(await (binding.gateway ? asNode(binding, values) : Object.assign({ vendorThingID: binding.vendor }, values)));
			if (answer.accessToken) secrets.keep(tokenOf(binding.vendor, answer));
			return answer;
		}
	})
});

function actions(binding, context, secrets) {
	const { vendor } = binding;
	const name = binding.thing;
	const claiming = !binding.owned && claimAction(binding, context, secrets);
	if (!binding.thingID) return [claiming];
	return [
		claiming,
		{ label: say("Details"), panel: details },
		binding.owned && name && { label: say("History"), panel: async row => historyOf(await ask("GET", path(row)), name) },
		// What nobody has claimed gets its first owner by its password.
		...(binding.owned ? ownerActions(binding, context) : []),
		{
			label: say("New token"), question: say("Make a new token for {0}? The ones that it has end at once.", vendor), done: say("The new token is made."),
			act: async () => {
				const { accessToken } = await ask("POST", path(binding) + "/token", {});
				secrets.keep(tokenOf(vendor, { thingID: binding.thingID, accessToken }));
			}
		},
		{
			label: say("Forget"), done: say("The thing is forgotten."),
			question: say("Forget {0}? Its owners, password, tokens and history go. A thing of the place that was made for it goes, too; one that was there before stays.", vendor),
			act: () => ask("DELETE", path(binding))
		}
	];
}

// Forms

const vendorField = () => ({
	name: "vendorThingID", label: say("Name of the thing (vendorThingID)"), hint: say("As on its label: letters, digits, and . - _"), required: true, isWord: true, maxlength: 200
});

const typeField = name => ({ name, label: say("Type (optional)"), isWord: true, maxlength: 100 });

/** The things and zones of the present place that the reader may choose. */
function choices({ scopes, me, current }) {
	const zones = scopes.zones.filter(zone => zone.environment === current);
	const isHere = word => {
		const { zone } = scopes.find("thing", word) || {};
		return zones.some(one => one.slug === zone || one.id === zone);
	};
	return { things: scopes.ownThings(me).filter(([word]) => isHere(word)), zones: zones.map(zone => [zone.slug || zone.id, zone.name || zone.slug]) };
}

/** Without the name of the thing, which the form may know; and without the type and the interval that the thing has given itself. */
function claimFields(context, { interval, type } = {}) {
	const { things, zones } = choices(context);
	return [
		{ name: "thingPassword", label: say("Its password"), hint: say("As on its label. For a thing that is new here it is set now, for good."), required: true, isWord: true, isSecret: true, maxlength: 200 },
		...(type ? [] : [typeField("thingType")]),
		...(interval ? [] : [{
			name: "dataGroupingInterval", label: say("History by"), type: "select", value: PROPOSED, options: [["", say("no history")], ...INTERVALS.map(one => [one, nameOfInterval(one)])],
			hint: say("This cannot be changed later. Without it there is no history, ever.")
		}]),
		{ name: "thing", label: say("Which thing it is"), type: "select", options: [["", say("by its name, or new")], ...things] },
		{ name: "zone", label: say("Zone of a new one"), type: "select", options: [["", say("where this device is")], ...zones], shown: ({ thing }) => !thing },
		...(context.users.length ? [Object.assign(whoField(context), { name: "owner", label: say("Owner"), value: context.me.name })] : [])
	];
}

/** The same as members for what speaks through a gateway. What the gateway says of it is kept, but not which thing of the place it is. */
async function asNode({ vendor, gateway, properties }, { thingPassword, thingType, dataGroupingInterval, thing, zone, owner }) {
	const { thingID } = await ask("GET", "bindings/" + part(gateway));
	const names = Object.keys(properties || {}).filter(name => name !== "thing" && name !== "zone" && name[0] !== "_");
	const endNodeThingProperties = names.length ? names.reduce((all, name) => Object.assign(all, { [name]: properties[name] }), {}) : undefined;
	return {
		gatewayThingID: thingID, endNodeVendorThingID: vendor, endNodePassword: thingPassword, endNodeThingType: thingType, endNodeThingProperties,
		dataGroupingInterval, thing, zone, owner
	};
}

/** What changed nothing, but for the interval that the form proposes: one that the thing has given before is as good. */
async function unused({ thingID, ignored = [] }, { dataGroupingInterval }) {
	if (dataGroupingInterval !== PROPOSED || ignored.indexOf("interval") < 0) return ignored;
	const { interval } = await ask("GET", path({ thingID })).catch(() => ({}));
	return interval ? ignored.filter(name => name !== "interval") : ignored;
}

async function claim(values) {
	const answer = await ask("POST", "bindings/onboard", values);
	answer.thingID = answer.thingID || answer.endNodeThingID;
	const ignored = await unused(answer, values);
	if (ignored.length) answer.warnings = [{ message: say("{0} was fixed before and stays as it was", ignored.join(", ")) }];
	return answer;
}

// The lists

/** Those with owners, and, for who administers, those that wait for one. */
export async function bindingsParts(context) {
	await learn(() => import("./bindings-german.js"));
	const { scopes, me } = context;
	const secrets = new SecretHolder();
	const lists = [];
	const refreshOthers = list => lists.filter(one => one !== list).forEach(one => one.refresh());
	const make = (filter, spec) => {
		const list = new ListPart(Object.assign({
			keyOf: binding => binding.thingID || binding.vendor, load: async () => (await ask("GET", "bindings?filter=" + filter)).bindings,
			row: binding => ({ name: binding.vendor, title: binding.thingID || undefined, facts: facts(binding, scopes), actions: actions(binding, context, secrets) }),
			changed: () => {
				secrets.showKept(list);
				refreshOthers(list);
			}
		}, spec));
		lists.push(list);
	};
	make("onboarded", {
		title: say("Things with owners"), before: secrets.node, empty: say("Nobody has claimed a thing yet."),
		note: say("A thing that a maker built has a name and a password, usually on its label. Who has both can claim it."), add: {
			title: say("Claim a thing"), form: () => ({ fields: [vendorField(), ...claimFields(context)], submit: say("Claim"), send: claim })
		},
		done: (answer, { vendorThingID }, list) => {
			if (answer.accessToken) secrets.show(tokenOf(vendorThingID, answer), list);
			tell(answer.accessToken ? say("The thing is claimed.") : say("The thing is claimed. It gets its token when it comes itself; “New token” makes one that you can give it."));
		}
	});
	if (me.administers) make("pending", {
		title: say("Without an owner"), empty: say("No thing waits for an owner."),
		note: say("These are known, and nobody has claimed them yet. If you build a thing yourself, let it be expected: that makes its password."), add: {
			title: say("Expect a thing"), form: () => ({ fields: [vendorField(), typeField("type")], submit: say("Make the password"), send: values => ask("POST", "bindings/expect", values) })
		},
		done: ({ thingPassword }, { vendorThingID }, list) => secrets.show(passwordOf(vendorThingID, thingPassword), list)
	});
	return lists;
}
