// The device's position and heading as they are drawn, on their way to what the daemon says.

import { isPoint, turn, positive } from "./geometry.js";

const DURATION = 500;
// A frame of the daemon is a step of its own 0.5 s, and is smoothed only until the next one.
const FRAME_DURATION = 60;
// So long after the last frame, the state's own values count again.
const FRAMES_REST = 250;

export class Motion {
	constructor(onGoal) {
		this.position = null;
		this.angle = null;
		this.onGoal = onGoal;
		this.track = null;
		this.lastFrame = -Infinity;
		this.query = window.matchMedia("(prefers-reduced-motion: reduce)");
	}

	get isReduced() { return this.query.matches; }

	/** The state's position and angle: where the device is going. */
	setGoal(position, angle) {
		clearTimeout(this.timer);
		const goal = { position: isPoint(position) ? position : null, angle: Number.isFinite(angle) ? angle : null };
		const rest = this.lastFrame + FRAMES_REST - performance.now();
		if (rest > 0 && goal.position && this.position) {
			// The frames are leading there already.
			this.timer = setTimeout(() => this.setGoal(position, angle), rest + 20);
		} else {
			this.start(goal, DURATION);
		}
	}

	/** One of the daemon's animation frames. */
	setFrame(frame) {
		if (this.isReduced) return;
		this.lastFrame = performance.now();
		this.start({
			position: isPoint(frame.position) ? frame.position : this.goal("position"),
			angle: Number.isFinite(frame.angle) ? frame.angle : this.goal("angle")
		}, FRAME_DURATION);
	}

	/** Without any way between, as when another place is loaded. */
	jump(position, angle) {
		clearTimeout(this.timer);
		this.track = null;
		this.position = isPoint(position) ? position : null;
		this.angle = Number.isFinite(angle) ? positive(angle) : null;
		this.onGoal();
	}

	goal(key) { return this.track ? this.track.to[key] : this[key]; }

	start(to, duration) {
		if (this.isReduced || document.hidden) { this.jump(to.position, to.angle); return; }
		const known = this.track ? this.track.to : this;
		if (same(known.position, to.position) && known.angle === to.angle) return;
		this.track = {
			from: { position: this.position || to.position, angle: this.angle === null ? to.angle : this.angle },
			to, duration, began: performance.now()
		};
		this.onGoal();
	}

	/** Moves on to a moment. Returns whether anything is still moving. */
	step(now) {
		const track = this.track;
		if (!track) return false;
		const t = Math.min(Math.max((now - track.began) / track.duration, 0), 1);
		const share = track.duration > FRAME_DURATION ? t * (2 - t) : t;
		const { from, to } = track;
		const way = axis => {
			const start = from.position[axis] || 0;
			return start + ((to.position[axis] || 0) - start) * share;
		};
		this.position = to.position && { x: way("x"), y: way("y"), z: way("z") };
		this.angle = to.angle === null ? null : positive(from.angle + turn(from.angle, to.angle) * share);
		if (t >= 1) this.track = null;
		return t < 1;
	}
}

function same(a, b) {
	return a === b || Boolean(a && b && a.x === b.x && a.y === b.y && (a.z || 0) === (b.z || 0));
}
