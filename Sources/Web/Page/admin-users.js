// Users and groups.

import { chosen, newPassword } from "./people-forms.js";
import { ListPart } from "./people-list.js";
import { titleOf } from "./people-parts.js";
import { ask, clip, part, say, when } from "./people.js";

const STATES = { active: "active", pending: "waits to be approved", off: "switched off" };

const profileFields = user => [
	{ name: "display", label: say("Name that others see"), value: user.display, keepEmpty: user.name !== undefined },
	{ name: "email", label: say("E-mail"), type: "email", value: user.email, maxlength: 254, keepEmpty: user.name !== undefined }
];

const NAME = () => ({
	name: "name", label: say("Name"), required: true, maxlength: 64, isWord: true,
	hint: say("Small letters, digits, dots, dashes. It cannot be changed.")
});

export function usersPart({ groups }) {
	const path = user => "users/" + part(user.name);
	const isOn = user => user.state === "active";
	const names = groups.filter(one => one.kind === "users").map(one => [one.name, one.name]);
	return new ListPart({
		title: say("Users"), empty: say("There are no users."), keyOf: user => user.id, load: () => ask("GET", "users"),
		row: user => ({
			name: titleOf(user), facts: [
				[
					say(STATES[user.state] || clip(user.state, 20)), user.email, user.password ? say("has a password") : say("no password")
				].filter(Boolean).join(" · "),
				(user.groups || []).length ? say("Groups: {0}", user.groups.join(", ")) : "",
				[user.made && say("made {0}", when(user.made)), user.seen && say("last seen {0}", when(user.seen))].filter(Boolean).join(" · ")
			],
			actions: [
				isOn(user)
					? {
						label: say("Switch off"), question: say("Switch {0} off? Sessions and tokens do not count then.", user.name),
						act: () => ask("PATCH", path(user), { state: "off" }), done: say("The user is switched off.")
					} : {
						label: user.state === "pending" ? say("Approve") : say("Switch on"), act: () => ask("PATCH", path(user), { state: "active" }),
						done: say("The user is active.")
					},
				{
					label: say("Edit"), done: say("Saved."), form: () => ({
						fields: profileFields(user), submit: say("Save"), send: values => ask("PATCH", path(user), values)
					})
				},
				{
					label: say("Password"), done: say("The password is set."), form: () => ({
						fields: newPassword("password", say("New password")), submit: say("Set the password"),
						send: values => ask("PUT", path(user) + "/password", values)
					})
				},
				user.password && {
					label: say("Remove the password"), question: say("Remove the password of {0}? Signing in needs one.", user.name),
					act: () => ask("PUT", path(user) + "/password", { password: null }), done: say("The password is removed.")
				},
				{
					label: say("Remove"), question: say("Remove {0}, with all rights, tokens and sessions?", user.name),
					act: () => ask("DELETE", path(user)), done: say("The user is removed.")
				}
			]
		}),
		add: {
			title: say("Add a user"), form: () => ({
				fields: [
					NAME(), ...profileFields({}),
					{ name: "group", label: say("Group"), type: "select", options: [["", say("none")], ...names] },
					chosen({ name: "password", label: say("Password (optional)") })
				],
				submit: say("Add"), send: values => ask("POST", "users", values)
			})
		}
	});
}

const KINDS = () => [["users", say("users")], ["things", say("things")]];

export function groupsPart({ users, scopes }) {
	const path = group => "groups/" + part(group.name);
	const text = (group, member) => (group.kind === "things" ? scopes.nameOf("thing", member) : member);
	const all = {
		users: users.map(user => [user.name, titleOf(user)]), things: scopes.things.map(thing => [thing.slug || thing.id, thing.name || thing.slug])
	};
	const others = group => all[group.kind].filter(([name]) => group.members.indexOf(name) < 0);
	const choose = (options, verb, group, submit) => ({
		fields: [{ name: "member", label: say("Member"), type: "select", options, required: true }], submit,
		send: ({ member }) => ask("POST", path(group) + "/" + verb, { members: [member] })
	});
	return new ListPart({
		title: say("Groups"), note: say("The group “all” is built in: its members see and control everything."), empty: say("There are no groups."),
		keyOf: group => group.id, load: () => ask("GET", "groups"),
		row: group => {
			const members = group.members || [];
			const free = others(group);
			return {
				name: group.name, facts: [group.kind === "things" ? say("of things") : say("of users"), members.length ? "" : say("nobody is in it")],
				notes: [members.map(member => text(group, member)).join(", ")],
				actions: [
					free.length > 0 && { label: say("Add a member"), done: say("The member is added."), form: () => choose(free, "members", group, say("Add")) },
					members.length > 0 && {
						label: say("Remove a member"), done: say("The member is removed."),
						form: () => choose(members.map(member => [member, text(group, member)]), "leave", group, say("Remove"))
					},
					group.name !== "all" && {
						label: say("Remove"), question: say("Remove the group {0}, with its rights?", group.name),
						act: () => ask("DELETE", path(group)), done: say("The group is removed.")
					}
				]
			};
		},
		add: {
			title: say("Add a group"), form: () => ({
				fields: [NAME(), { name: "kind", label: say("A group of"), type: "select", options: KINDS() }],
				submit: say("Add"), send: values => ask("POST", "groups", values)
			})
		}
	});
}
