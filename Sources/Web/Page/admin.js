// Administration: who may do what, and what was done. Who owns only a few things sees the rights on those.

import { button, element } from "./dom.js";
import { checkForm, grantsPart } from "./admin-grants.js";
import { groupsPart, usersPart } from "./admin-users.js";
import { sessionsPart, sharesPart, tokensPart } from "./people-parts.js";
import { Scopes } from "./people-scopes.js";
import { ask, begin, failure, frame, learn, link, say, toSignIn } from "./people.js";

/** The parts of the page: by name in the address, title, and how each is made. `isFull`: for who administers; `isOpen`: for who owns nothing, too. */
const PARTS = () => [
	{ name: "things", title: say("Things"), make: async context => (await load()).thingsParts(context) },
	{ name: "places", title: say("Places and zones"), make: async context => (await load()).places(context) },
	{ name: "bindings", title: say("Things with owners"), make: async context => (await import("./admin-bindings.js")).bindingsParts(context) },
	{ name: "rules", title: say("Rules"), isOpen: true, make: async context => (await import("./admin-rules.js")).rulesParts(context) },
	{ name: "survey", title: say("Survey"), make: async context => (await import("./admin-survey.js")).surveyParts(context) },
	{ name: "devices", title: say("Devices"), make: async context => (await import("./admin-devices.js")).devicesParts(context) },
	{ name: "users", title: say("Users"), isFull: true, make: context => [usersPart(context)] },
	{ name: "groups", title: say("Groups"), isFull: true, make: context => [groupsPart(context)] },
	{ name: "grants", title: say("Rights"), make: context => [grantsPart(context), ...(context.me.administers ? [checkForm(context)] : [])] },
	{ name: "shares", title: say("Shares"), make: context => [sharesPart(context)] },
	{ name: "tokens", title: say("Tokens"), isFull: true, make: context => [tokensPart(context)] },
	{ name: "sessions", title: say("Sessions"), isFull: true, make: context => [sessionsPart(context)] },
	{ name: "log", title: say("Log"), isFull: true, make: async context => [(await import("./admin-log.js")).logPart(context)] }
];

/** What is about places is large, and not for everybody who comes here. */
async function load() {
	const [module] = await Promise.all([import("./admin-things.js"), learn(() => import("./profile-german.js")), learn(() => import("./admin-german.js"))]);
	return module;
}

class Administration {
	/** `first`: the part to begin with. */
	constructor(main, me, first) {
		this.me = me;
		this.first = first;
		this.parts = PARTS().filter(one => me.administers || (me.owns ? !one.isFull : one.isOpen));
		this.links = this.parts.map(({ name, title }) => link("admin" + location.search + "#" + name, title, { "data-part": name }));
		this.place = element("div", { class: "parts" });
		main.appendChild(element("nav", { class: "part-links", "aria-label": say("Administration") }, ...this.links));
		main.appendChild(this.place);
		addEventListener("hashchange", () => this.open(true));
		this.open(false);
	}

	async open(hasFocus) {
		const named = name => this.parts.find(one => one.name === name);
		const chosen = named(location.hash.slice(1)) || named(this.first) || this.parts[0];
		for (const node of this.links) {
			if (node.getAttribute("data-part") === chosen.name) node.setAttribute("aria-current", "page");
			else node.removeAttribute("aria-current");
		}
		document.title = chosen.title + " – Trilateral";
		const turn = this.turn = {};
		this.place.setAttribute("aria-busy", "true");
		try {
			const context = await this.read();
			// Another part was asked for meanwhile.
			if (turn !== this.turn) return;
			const lists = await chosen.make(context);
			if (turn !== this.turn) return;
			this.place.textContent = "";
			for (const list of lists) this.place.appendChild(list.node);
			if (hasFocus) lists[0].title.focus();
			await Promise.all(lists.map(list => list.refresh()));
		} catch (error) {
			if (turn !== this.turn) return;
			this.place.textContent = "";
			this.place.appendChild(complaint(error, () => this.open(true)));
		}
		if (turn === this.turn) this.place.removeAttribute("aria-busy");
	}

	/** What the forms choose from, as it is now. */
	async read() {
		const { administers } = this.me;
		const [scopes, users, state] = await Promise.all([
			new Scopes().load(administers), administers ? ask("GET", "users") : [], ask("GET", "state").catch(() => null)
		]);
		const current = state && state.environment ? state.environment.slug : undefined;
		return { me: this.me, scopes, users: users || [], groups: scopes.groups, current };
	}
}

/** The first part of use: without a place, making one; for who sees nothing of any, what else they own. */
async function firstOf(me) {
	for (const list of ["environments", "zones?environment=*", "things?environment=*"]) {
		if ((await ask("GET", list).catch(() => [0])).length) return "things";
		if (me.administers) return "places";
	}
	return me.devices.length || me.rights.some(grant => grant.scope.startsWith("device")) ? "devices" : "grants";
}

const complaint = (error, again) => element("section", { class: "card part" }, failure(error.message),
	element("div", { class: "buttons" }, button({ class: "button", text: say("Try again") }, again)));

begin(async () => {
	const main = frame(say("Administration"), link("kiosk", say("Kiosk")), link("me", say("My account")));
	try {
		const me = await ask("GET", "me");
		if (me.administers || me.owns || (me.rights || []).length) new Administration(main, me, await firstOf(me));
		else main.appendChild(complaint({ message: say("You own nothing here, so there is nothing to administer.") }, () => location.reload()));
	} catch (error) {
		if (error.status === 401) toSignIn("admin");
		else main.appendChild(complaint(error, () => location.reload()));
	}
});
