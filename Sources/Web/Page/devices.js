// Several devices: the one that the address names in the place of the daemon's own, and who else is where, on the map and the list.

import { arrange, element, reuse, set, setText, shape, show } from "./dom.js";
import { read, request } from "./feed.js";
import { contains, isPoint, rectangle, surrounding } from "./geometry.js";
import { around, overlaps, widthOf } from "./labels.js";
import { clip, nameOf, say } from "./text.js";

// The colours of the page's own look, which are others on a dark ground; further ones go around the circle.
const COLOURS = ["--warm", "--safe", "--media", "--open", "--air", "--lit", "--alarm"];
const GOLDEN = 137.5;
// Pixels: marks nearer than that stand around their place, and names begin so far from them.
const TOUCH = 20;
const RADIUS = 8;
const NAME_GAP = 5;
const LINE = 18;
// Right of a mark, left, above and below.
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1]];
const LARGEST = 4000;
// Metres around a device outside of all rooms.
const AROUND = 2;
// So many devices are offered where the first one is not seen.
const MOST_PAGES = 8;

/** A name as there is room for it. */
const short = device => clip(nameOf(device), 40);

export class Devices {
	/** `asked` is the node that the address names; null for the daemon's own device. */
	constructor(app, asked) {
		this.app = app;
		this.asked = asked;
		this.isOwn = !asked;
		this.ownNode = null;
		this.list = new Map();
		this.colours = new Map();
		/** All but the one that the page shows. */
		this.others = [];
		this.marks = new Map();
		this.notes = new WeakMap();
		app.commands.route = (path, body) => this.route(path, body);
	}

	/** Asks who is where. A daemon with one device has no list, and its own device has a name, too. */
	async read() {
		const list = await read("api/devices");
		// The daemon's own device is none of the listed ones, and so of no kind.
		const own = list.find(one => !one.kind);
		const isOwn = !this.asked || Boolean(own) && own.node === this.asked;
		if (isOwn || list.some(one => one.node === this.asked)) return { list, own, isOwn };
		const { response } = await request("api/devices/" + encodeURIComponent(this.asked) + "/state");
		return { list, own, isOwn: response.status !== 404 };
	}

	/** Takes what was read. */
	setList({ list, own, isOwn }) {
		this.list = new Map(list.map(one => [one.node, one]));
		this.isOwn = isOwn;
		this.ownNode = own ? own.node : null;
		this.isKnown = true;
		this.changed();
	}

	/** A device that is elsewhere, or the word that it is gone. */
	hear(device) {
		if (!device.node) return;
		if (device.removed) this.list.delete(device.node);
		else this.list.set(device.node, device);
		if (!device.removed && !device.kind) {
			// The daemon's own device may be made later than the others.
			this.ownNode = device.node;
			this.isOwn = this.isOwn || device.node === this.asked;
		}
		this.changed();
	}

	changed() {
		const nodes = Array.from(this.list.keys()).sort();
		this.colours = new Map(nodes.map((node, index) => [node, COLOURS[index] ? "var(" + COLOURS[index] + ")"
			: "hsl(" + Math.round(index * GOLDEN) % 360 + ", 65%, 50%)"]));
		this.others = nodes.filter(node => node !== this.shownNode).map(node => this.list.get(node));
	}

	/** Whether the page shows another device than the daemon's own. */
	get isOther() { return Boolean(this.asked) && !this.isOwn; }

	get shownNode() { return this.isOther ? this.asked : this.ownNode; }

	/** The device that the page shows, if the daemon has several. */
	get shown() { return this.list.get(this.shownNode) || null; }

	/** Where the first device is not to be seen, or is none: those that are, each with the address of its page. */
	get pages() {
		const isNone = this.isKnown && !this.ownNode;
		if (this.isOther || !isNone && !this.app.model.hides("device")) return [];
		return this.others.slice(0, MOST_PAGES).map(device => ({
			href: "kiosk?device=" + encodeURIComponent(device.node), text: say("Show {0}").replace("{0}", () => short(device))
		}));
	}

	/** Why the page cannot show the device that the address names; null if it can. */
	get missing() {
		return this.isKnown && this.isOther && !this.shown ? say("There is no device “{0}” here, or you may not see it.")
			.replace("{0}", () => clip(this.asked, 60)) : null;
	}

	/** Says so once, on a page that has no place for it. */
	tellMissing() {
		if (this.told === this.missing) return;
		this.told = this.missing;
		if (this.missing) this.app.commands.notify(this.missing);
	}

	/** The state with the device that the page shows in the place of the daemon's own. */
	standing(state) {
		if (!this.isOther) return state;
		const { shown, app: { model } } = this;
		const zone = shown && this.zoneOf(shown);
		const thing = shown && model.named(shown.nearby);
		return Object.assign({}, state, {
			device: shown ? Object.assign({}, shown, { id: shown.node }) : { id: null },
			zone: zone ? { id: zone.id, slug: zone.slug, name: zone.name, since: shown.since } : { id: null },
			nearby: thing ? { id: thing.id, slug: thing.slug, name: thing.name } : { id: null },
			hidden: (state.hidden || []).filter(name => name === "environment")
		});
	}

	zoneOf(device) { return Array.from(this.app.model.zones.values()).find(zone => zone.slug && zone.slug === device.zone) || null; }

	/** Where a command goes: what is near the device that the page shows is driven as that, so that another one never is. */
	route(path, body) {
		const nearby = this.isOther && this.app.model.nearby;
		const verb = nearby && /^api\/things\/([^/]+)\/(set|action)$/.exec(path);
		if (!verb || [nearby.slug, nearby.id].indexOf(decodeURIComponent(verb[1])) < 0) return [path, body];
		return [this.path + "nearby/" + verb[2], Object.assign({ if_id: nearby.id }, body)];
	}

	/** Where the interface has what is the device's. */
	get path() { return this.isOther ? "api/devices/" + encodeURIComponent(this.asked) + "/" : "api/"; }

	// The list

	/** The identifiers of zones in which somebody else is. */
	get zones() {
		return new Set(this.others.map(one => this.zoneOf(one)).filter(zone => zone && this.app.model.here.zones.indexOf(zone) >= 0)
			.map(zone => zone.id));
	}

	/** Writes below the name of a zone who else is there. */
	drawWho(section, id) {
		const present = this.others.filter(one => (this.zoneOf(one) || {}).id === id);
		let area = this.notes.get(section);
		if (!area && !present.length) return;
		if (!area) {
			area = element("p", { class: "who" });
			section.insertBefore(area, section.lastChild);
			this.notes.set(section, area);
		}
		show(area, present.length);
		const key = JSON.stringify(present.map(one => [one.node, one.name, this.colours.get(one.node)]));
		if (area.drawn === key) return;
		area.drawn = key;
		arrange(area, present.map(one => this.coloured(element("span", { text: short(one) + " " }), one)));
	}

	coloured(node, device) {
		const colour = this.colours.get(device.node);
		if (node.colour !== colour) node.style.setProperty("--device", node.colour = colour);
		return node;
	}

	// The map

	/** Draws all others where they are now, below the names of things and the device itself. */
	drawMap(map) {
		if (!this.layer || this.layer.parentNode !== map.svg) {
			this.name = shape("text", { "text-anchor": "middle" });
			this.layer = shape("g", { class: "others" });
			this.marks.clear();
			map.svg.insertBefore(this.layer, map.device);
			const { fontSize, fontFamily } = getComputedStyle(this.layer.appendChild(this.name));
			this.font = "600 " + fontSize + " " + fontFamily;
		}
		const { app: { model, motion } } = this;
		const here = this.onFloor(map);
		const nodes = reuse(this.marks, here.map(one => one.node), () => shape("g", { role: "img" },
			shape("circle", { class: "accuracy" }), shape("circle", { class: "device", r: RADIUS }), shape("text")));
		const own = motion.position && model.device && map.deviceFloor === map.floor ? [map.at(motion.position)] : [];
		const places = spread(here.map(one => map.at(one.position)), own);
		// Names keep away from those of things and zones, from marks, and from each other.
		this.taken = map.labelBoxes.concat(own.map(([x, y]) => around(x, y, RADIUS + 2)), places.map(({ x, y, shift }) => around(x + shift[0], y + shift[1], RADIUS)));
		this.width = map.width;
		this.things = map.marks.shown.map(one => around(one.x, one.y, one.r));
		here.forEach((one, index) => this.drawMark(map, this.coloured(nodes[index], one), one, places[index]));
		show(this.name, own.length && this.shown);
		if (this.shown) for (const [x, y] of own) this.drawName(this.name, this.shown, [x, y], [0, 1], RADIUS + 2);
		arrange(this.layer, nodes.concat(this.name));
	}

	floorOf(device, floors) {
		const zone = this.app.model.here.bySlug.get(device.zone);
		return zone && zone.perimeter ? floors.of(zone) : floors.at(device.position.z || 0);
	}

	onFloor(map) { return this.others.filter(one => isPoint(one.position) && this.floorOf(one, map.floors) === map.floor); }

	/** What the map shows beside the device's room until somebody moves it: where each other one is, and its room. None where the address names a device. */
	inView(map) {
		return this.asked ? [] : this.onFloor(map).map(({ zone, position }) => {
			const room = rectangle((this.app.model.here.bySlug.get(zone) || {}).perimeter);
			return { position, box: room && contains(room, position) ? room : surrounding([], [position], AROUND) };
		});
	}

	drawMark(map, node, device, { x, y, shift, angle }) {
		const [accuracy, dot, name] = node.children;
		const metres = device.accuracy_m > 0 ? device.accuracy_m : 0;
		set(node, { transform: "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ")", "aria-label": short(device) });
		node.classList.toggle("lost", device.quality === "lost");
		set(accuracy, { r: Math.min(metres * map.unit * map.zoom.scale, LARGEST).toFixed(1) });
		set(dot, { cx: shift[0].toFixed(1), cy: shift[1].toFixed(1) });
		// Names stand outside of where several are together.
		const side = Math.abs(Math.cos(angle)) > 0.3 ? Math.sign(Math.cos(angle)) : 0;
		this.drawName(name, device, [x + shift[0], y + shift[1]], side ? [side, 0] : [0, Math.sin(angle) >= 0 ? 1 : -1], RADIUS, [x, y]);
	}

	/**
	 * Writes a name beside a mark: on the side where it stands already, on this side, or on another one, the first that is free.
	 * Where none is, it stands on this side. The text is within a group at `origin`.
	 */
	drawName(node, device, [x, y], wished, radius, origin = [0, 0]) {
		const text = short(device);
		const width = widthOf(text, this.font);
		const reach = radius + NAME_GAP;
		const box = ([right, down]) => {
			const left = x + right * reach - width * (1 - right) / 2;
			const top = y + down * (reach + LINE / 2) - LINE / 2;
			return { left, top, right: left + width, bottom: top + LINE };
		};
		const isFree = (side, others) => !others.some(other => overlaps(box(side), other, 1));
		const isWhole = side => box(side).left >= 0 && box(side).right <= this.width;
		const sides = [node.side, wished, ...SIDES].filter(Boolean);
		const side = sides.find(one => isWhole(one) && isFree(one, this.taken) && isFree(one, this.things)) || sides.find(one => isFree(one, this.taken)) || wished;
		node.side = side;
		const place = box(side);
		this.taken.push(place);
		set(node, { x: (place.left + width / 2 - origin[0]).toFixed(1), y: (place.bottom - LINE * 0.22 - origin[1]).toFixed(1), "text-anchor": "middle" });
		setText(node, text);
	}
}

/**
 * Where marks for these points stand: each beside others by a shift and in a direction from its place, a single one where it
 * is with its name below. What stands already stays.
 */
export function spread(points, standing) {
	const groups = standing.map(([x, y]) => ({ x, y, first: 1, members: [] }));
	points.forEach(([x, y], index) => {
		let group = groups.find(one => Math.hypot(one.x - x, one.y - y) < TOUCH);
		if (!group) groups.push(group = { x, y, first: 0, members: [] });
		group.members.push({ x, y, index });
	});
	const places = [];
	for (const { x: left, y: top, first, members } of groups) members.forEach(({ x, y, index }, at) => {
		const isAlone = !first && members.length === 1;
		const angle = isAlone ? Math.PI / 2 : at / members.length * 2 * Math.PI;
		const reach = isAlone ? 0 : Math.max(first ? TOUCH + 4 : RADIUS * 1.5, TOUCH * 1.2 * members.length / (2 * Math.PI));
		// From the place of the group, so that none of it stands on another.
		const shift = isAlone ? [0, 0] : [left - x + Math.cos(angle) * reach, top - y + Math.sin(angle) * reach];
		places[index] = { x, y, shift, angle };
	});
	return places;
}
