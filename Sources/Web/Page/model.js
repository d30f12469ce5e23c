// What the page knows of the place: the last snapshot, the lists, and every change since.

import { Floors } from "./floors.js";
import { bearing, distance, isPoint, planeDistance } from "./geometry.js";

const MOST_ALERTS = 50;

export class Model {
	constructor() {
		this.state = null;
		this.environments = new Map();
		this.zones = new Map();
		this.things = new Map();
		/** The things as the daemon has them, whatever the viewer may do. */
		this.whole = new Map();
		this.alerts = new Map();
		/** What the viewer may do. */
		this.permissions = { things: true, devices: true };
		this.selectedID = null;
		this.isLoaded = false;
		this.cache = null;
	}

	setState(state) {
		const before = this.environmentID;
		if (!this.state || this.state.epoch !== state.epoch) this.alerts.clear();
		const wasHidden = this.hides("environment");
		this.state = state;
		if (wasHidden !== this.hides("environment")) this.cache = null;
		if (before === this.environmentID) return;
		this.cache = null;
		this.selectedID = null;
	}

	/** A part of the state that changed: nearby, lifecycle. */
	setPart(key, value) {
		if (this.state) this.state = Object.assign({}, this.state, { [key]: value });
	}

	setLists(environments, zones, things, permissions) {
		this.environments = byID(environments);
		this.zones = byID(zones);
		this.whole = byID(things);
		this.things = new Map();
		this.setPermissions(permissions);
		this.isLoaded = true;
		this.cache = null;
		this.forgetGone();
	}

	/** What the viewer may do, which may change at any moment. */
	setPermissions(permissions) {
		this.permissions = Object.assign({}, permissions);
		this.drivable = Array.isArray(this.permissions.things) ? new Set(this.permissions.things) : null;
		for (const [id, thing] of this.whole) {
			const known = this.things.get(id);
			// What stays the same keeps its object, by which views know it again.
			if (!known || Boolean(known.isSeenOnly) === this.mayDrive(thing)) this.things.set(id, this.offered(thing));
		}
		this.cache = null;
	}

	/** A whole object that changed, or the word that it is gone. */
	setObject(list, object) {
		if (!object || !object.id) return;
		if (list === "things") this.whole[object.removed ? "delete" : "set"](object.id, object);
		if (object.removed) this[list].delete(object.id);
		else this[list].set(object.id, list === "things" ? this.offered(object) : object);
		this.cache = null;
		this.forgetGone();
	}

	mayDrive(thing) { return !this.drivable || this.drivable.has(thing.id); }

	/** A thing as it is for the viewer: what they may not drive offers nothing. */
	offered(thing) {
		return this.mayDrive(thing) ? thing : Object.assign({}, thing, { settable: [], actions: [], palette: [], isSeenOnly: true, whole: thing });
	}

	/** Whether a part of the state is hidden from the viewer, and not just missing. */
	hides(name) { return Boolean(this.state && Array.isArray(this.state.hidden) && this.state.hidden.indexOf(name) >= 0); }

	/** The thing of a short name or an identifier. */
	named(name) {
		if (!name) return null;
		return this.things.get(name) || Array.from(this.things.values()).find(thing => thing.slug === name) || null;
	}

	setAlert(alert) {
		if (!alert || !alert.id) return;
		if (alert.cleared) this.alerts.delete(alert.id);
		else if (this.alerts.has(alert.id) || this.alerts.size < MOST_ALERTS) this.alerts.set(alert.id, alert);
	}

	forgetGone() {
		if (this.selectedID && this.isLoaded && !this.things.has(this.selectedID)) this.selectedID = null;
	}

	get environmentID() { return (this.state && this.state.environment && this.state.environment.id) || null; }

	get environment() {
		return this.environments.get(this.environmentID) || (this.environmentID ? this.state.environment : null);
	}

	get zone() {
		const zone = this.state && this.state.zone;
		return zone && zone.id ? Object.assign({}, zone, this.zones.get(zone.id)) : null;
	}

	get device() { return (this.state && this.state.device && this.state.device.id && this.state.device) || null; }

	get nearby() {
		const nearby = this.state && this.state.nearby;
		return nearby && nearby.id ? this.things.get(nearby.id) || nearby : null;
	}

	/** The thing that a person tapped, else the nearby one. */
	get selected() { return (this.selectedID && this.things.get(this.selectedID)) || this.nearby; }

	/** Zones and things of the current environment; where that is hidden, all that the viewer may see. */
	get here() {
		if (!this.cache) {
			const environment = this.environment;
			const isHidden = this.hides("environment");
			const slug = environment ? environment.slug : null;
			const zones = Array.from(this.zones.values()).filter(zone => isHidden || slug && zone.environment === slug);
			const bySlug = new Map(zones.map(zone => [zone.slug, zone]));
			const things = Array.from(this.things.values()).filter(thing => isHidden || bySlug.has(thing.zone));
			this.cache = { zones, bySlug, things, floors: new Floors(zones) };
		}
		return this.cache;
	}

	zoneOf(thing) { return this.here.bySlug.get(thing.zone) || null; }

	get thingsOfZone() {
		const zone = this.zone;
		return zone ? this.here.things.filter(thing => thing.zone === zone.slug) : [];
	}

	isNearby(thing) { return Boolean(this.nearby) && this.nearby.id === thing.id; }

	isSelected(thing) { return Boolean(this.selected) && this.selected.id === thing.id; }

	/** Where the device is; null when that is unknown. */
	get position() { return this.device && isPoint(this.device.position) ? this.device.position : null; }

	/**
	 * Metres to a thing, from the device or from another position; null when unknown. Seen from above, as the daemon
	 * measures what is near, unless it is on another floor.
	 */
	distanceTo(thing, from = this.position) {
		if (!from || !isPoint(thing.position)) return null;
		const { floors, bySlug } = this.here;
		const isHere = floors.at(from.z || 0) === floors.ofThing(thing, bySlug.get(thing.zone));
		return (isHere ? planeDistance : distance)(from, thing.position);
	}

	bearingTo(thing, from = this.position) {
		return from && isPoint(thing.position) ? bearing(from, thing.position, this.environment) : null;
	}
}

function byID(list) {
	const map = new Map();
	for (const object of Array.isArray(list) ? list : []) if (object && object.id) map.set(object.id, object);
	return map;
}
