// Rights: who may do what with what, and a question whether somebody may.

import { element, setText } from "./dom.js";
import { Form } from "./people-forms.js";
import { ListPart } from "./people-list.js";
import { CHOOSE, dates, grantFacts, rights, titleOf, userField, whoText } from "./people-parts.js";
import { ask, part, query, right, say } from "./people.js";

export function whoField({ users, groups }) {
	const base = { name: "who", label: say("Who"), required: true, isWord: true, maxlength: 80 };
	if (!users.length) return Object.assign(base, { hint: say("A user's name, or “group:” and a group's name.") });
	const names = groups.filter(group => group.kind === "users").map(group => ["group:" + group.name, say("Group {0}", group.name)]);
	const options = users.map(user => [user.name, titleOf(user)]).concat(names);
	return Object.assign(base, { type: "select", options: [CHOOSE(), ...options] });
}

const scopeField = ({ scopes, me }) => ({ name: "scope", label: say("What"), type: "select", options: [CHOOSE(), ...scopes.options(me)], required: true });

const accessField = () => ({ name: "access", label: say("May"), type: "select", options: rights() });

export function grantsPart(context) {
	const { scopes } = context;
	return new ListPart({
		title: say("Rights"), note: say("A user has their own rights and those of their groups."), empty: say("There are no rights here."),
		keyOf: grant => grant.id, load: () => ask("GET", "grants"),
		row: grant => ({
			name: whoText(grant.who) + ": " + right(grant.access), facts: [scopes.text(grant.scope), grantFacts(grant)],
			actions: [{
				label: say("Remove"), question: say("Remove this right of {0} on {1}?", whoText(grant.who), scopes.text(grant.scope)),
				act: () => ask("DELETE", "grants/" + part(grant.id)), done: say("The right is removed.")
			}]
		}),
		add: {
			title: say("Give a right"), form: () => ({
				fields: [whoField(context), scopeField(context), accessField(), ...dates()], submit: say("Give"), send: values => ask("POST", "grants", values)
			})
		}
	});
}

/** Asks whether a user may do something, now or at a moment. */
export function checkForm(context) {
	const answer = element("p", { class: "answer", role: "status" });
	const title = element("h2", { text: say("Check a right"), tabindex: "-1" });
	const form = new Form({
		label: title.textContent, isWide: true,
		fields: [userField(context.users), accessField(), scopeField(context), { name: "at", label: say("At (optional)"), type: "datetime-local" }],
		submit: say("Ask"), send: values => {
			setText(answer, "");
			return ask("GET", "grants/check" + query(values));
		},
		done: ({ granted, text }) => setText(answer, (granted ? say("Yes") : say("No")) + " – " + text)
	});
	return { node: element("section", { class: "card part" }, title, form.node, answer), title, refresh: () => Promise.resolve() };
}
