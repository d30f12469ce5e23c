// The things on the map: a mark each, as large as there is room, or one with a number where they would lie on each other.

import { arrange, reuse, set, setText, shape, show } from "./dom.js";
import { look } from "./appearance.js";
import { say } from "./text.js";
import { mark } from "./compass-view.js";
import { outline } from "./icons.js";

const SMALLEST = 5;
const LARGEST = 14;
// From this radius on a mark has a picture.
const WITH_PICTURE = 9.5;
const MOST_GLOWS = 64;

export class MapMarks {
	constructor() {
		this.nodes = new Map();
		this.glowNodes = new Map();
		this.gradients = new Map();
		this.defs = shape("defs");
		this.glows = shape("g", { "aria-hidden": "true" });
		this.node = shape("g");
		this.radius = LARGEST;
		this.groups = [];
	}

	/** Finds how large marks may be, and which ones would lie on each other, for things with their places on the screen. */
	arrange(places, model, isClosest) {
		const near = places.map(place => places.reduce((best, other) =>
			(other === place ? best : Math.min(best, Math.hypot(other.x - place.x, other.y - place.y))), Infinity)).sort((a, b) => a - b);
		const usual = near.length > 1 ? near[Math.floor(near.length / 4)] : Infinity;
		this.radius = Math.min(Math.max(usual * 0.46, SMALLEST), LARGEST);
		const isAlone = ({ thing }) => model.isSelected(thing) || model.isNearby(thing);
		const groups = places.filter(place => isClosest || !isAlone(place)).map(place => ({ places: [place], x: place.x, y: place.y }));
		this.groups = this.join(groups, isClosest).concat(isClosest ? [] : places.filter(isAlone).map(place => ({ places: [place] })));
		if (isClosest) this.spread();
	}

	/** Joins what would touch, until nothing does. */
	join(groups, isClosest) {
		const reach = group => (group.places.length > 1 && !isClosest ? this.groupRadius : this.radius) + 0.5;
		let joined = groups;
		for (let isDone = false; !isDone;) {
			isDone = true;
			const next = [];
			for (const group of joined) {
				const other = next.find(one => Math.hypot(one.x - group.x, one.y - group.y) < reach(one) + reach(group));
				if (!other) { next.push(group); continue; }
				isDone = false;
				other.places = other.places.concat(group.places);
				for (const axis of ["x", "y"]) other[axis] = other.places.reduce((sum, place) => sum + place[axis], 0) / other.places.length;
			}
			joined = next;
		}
		return joined;
	}

	get groupRadius() { return Math.max(this.radius * 1.25, 9); }

	/** Where nothing comes closer, those of a group stand around their place. */
	spread() {
		this.groups = [].concat(...this.groups.map(({ places }) => places.map((place, index) => {
			const reach = places.length > 1 ? Math.max(this.radius * 1.15, this.radius * 2.3 * places.length / (2 * Math.PI)) : 0;
			const angle = index / places.length * 2 * Math.PI;
			return { places: [place], shift: [Math.sin(angle) * reach, -Math.cos(angle) * reach] };
		})));
	}

	/** Draws the marks where they are now; `at` is a point of the plan on the screen. */
	draw(at, model, profiles) {
		const keys = this.groups.map(group => group.places[0].thing.id + (group.places.length > 1 ? " +" : ""));
		const nodes = reuse(this.nodes, keys, key => this.makeNode(key));
		this.shown = this.groups.map((group, index) => {
			for (const place of group.places) place.thing = model.things.get(place.thing.id) || place.thing;
			const points = group.places.map(place => at(place.thing.position));
			const middle = axis => points.reduce((sum, point) => sum + point[axis], 0) / points.length + (group.shift ? group.shift[axis] : 0);
			const one = { x: middle(0), y: middle(1), node: nodes[index], places: group.places, thing: group.places[0].thing, r: this.radius };
			if (points.length > 1) this.drawGroup(one);
			else this.drawThing(one, model, profiles);
			set(one.node, { transform: "translate(" + one.x.toFixed(1) + " " + one.y.toFixed(1) + ")" });
			return one;
		});
		arrange(this.node, nodes);
		this.drawGlows(profiles);
	}

	makeNode(key) {
		if (/ \+$/.test(key)) return shape("g", { class: "mark many", role: "button", "data-id": key },
			shape("circle", { class: "halo" }), shape("circle"), shape("text", { class: "count", dy: ".36em" }));
		return shape("g", { class: "mark", role: "button", "data-id": key },
			shape("circle", { class: "halo" }), shape("circle"), shape("path", { class: "picture" }));
	}

	drawThing(one, model, profiles) {
		const { node, thing, r } = one;
		mark(node, thing, model, profiles);
		set(node.children[0], { r: r * 1.45 });
		set(node.children[1], { r });
		const hasPicture = r >= WITH_PICTURE;
		const picture = node.children[2];
		show(picture, hasPicture);
		if (hasPicture) set(picture, { d: outline(look(profiles, thing).kind),
			transform: "scale(" + (r / 17).toFixed(2) + ") translate(-12 -12)" });
	}

	drawGroup(one) {
		const { node, places } = one;
		const r = one.r = this.groupRadius;
		set(node.children[0], { r: r * 1.3 });
		set(node.children[1], { r });
		setText(node.children[2], places.length);
		set(node, { "aria-label": places.length + " " + say("things") });
	}

	/** The light of what is lit, below all marks. */
	drawGlows(profiles) {
		const lit = [];
		for (const { x, y, places } of this.shown) for (const { thing } of places) {
			const seen = look(profiles, thing);
			if (seen.isLit && seen.kind === "light") lit.push({ thing, x, y, colour: seen.colour });
		}
		const nodes = reuse(this.glowNodes, lit.map(one => one.thing.id), () => shape("circle"));
		lit.forEach(({ thing, x, y, colour }, index) => {
			const level = Number.isFinite(thing.brightness) ? thing.brightness / 255 : 1;
			const r = this.radius * (1.2 + 3.4 * level);
			set(nodes[index], { cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1), fill: "url(#" + this.gradient(colour) + ")" });
		});
		arrange(this.glows, nodes);
	}

	gradient(colour) {
		if (!this.gradients.has(colour)) {
			if (this.gradients.size >= MOST_GLOWS) {
				this.gradients.clear();
				arrange(this.defs, []);
			}
			const id = "glow-" + this.gradients.size;
			const stop = (offset, opacity) => {
				const node = shape("stop", { offset, "stop-opacity": opacity });
				node.style.setProperty("stop-color", colour);
				return node;
			};
			this.defs.appendChild(shape("radialGradient", { id }, stop(0.15, 0.75), stop(0.5, 0.3), stop(1, 0)));
			this.gradients.set(colour, id);
		}
		return this.gradients.get(colour);
	}
}
