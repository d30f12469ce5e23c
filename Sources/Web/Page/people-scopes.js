// What rights are about: everything, places and things, by their names.

import { ask, say } from "./people.js";

const KINDS = { environment: "environments", zone: "zones", thing: "things" };

export class Scopes {
	constructor() {
		for (const key of Object.keys(KINDS)) this[KINDS[key]] = [];
		this.groups = [];
	}

	/** Reads what the reader may see; what cannot be had is an empty list. */
	async load(hasGroups) {
		const lists = Object.values(KINDS).concat(hasGroups ? "groups" : []);
		await Promise.all(lists.map(async list => {
			// Those of every place, not only of the one that is shown now.
			const found = await ask("GET", list === "zones" || list === "things" ? list + "?environment=*" : list).catch(() => []);
			this[list] = Array.isArray(found) ? found : [];
		}));
		return this;
	}

	find(kind, word) {
		return (this[KINDS[kind]] || []).find(one => one.slug === word || one.id === word);
	}

	nameOf(kind, word) {
		const object = this.find(kind, word);
		return object ? object.name || object.slug || word : word;
	}

	/** A scope as people read it. */
	text(scope) {
		if (scope === "all") return say("All places and things");
		if (scope === "devices") return say("Where devices are");
		const [kind, ...rest] = String(scope).split(":");
		const name = this.nameOf(kind, rest.join(":"));
		switch (kind) {
		case "environment": return say("Place {0}", name);
		case "zone": return say("Zone {0}", name);
		case "thing": return name;
		case "group": return say("Group {0}", name);
		case "device": return say("Device {0}", name);
		default: return String(scope);
		}
	}

	/** Scopes to choose from: all of them for who administers, else those that lie in what the reader owns. */
	options(me) {
		const all = ["all", "devices"].concat(
			this.groups.filter(group => group.kind === "things").map(group => "group:" + group.name),
			...Object.keys(KINDS).map(kind => this[KINDS[kind]].map(one => kind + ":" + wordOf(one))));
		const own = new Set((me.rights || []).filter(grant => grant.access === "own").map(grant => grant.scope));
		// Theirs by the list of devices, without a grant.
		for (const node of me.devices || []) own.add("device:" + node);
		const every = Array.from(new Set(all.concat(...own)));
		const found = me.administers ? every : every.filter(scope => this.isOwn(scope, own));
		return found.map(scope => [scope, this.label(scope)]);
	}

	label(scope) {
		return scope.startsWith("thing:") ? say("Thing {0}", this.text(scope)) : this.text(scope);
	}

	/** Whether a scope lies in one of those that are owned. */
	isOwn(scope, own) {
		if (own.has(scope)) return true;
		const [kind, word] = scope.split(":");
		const object = this.find(kind, word);
		if (!object) return false;
		if (own.has(kind + ":" + object.id) || own.has(kind + ":" + object.slug)) return true;
		if (kind === "thing") return Boolean(object.zone) && this.isOwn("zone:" + object.zone, own);
		return kind === "zone" && Boolean(object.environment) && this.isOwn("environment:" + object.environment, own);
	}

	/** Things to share: those that the reader owns. */
	ownThings(me) {
		return this.options(me).filter(([scope]) => scope.startsWith("thing:")).map(([scope]) => [scope.slice(6), this.text(scope)]);
	}
}

const wordOf = object => object.slug || object.id;
