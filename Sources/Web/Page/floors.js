// The floors of a place, as the daemon counts them: what begins 2 m or more above the floor below is on another one.

const STOREY = 2;

const baseOf = zone => {
	const origin = zone && zone.perimeter && zone.perimeter.origin;
	return origin && Number.isFinite(origin.z) ? origin.z : 0;
};

export class Floors {
	constructor(zones) {
		this.heights = [];
		for (const base of zones.filter(zone => zone.perimeter).map(baseOf).sort((a, b) => a - b)) {
			const last = this.heights[this.heights.length - 1];
			if (last === undefined || base - last >= STOREY) this.heights.push(base);
		}
		// Floors are counted from the ground, which begins about where heights begin.
		this.ground = Math.max(0, this.heights.findIndex(height => height > -STOREY / 2));
	}

	get count() { return this.heights.length; }

	/** The floor of what is or begins at a height: the lowest one for all that is below. */
	at(height) {
		return Math.max(0, this.heights.filter(one => one <= height + 1e-6).length - 1);
	}

	of(zone) { return this.at(baseOf(zone)); }

	/** Of a thing: that of its zone, or of its height where its zone has no place. */
	ofThing(thing, zone) {
		return zone && zone.perimeter ? this.of(zone) : this.at((thing.position && thing.position.z) || 0);
	}

	/** The floor's number, 0 for the ground. */
	number(index) { return String(index - this.ground); }
}
