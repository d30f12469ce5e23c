// Zooming and moving a picture with fingers, wheel, keys and mouse.

const GLIDE = 400;

/** Scale and offset of a picture of a size; 1 and 0, 0 is the whole of it. */
export class Zoom {
	constructor(area, onChange) {
		this.area = area;
		this.onChange = onChange;
		this.scale = 1;
		this.largest = 12;
		// Whether a person has moved it.
		this.isFree = false;
		this.x = this.y = this.width = this.height = 0;
		this.pointers = new Map();
		area.addEventListener("pointerdown", event => this.down(event));
		window.addEventListener("pointermove", event => this.move(event), true);
		const end = event => this.pointers.delete(event.pointerId);
		for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, end, true);
		area.addEventListener("wheel", event => {
			event.preventDefault();
			const lines = event.deltaMode === 1 ? 16 : 1;
			this.by(Math.pow(1.0015, -event.deltaY * lines), event.clientX, event.clientY);
		}, { passive: false });
	}

	/** The scale and offset that show a box of the whole picture with some margin, not larger than `most`. */
	around(box, most) {
		const scale = Math.min(Math.max(Math.min(this.width * 0.86 / box.width, this.height * 0.86 / box.height), 1), most, this.largest);
		return [scale, this.width / 2 - (box.x + box.width / 2) * scale, this.height / 2 - (box.y + box.height / 2) * scale];
	}

	/** Goes to a scale and offset, at once or on a way that can be seen. */
	go(to, isSeen) {
		cancelAnimationFrame(this.gliding);
		if (!isSeen || !this.width) { this.set(...to); return; }
		const from = [this.scale, this.x, this.y];
		const began = performance.now();
		const step = now => {
			const t = Math.min(Math.max((now - began) / GLIDE, 0), 1);
			const share = t * (2 - t);
			if (t < 1) this.gliding = requestAnimationFrame(step);
			this.set(...from.map((start, index) => start + (to[index] - start) * share));
		};
		this.gliding = requestAnimationFrame(step);
	}

	resize(width, height) {
		this.width = width;
		this.height = height;
		this.set(this.scale, this.x, this.y);
	}

	/** Zooms around a point of the screen, or around the middle. */
	by(factor, clientX, clientY) {
		const box = this.area.getBoundingClientRect();
		const x = clientX === undefined ? this.width / 2 : clientX - box.left;
		const y = clientY === undefined ? this.height / 2 : clientY - box.top;
		const scale = Math.min(Math.max(this.scale * factor, 1), this.largest);
		const ratio = scale / this.scale;
		cancelAnimationFrame(this.gliding);
		this.isFree = true;
		this.set(scale, x - (x - this.x) * ratio, y - (y - this.y) * ratio);
	}

	set(scale, x, y) {
		// The picture never leaves the area.
		const bound = (value, size) => Math.min(Math.max(value, size * (1 - scale)), 0);
		const next = [scale, bound(x, this.width), bound(y, this.height)];
		if (next[0] === this.scale && next[1] === this.x && next[2] === this.y) return;
		[this.scale, this.x, this.y] = next;
		this.onChange();
	}

	down(event) {
		if (event.button !== 0) return;
		if (!this.pointers.size) this.wasDragged = false;
		if (this.pointers.size < 2) this.pointers.set(event.pointerId, event);
	}

	/** The fingers' middle, and how far they are apart. */
	grip() {
		const fingers = Array.from(this.pointers.values());
		const a = fingers[0];
		const b = fingers[1] || a;
		return { x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2,
			span: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) };
	}

	move(event) {
		if (!this.pointers.has(event.pointerId)) return;
		// With one finger on the whole picture there is nothing to move: that may be a swipe.
		if (this.pointers.size < 2 && this.scale === 1) return;
		const before = this.grip();
		const old = this.pointers.get(event.pointerId);
		if (!this.wasDragged && Math.hypot(event.clientX - old.clientX, event.clientY - old.clientY) < 4) return;
		this.pointers.set(event.pointerId, event);
		const after = this.grip();
		this.wasDragged = event.isTaken = this.isFree = true;
		cancelAnimationFrame(this.gliding);
		this.set(this.scale, this.x + after.x - before.x, this.y + after.y - before.y);
		if (before.span && after.span) this.by(after.span / before.span, after.x, after.y);
	}
}
