// The lists that a user has of himself, and an administrator of everybody: rights, shares, tokens, sessions.

import { button, element } from "./dom.js";
import { ListPart } from "./people-list.js";
import { ACCESS, ask, part, query, right, say, span, tell, when } from "./people.js";

export const rights = () => ACCESS.map(access => [access, right(access)]);

/** From when till when. */
export const dates = () => [
	{ name: "starts", label: say("From (optional)"), type: "datetime-local" },
	{ name: "ends", label: say("Until (optional)"), type: "datetime-local" }
];

/** Nothing is chosen until somebody chooses. */
export const CHOOSE = () => ["", say("choose …")];

/** A field for a user: a list to choose from if there is one. */
export function userField(users, field) {
	const base = Object.assign({ name: "user", label: say("User"), required: true, isWord: true, maxlength: 64 }, field);
	const options = users.map(user => [user.name, titleOf(user)]);
	return users.length ? Object.assign(base, { type: "select", options: base.value ? options : [CHOOSE(), ...options] }) : base;
}

/** A user's display name and name. */
export const titleOf = user => (user.display && user.display !== user.name ? user.display + " (" + user.name + ")" : user.name);

/** Who a grant is for: a user, or a group. */
export const whoText = who => (String(who).startsWith("group:") ? say("Group {0}", String(who).slice(6)) : String(who));

/** When a grant counts, and by whom. */
export const grantFacts = grant => [
	span(grant.starts, grant.ends),
	grant.share && !grant.accepted ? say("waits to be accepted") : "",
	grant.giver ? say("given by {0}", grant.giver) : ""
].filter(Boolean).join(" · ");

/** Shares: those that `me` has got or given, or those of everybody. */
export function sharesPart({ me, scopes, users, isOwn }) {
	const things = scopes.ownThings(me);
	const concerns = share => !isOwn || share.user === me.name || share.giver === me.name;
	return new ListPart({
		title: say("Shares"), note: say("A share offers a thing to a user. It counts once they accept it."), empty: say("There are no shares."), keyOf: share => share.id,
		load: async () => (await ask("GET", "shares") || []).filter(concerns),
		row: share => {
			const isMine = share.user === me.name;
			const name = scopes.nameOf("thing", share.thing);
			const way = isMine ? say("shared with you: {0}", right(share.access)) : say("shared with {0}: {1}", share.user, right(share.access));
			return {
				name, facts: [way, grantFacts(share)], actions: [
					isMine && !share.accepted && {
						label: say("Accept"), act: () => ask("POST", "shares/" + part(share.id) + "/accept", {}), done: say("The share is accepted.")
					},
					{
						label: isMine && !share.accepted ? say("Decline") : say("End"), question: say("End the share of {0}?", name),
						act: () => ask("DELETE", "shares/" + part(share.id)), done: say("The share has ended.")
					}
				]
			};
		},
		add: things.length > 0 && {
			title: say("Share a thing"), form: () => ({
				fields: [
					{ name: "thing", label: say("Thing"), type: "select", options: [CHOOSE(), ...things], required: true },
					userField(users.filter(user => user.name !== me.name)),
					{ name: "access", label: say("May"), type: "select", options: rights().slice(0, 2) }, ...dates()
				],
				submit: say("Share"), send: values => ask("POST", "shares", values)
			})
		},
		done: () => tell(say("The thing is shared. It counts once the user accepts it."))
	});
}

/** A secret that is shown only once, with a button that copies it. */
export function secretNode(label, secret, leave) {
	const field = element("input", { id: "secret", readonly: true, value: secret, class: "secret", autocomplete: "off", spellcheck: "false" });
	const node = element("div", { class: "confirm", role: "group", "aria-label": label },
		element("label", { for: "secret", text: label }), field, element("div", { class: "buttons" },
			button({ class: "button main", text: say("Copy") }, () => copy(field)), button({ class: "button", text: say("I have it") }, () => leave(node))));
	setTimeout(() => { field.focus(); field.select(); }, 0);
	return node;
}

async function copy(field) {
	field.focus();
	field.select();
	let isDone = true;
	try {
		// Browsers have this only for pages by https and of this machine.
		await navigator.clipboard.writeText(field.value);
	} catch (error) {
		isDone = document.execCommand("copy");
	}
	tell(isDone ? say("Copied.") : say("Copying is not allowed here. Copy the selected text with the keyboard."));
}

/** Tokens of the reader, or of everybody. */
export function tokensPart({ me, users, isOwn }) {
	const holder = element("div");
	return new ListPart({
		title: say("Tokens"), note: say("A token is a password for a program, which may then do what the user may."), before: holder,
		empty: say("There are no tokens."), keyOf: token => token.id,
		load: () => ask("GET", "tokens" + query({ user: isOwn ? me.name : "" })),
		row: token => ({
			name: token.name, facts: [
				isOwn ? "" : say("User {0}", token.user), token.access ? say("at most: {0}", right(token.access)) : "",
				lifeText(token)
			], actions: [{
				label: say("Remove"), question: say("Remove the token {0}? Programs that use it are refused at once.", token.name),
				act: () => ask("DELETE", "tokens/" + part(token.id)), done: say("The token is removed.")
			}]
		}),
		add: {
			title: say("Add a token"), form: () => ({
				fields: [
					...(isOwn ? [] : [userField(users, { value: me.name })]),
					{ name: "name", label: say("What it is for"), required: true, maxlength: 64 },
					{ name: "access", label: say("At most"), type: "select", options: [["", say("what the user may")], ...rights()] },
					{ name: "until", label: say("Until (optional)"), type: "datetime-local" }
				],
				submit: say("Add"), send: values => ask("POST", "tokens", values)
			})
		},
		done: (answer, values, list) => {
			if (!answer || !answer.token) return;
			holder.textContent = "";
			holder.appendChild(secretNode(say("The token {0}. It is shown only now:", values.name), answer.token, () => {
				holder.textContent = "";
				list.opener.focus();
			}));
		}
	});
}

const lifeText = secret => [
	secret.made && say("made {0}", when(secret.made)), secret.used ? say("last used {0}", when(secret.used)) : say("never used"),
	span(null, secret.until)
].filter(Boolean).join(" · ");

/** Sessions of the reader, or of everybody. */
export function sessionsPart({ me, isOwn }) {
	return new ListPart({
		title: say("Sessions"), note: say("Browsers that are signed in."), empty: say("Nobody is signed in."), keyOf: session => session.id,
		load: () => ask("GET", "sessions" + query({ user: isOwn ? me.name : "" })),
		row: session => ({
			name: session.name || say("Browser"), facts: [
				isOwn ? "" : say("User {0}", session.user), session.current ? say("this browser") : "", lifeText(session)
			], actions: [!session.current && {
				label: say("End"), question: say("End this session?"), act: () => ask("DELETE", "sessions/" + part(session.id)),
				done: say("The session has ended.")
			}]
		})
	});
}
