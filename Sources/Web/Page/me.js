// The reader's own account.

import { button, element } from "./dom.js";
import { Form, newPassword } from "./people-forms.js";
import { ListPart } from "./people-list.js";
import { grantFacts, sessionsPart, sharesPart, tokensPart, titleOf, whoText } from "./people-parts.js";
import { Scopes } from "./people-scopes.js";
import { ask, begin, failure, frame, link, part, query, right, say, signOut, tell, toSignIn, when } from "./people.js";

const card = (title, ...children) => element("section", { class: "card part" }, element("h2", { text: title, tabindex: "-1" }), ...children);

const present = (name, shown) =>
	({ name, label: say("Current password"), type: "password", autocomplete: "current-password", maxlength: 1024, required: true, shown });

function profile(me) {
	let holder = null;
	const make = () => new Form({
		label: say("Name and address"), fields: [
			{ name: "display", label: say("Name that others see"), value: me.display, autocomplete: "name", keepEmpty: true },
			{ name: "email", label: say("E-mail"), type: "email", value: me.email, autocomplete: "email", maxlength: 254, keepEmpty: true },
			present("present", values => me.password && values.email !== me.email)
		],
		submit: say("Save"), send: ({ display, email, present }) => ask("PATCH", "me", { display, email, old: present }), done: answer => {
			Object.assign(me, answer);
			holder.replaceChild(make().node, holder.lastChild);
			holder.firstChild.focus();
			tell(answer.waiting
				? say("A link was sent to {0}. The address counts once it was opened.", answer.waiting) : say("Saved."));
		}
	});
	const groups = (me.groups || []).join(", ");
	holder = card(titleOf(me), ...(groups ? [element("p", { class: "hint", text: say("Groups: {0}", groups) })] : []), make().node);
	return holder;
}

function password(me) {
	let holder = null;
	const make = hasOld => {
		const form = new Form({
			label: say("Password"), fields: (hasOld ? [present("old")] : []).concat(newPassword("new", say("New password"))), submit: say("Set the password"),
			send: values => ask("PUT", "me/password", values), done: () => {
				me.password = true;
				holder.replaceChild(make(true), holder.lastChild);
				holder.firstChild.focus();
				tell(say("The password is set."));
			}
		});
		return form.node;
	};
	const hint = me.password ? [] : [element("p", { class: "hint", text: say("You have no password yet.") })];
	holder = card(say("Password"), ...hint, make(me.password));
	return holder;
}

/** The devices that are listed as the reader's; of one that is not known now, only the node. */
async function devicesOf(me) {
	const list = me.devices.length ? await ask("GET", "devices").catch(() => []) : [];
	return me.devices.map(node => list.find(one => one.node === node) || { node });
}

function rightsOf(me, scopes) {
	const deviceRow = ({ node, name, zone, last_seen: seen }) => ({
		name: say("Device {0}", name || node), title: node, facts: [say("Your device: {0}", right("own")),
			[zone && say("Zone {0}", scopes.nameOf("zone", zone)), seen && say("last seen {0}", when(seen))].filter(Boolean).join(" · ")]
	});
	const grantRow = grant => ({
		name: scopes.text(grant.scope), facts: [right(grant.access),
			String(grant.who).startsWith("group:") ? whoText(grant.who) : "", grantFacts(grant)]
	});
	return new ListPart({
		title: say("What you may do"), empty: say("You have no rights yet. An owner can give you some."),
		keyOf: item => item.node || item.id, load: async () => [...await devicesOf(me), ...me.rights],
		row: item => (item.node ? deviceRow : grantRow)(item)
	});
}

const CHANNELS = () => [["email", say("E-mail")], ["sms", say("Short message")], ["push", say("Notification")]];

function contacts(me) {
	return new ListPart({
		title: say("Contacts"), note: say("Who may get your messages."), empty: say("There are no contacts."), keyOf: contact => contact.id,
		load: () => ask("GET", "contacts"),
		row: contact => ({
			name: contact.name, facts: [[contact.email, contact.phone].filter(Boolean).join(" · "),
				(contact.channels || []).map(key => (CHANNELS().find(one => one[0] === key) || [key, key])[1]).join(", ")],
			actions: [{
				label: say("Remove"), question: say("Remove {0}?", contact.name), done: say("The contact is removed."),
				act: () => ask("DELETE", "contacts/" + part(contact.id) + query({ user: me.name }))
			}]
		}),
		add: {
			title: say("Add a contact"), form: () => ({
				fields: [
					{ name: "name", label: say("Name"), required: true }, { name: "email", label: say("E-mail"), type: "email", maxlength: 254 },
					{ name: "phone", label: say("Phone"), type: "tel", maxlength: 40 },
					{ name: "channels", label: say("Messages by"), type: "toggles", options: CHANNELS() }
				],
				submit: say("Add"), send: values => ask("POST", "contacts", values)
			})
		}
	});
}

const leave = () => button({ class: "button", text: say("Sign out") }, () => signOut().catch(error => tell(error.message)));

begin(async () => {
	const main = frame(say("My account"), link("kiosk", say("Kiosk")), link("admin#rules", say("Rules"), { id: "to-rules", hidden: true }),
		link("admin", say("Administration"), { id: "to-admin", hidden: true }));
	main.setAttribute("aria-busy", "true");
	let me = null;
	try {
		me = await ask("GET", "me");
	} catch (error) {
		main.removeAttribute("aria-busy");
		if (error.status === 401) toSignIn("me");
		else main.appendChild(card(say("My account"), failure(error.message)));
		return;
	}
	document.getElementById("to-admin").hidden = !(me.administers || me.owns);
	document.getElementById("to-rules").hidden = !(me.rights || []).length;
	const scopes = await new Scopes().load(false);
	const lists = [
		rightsOf(me, scopes), sharesPart({ me, scopes, users: [], isOwn: true }), tokensPart({ me, users: [], isOwn: true }),
		contacts(me), sessionsPart({ me, isOwn: true })
	];
	for (const node of [profile(me), password(me), ...lists.map(list => list.node)]) main.appendChild(node);
	const session = await ask("GET", "session").catch(() => null);
	if (session && session.by_session) main.appendChild(card(say("Sign out"), element("div", { class: "buttons" }, leave())));
	main.removeAttribute("aria-busy");
	await Promise.all(lists.map(list => list.refresh()));
});
