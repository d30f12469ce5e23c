// The map: the rooms of a floor, the things in them, and the device with its accuracy and heading.

import { arrange, button, element, reuse, set, setText, shape, show } from "./dom.js";
import { contains, isFlipped, isPoint, northOf, rectangle, surrounding } from "./geometry.js";
import { drawLabels } from "./labels.js";
import { Floors } from "./floors.js";
import { MapMarks } from "./map-marks.js";
import { nameOf, say } from "./text.js";
import { Roving } from "./roving.js";
import { SelectionBar } from "./selection-bar.js";
import { Zoom } from "./zoom.js";

// A tap beside a mark counts for it within so many pixels; within the first, always.
const TOUCH = 18;
const REACH = 30;
// Room for the buttons beside or below the plan.
const TOOLS = 60;
// What follows the device shows no less than so many metres.
const LEAST = 6;
// So long after the last move, names are placed anew.
const REST = 120;
// Pixels of a metre, at most.
const CLOSEST = 400;
// Beside the plan, where it is not cut off.
const EDGE = 14;
const LENGTHS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** An offset that wastes no room beside the plan, which begins at `start` and has a length: all of it is seen, or it fills the room. */
function inside(offset, start, length, room) {
	if (length + 2 * EDGE <= room) return (room - length) / 2 - start;
	return Math.min(Math.max(offset, room - EDGE - start - length), EDGE - start);
}

export class MapView {
	constructor(app, section) {
		this.app = app;
		this.zoneNodes = new Map();
		this.zonePlaces = [];
		/** Where names are, on the screen; none while the picture is moved. */
		this.labelBoxes = [];
		this.marks = new MapMarks();
		this.perimeter = shape("rect", { class: "perimeter" });
		this.zones = shape("g");
		this.accuracy = shape("circle", { class: "accuracy" });
		this.line = shape("line", { class: "near-line" });
		this.labels = shape("g", { "aria-hidden": "true" });
		this.cone = shape("path", { class: "cone", d: "M0 0L-22 -36A42 42 0 0 1 22 -36Z", fill: "url(#view)" });
		this.device = shape("g", { class: "device" }, this.cone, shape("circle", { r: 10 }));
		this.scale = shape("g", { class: "scale", "aria-hidden": "true" }, shape("path"), shape("text"));
		this.svg = shape("svg", { class: "plan", role: "group" }, this.marks.defs, coneFill(), this.perimeter, this.zones, this.marks.glows,
			this.accuracy, this.line, this.marks.node, this.labels, this.device, this.scale);
		this.svg.addEventListener("click", event => this.tap(event));
		this.roving = new Roving(this.svg, node => this.pick(node));
		this.zoom = new Zoom(this.svg, () => this.move());
		this.note = element("p", { class: "empty" });
		const tool = (text, label, action) => button({ class: "button tool", "aria-label": say(label), text }, action);
		this.locate = tool("◎", "Where this device is", () => this.follow());
		this.north = element("div", { class: "north-mark", "aria-hidden": "true" },
			shape("svg", { viewBox: "-16 -16 32 32" }, shape("path", { d: "M0 -14L6 8L0 4L-6 8Z" })), element("span", { text: say("N") }));
		this.floorList = element("div", { class: "floors", role: "group", "aria-label": say("Floors") });
		this.floorNodes = new Map();
		this.toolbox = element("div", { class: "tools" },
			tool("+", "Zoom in", () => this.zoom.by(1.5)), tool("−", "Zoom out", () => this.zoom.by(1 / 1.5)),
			tool("⤢", "Whole map", () => this.showAll()), this.locate);
		this.stage = element("div", { class: "stage card" }, this.svg, this.note, this.north, this.floorList, this.toolbox);
		this.bar = new SelectionBar(app);
		section.appendChild(this.stage);
		section.appendChild(this.bar.node);
	}

	resize() {
		this.width = this.stage.clientWidth;
		this.height = this.stage.clientHeight;
		set(this.svg, { viewBox: "0 0 " + this.width + " " + this.height });
		this.zoom.resize(this.width, this.height);
		this.geometry = null;
	}

	update() {
		const { environment, isLoaded } = this.app.model;
		set(this.svg, { "aria-label": environment ? say("Map of ") + nameOf(environment) : say("Map") });
		const isNew = this.readFloor(environment, isLoaded);
		setText(this.note, this.plan || !environment || !isLoaded ? "" : say("This place has no plan"));
		show(this.note, this.note.textContent);
		for (const node of [this.svg, this.north, this.toolbox]) show(node, this.plan);
		this.bar.update();
		if (!this.plan || !this.width) return;
		if (isNew) this.settle();
		else if (this.wear() || this.shownHere !== this.app.model.here) {
			// What can be seen at once is; where names stand is looked for when it rests.
			this.drawAll();
			this.settleSoon();
		}
		this.shownHere = this.app.model.here;
		this.frame();
	}

	// What is to be seen

	/** The device's floor, or the one that a person chose. Tells whether anything of the plan is another one than before. */
	readFloor(environment, isLoaded) {
		const { model } = this.app;
		const { here, zone, device } = model;
		const floors = this.floors = new Floors(here.zones);
		const current = zone && here.bySlug.get(zone.slug);
		this.deviceFloor = current && current.perimeter ? floors.of(current)
			: isPoint(model.position) ? floors.at(model.position.z || 0) : null;
		if (this.deviceFloor !== this.lastDeviceFloor) this.chosenFloor = null;
		this.lastDeviceFloor = this.deviceFloor;
		this.floor = this.chosenFloor === null || this.chosenFloor >= floors.count ? this.deviceFloor || 0 : this.chosenFloor;
		const place = environment && environment.id;
		const key = [place, isLoaded, this.width, this.height, this.floor, JSON.stringify(environment && [environment.perimeter, environment.angle, environment.data])].join();
		const thingsHere = here === this.shownHere && this.floor === this.lastFloor ? this.thingsHere : here.things.filter(one =>
			isPoint(one.position) && floors.ofThing(one, here.bySlug.get(one.zone)) === this.floor);
		// Values alone leave all where it is.
		const standing = thingsHere === this.thingsHere ? this.standing : JSON.stringify([thingsHere.map(one => [one.id, one.position, one.name]),
			here.zones.map(one => [one.id, one.perimeter, one.name])]);
		const others = this.app.devices ? this.app.devices.inView(this) : [];
		const isOut = box => Boolean(box) && others.some(one => !contains(box, one.position));
		const isSame = key === this.geometry && standing === this.standing && !isOut(this.plan);
		[this.standing, this.thingsHere, this.lastFloor] = [standing, thingsHere, this.floor];
		const room = current && floors.of(current) === this.floor ? current.id : null;
		if (!isSame) {
			this.zonesHere = here.zones.filter(one => rectangle(one.perimeter) && floors.of(one) === this.floor);
			this.fit(environment, isLoaded, device, others);
			this.drawFloors();
		}
		if (place !== this.shownPlace) this.zoom.isFree = this.isFollowing = false;
		const isMoved = place !== this.shownPlace || room !== this.shownRoom || this.floor !== this.shownFloor || key !== this.geometry
			|| !this.isFollowing && isOut(this.aimed);
		if (isMoved && this.plan && this.width && !this.zoom.isFree) {
			const boxes = room && !this.isFollowing ? others.map(one => one.box) : [];
			const own = room && rectangle(current.perimeter);
			this.aimed = own && surrounding(boxes.concat(own), [], 0);
			this.zoom.go(this.aim(this.aimed), this.shownRoom !== undefined && place === this.shownPlace && !this.app.motion.isReduced);
		}
		this.geometry = key;
		if (this.plan && this.width) [this.shownPlace, this.shownRoom, this.shownFloor] = [place, room, this.floor];
		return !isSame;
	}

	/** The plan, the perimeter or else all that has a place, with devices outside of it, and how large it is drawn. */
	fit(environment, isLoaded, device, others) {
		const place = !isLoaded ? null : environment && rectangle(environment.perimeter) || surrounding(
			this.zonesHere.map(zone => rectangle(zone.perimeter)), this.thingsHere.concat(device || []).map(one => one.position));
		const outside = place ? others.filter(one => !contains(place, one.position)) : [];
		const plan = this.plan = outside.length ? surrounding([place, ...outside.map(one => one.box)], [], 0) : place;
		this.isDown = isFlipped(environment);
		if (!plan || !this.width) return;
		const margin = Math.min(26, this.width / 14, this.height / 14);
		const unit = (right, below) => Math.min((this.width - 2 * margin - right) / plan.width,
			(this.height - 2 * margin - below) / plan.height);
		const beside = unit(TOOLS, 0);
		const above = unit(0, TOOLS);
		// A column of four buttons needs its height.
		const isBeside = beside >= above && this.height > 4.2 * TOOLS;
		this.unit = Math.max(isBeside ? beside : above, 0.001);
		this.zoom.largest = Math.max(12, CLOSEST / this.unit);
		this.middle = [(this.width - (isBeside ? TOOLS : 0)) / 2, (this.height - (isBeside ? 0 : TOOLS)) / 2];
		this.stage.classList.toggle("tools-beside", isBeside);
		this.north.firstChild.style.transform = "rotate(" + -northOf(environment) + "deg)";
	}

	/** Scale and offset for a box of the plan; for the whole plan without one. */
	aim(box) {
		if (!box) return [1, 0, 0];
		const most = Math.max(1, Math.min(this.width, this.height) / LEAST / this.unit);
		const [scale, x, y] = this.zoom.around(this.whole(box), most);
		const plan = this.whole(this.plan);
		return [scale, inside(x, plan.x * scale, plan.width * scale, this.width), inside(y, plan.y * scale, plan.height * scale, this.height)];
	}

	showAll() {
		this.zoom.isFree = true;
		this.zoom.go([1, 0, 0], !this.app.motion.isReduced);
	}

	/** Shows the device's room, and follows it alone from now on. */
	follow() {
		const { zone, here } = this.app.model;
		const room = zone && here.bySlug.get(zone.slug);
		this.chosenFloor = null;
		this.zoom.isFree = false;
		this.isFollowing = true;
		this.app.redraw();
		if (this.plan) this.zoom.go(this.aim(room && rectangle(room.perimeter)), !this.app.motion.isReduced);
	}

	drawFloors() {
		const { floors } = this;
		const indexes = floors.heights.map((height, index) => index).reverse();
		show(this.floorList, floors.count > 1);
		const nodes = reuse(this.floorNodes, indexes, index => button({ class: "button tool" }, () => {
			this.chosenFloor = index;
			this.zoom.isFree = index !== this.deviceFloor;
			if (this.zoom.isFree) this.zoom.go([1, 0, 0]);
			this.app.redraw();
		}));
		nodes.forEach((node, at) => {
			const index = indexes[at];
			setText(node, floors.number(index));
			node.classList.toggle("has-device", index === this.deviceFloor);
			set(node, { "aria-pressed": String(index === this.floor), "aria-label": say("Floor ") + floors.number(index) +
				(index === this.deviceFloor ? ", " + say("this device") : "") });
		});
		arrange(this.floorList, nodes);
	}

	// Where it is on the screen

	/** A point of the plan in the whole picture. */
	pictured(point) {
		const { plan, unit, middle } = this;
		const up = (point.y - plan.y - plan.height / 2) * unit;
		const right = (point.x - plan.x - plan.width / 2) * unit;
		return [middle[0] + right, middle[1] + (this.isDown ? up : -up)];
	}

	/** A point of the plan on the screen. */
	at(point) {
		const [x, y] = this.pictured(point);
		return [x * this.zoom.scale + this.zoom.x, y * this.zoom.scale + this.zoom.y];
	}

	/** A box of the plan in the whole picture. */
	whole(box) {
		const a = this.pictured(box);
		const b = this.pictured({ x: box.x + box.width, y: box.y + box.height });
		return { x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]), width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) };
	}

	/** What lies over the plan, for names to keep away from. */
	tools() {
		const stage = this.stage.getBoundingClientRect();
		const boxes = Array.from(this.stage.querySelectorAll(".tools, .floors, .north-mark"), node => node.getBoundingClientRect())
			.concat(this.scale.getBoundingClientRect());
		return boxes.filter(box => box.width).map(box => ({ left: box.left - stage.left - this.stage.clientLeft, top: box.top - stage.top - this.stage.clientTop,
			right: box.right - stage.left, bottom: box.bottom - stage.top }));
	}

	// Drawing

	/** The picture was moved: all goes along, and the names follow when it rests. */
	move() {
		this.isMoved = true;
		show(this.labels, false);
		this.labelBoxes = [];
		this.settleSoon(true);
		this.app.schedule();
	}

	settleSoon(isAgain) {
		if (this.timer && !isAgain) return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			if (this.plan && this.width) this.settle();
			this.frame();
		}, REST);
	}

	/** Draws all that does not move by itself. */
	settle() {
		clearTimeout(this.timer);
		this.timer = 0;
		const { model } = this.app;
		const places = this.thingsHere.map(thing => {
			const [x, y] = this.at(thing.position);
			return { thing, x, y };
		});
		this.marks.arrange(places, model, this.zoom.scale > this.zoom.largest * 0.95);
		this.drawAll();
		this.drawScale();
		const point = model.position && this.deviceFloor === this.floor ? this.at(model.position) : null;
		this.devicePoint = model.device && model.device.moving ? null : point;
		show(this.labels, true);
		this.labelBoxes = drawLabels(this);
		this.wear();
	}

	drawAll() {
		const { environment } = this.app.model;
		this.isMoved = false;
		const border = environment && rectangle(environment.perimeter);
		show(this.perimeter, border);
		if (border) this.drawBox(this.perimeter, border, 0);
		this.drawZones();
		this.marks.draw(point => this.at(point), this.app.model, this.app.profiles);
		const selected = this.marks.shown.find(one => this.app.model.isSelected(one.thing));
		this.roving.update(this.marks.shown.map(one => one.node), selected && selected.node);
	}

	/** Marks what is selected, near and current. Tells whether that has changed. */
	wear() {
		const { model } = this.app;
		const key = [model.selected && model.selected.id, model.nearby && model.nearby.id, model.zone && model.zone.id].join();
		if (key === this.worn) return false;
		this.worn = key;
		return true;
	}

	/** Draws a box of the plan. Returns it as it is on the screen. */
	drawBox(node, box, inset) {
		const flat = this.whole(box);
		const { scale, x, y } = this.zoom;
		const place = {
			x: flat.x * scale + x + inset, y: flat.y * scale + y + inset,
			width: Math.max(flat.width * scale - 2 * inset, 0), height: Math.max(flat.height * scale - 2 * inset, 0)
		};
		set(node, place);
		return place;
	}

	drawZones() {
		const { zone: current } = this.app.model;
		const isCurrent = zone => Boolean(current) && current.id === zone.id;
		// The current one last, so that its border is whole.
		const zones = this.zonesHere.slice().sort((a, b) => isCurrent(a) - isCurrent(b));
		const nodes = reuse(this.zoneNodes, zones.map(zone => zone.id), () => shape("rect", { rx: 4 }));
		this.zonePlaces = zones.map((zone, index) => {
			set(nodes[index], { class: isCurrent(zone) ? "zone current" : "zone" });
			return { zone, box: this.drawBox(nodes[index], rectangle(zone.perimeter), 1) };
		});
		arrange(this.zones, nodes);
	}

	drawScale() {
		const metre = this.unit * this.zoom.scale;
		const length = LENGTHS.filter(one => one * metre <= Math.min(110, this.width / 4)).pop() || LENGTHS[0];
		const y = this.height - 14;
		set(this.scale.firstChild, { d: "M14 " + (y - 6) + "v6h" + (length * metre).toFixed(1) + "v-6" });
		set(this.scale.lastChild, { x: (22 + length * metre).toFixed(1), y, text: length < 1 ? length * 100 + "\u00a0cm" : length + "\u00a0m" });
	}

	/** Draws the device where it is at this moment. */
	frame() {
		if (this.isMoved && this.plan && this.width) this.drawAll();
		const { model, motion, devices } = this.app;
		if (devices && this.plan && this.width) devices.drawMap(this);
		const { device, nearby } = model;
		const isSeen = this.plan && this.width && motion.position && device && this.deviceFloor === this.floor;
		const hasLine = isSeen && nearby && isPoint(nearby.position) && this.thingsHere.some(thing => thing.id === nearby.id);
		for (const node of [this.device, this.accuracy]) show(node, isSeen);
		show(this.line, hasLine);
		if (!isSeen) return;
		const [x, y] = this.at(motion.position);
		const transform = "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ")";
		set(this.device, { transform });
		const metres = device.accuracy_m > 0 ? device.accuracy_m : 0;
		set(this.accuracy, { transform, r: Math.min(metres * this.unit * this.zoom.scale, 4000).toFixed(1) });
		show(this.cone, motion.angle !== null);
		set(this.cone, { transform: "rotate(" + (motion.angle - northOf(model.environment)).toFixed(1) + ")" });
		if (!hasLine) return;
		const [x2, y2] = this.at(nearby.position);
		set(this.line, { x1: x.toFixed(1), y1: y.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1) });
	}

	// Taps

	/** A mark is chosen; where several are together, the map comes closer. */
	pick(node) {
		const one = this.marks.shown.find(shown => shown.node === node);
		if (!one) return;
		if (one.places.length < 2) { this.app.select(one.thing.id); return; }
		const flat = one.places.map(place => this.pictured(place.thing.position));
		const range = axis => [Math.min, Math.max].map(best => best(...flat.map(point => point[axis])));
		const [[left, right], [top, bottom]] = [range(0), range(1)];
		this.zoom.isFree = true;
		this.zoom.go(this.zoom.around({ x: left, y: top, width: right - left + this.unit, height: bottom - top + this.unit }, this.zoom.largest),
			!this.app.motion.isReduced);
	}

	tap(event) {
		if (this.zoom.wasDragged || !this.plan) return;
		const box = this.svg.getBoundingClientRect();
		const [x, y] = [event.clientX - box.left, event.clientY - box.top];
		const away = one => Math.hypot(one.x - x, one.y - y);
		const best = this.marks.shown.reduce((a, b) => (a && away(a) <= away(b) ? a : b), null);
		const isOn = limit => best && away(best) <= limit;
		if (isOn(Math.max(TOUCH, this.marks.radius + 6))) { this.pick(best.node); return; }
		const room = this.zonePlaces.filter(({ box: one }) => x >= one.x && x <= one.x + one.width && y >= one.y && y <= one.y + one.height).pop();
		const aim = room && this.aim(rectangle(room.zone.perimeter));
		if (aim && aim[0] > this.zoom.scale * 1.15) {
			const { zone } = this.app.model;
			this.isFollowing = Boolean(zone) && zone.id === room.zone.id;
			this.zoom.isFree = !this.isFollowing;
			this.zoom.go(aim, !this.app.motion.isReduced);
		} else if (isOn(REACH)) this.pick(best.node);
	}
}

/** The light of the device's view, fading out. */
function coneFill() {
	const stop = (offset, opacity) => shape("stop", { class: "cone-stop", offset, "stop-opacity": opacity });
	return shape("radialGradient", { id: "view", gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r: 42 }, stop(0.2, 0.85), stop(1, 0.05));
}
