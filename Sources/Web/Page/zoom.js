// Zooming and moving a picture with fingers, wheel, keys and mouse.

const LARGEST = 12;

/** Scale and offset of a picture of a size; 1 and 0, 0 is the whole of it. */
export class Zoom {
	constructor(area, onChange) {
		this.area = area;
		this.onChange = onChange;
		this.scale = 1;
		this.x = 0;
		this.y = 0;
		this.width = 1;
		this.height = 1;
		this.pointers = new Map();
		this.wasDragged = false;
		area.addEventListener("pointerdown", event => this.down(event));
		window.addEventListener("pointermove", event => this.move(event), true);
		const end = event => this.pointers.delete(event.pointerId);
		window.addEventListener("pointerup", end, true);
		window.addEventListener("pointercancel", end, true);
		area.addEventListener("wheel", event => {
			event.preventDefault();
			const lines = event.deltaMode === 1 ? 16 : 1;
			this.by(Math.pow(1.0015, -event.deltaY * lines), event.clientX, event.clientY);
		}, { passive: false });
	}

	reset() { this.set(1, 0, 0); }

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
		const scale = Math.min(Math.max(this.scale * factor, 1), LARGEST);
		const ratio = scale / this.scale;
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
		if (this.pointers.size < 2) this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
	}

	move(event) {
		const pointer = this.pointers.get(event.pointerId);
		if (!pointer) return;
		const before = { x: pointer.x, y: pointer.y };
		if (this.pointers.size === 2) {
			const [a, b] = Array.from(this.pointers.values());
			const span = Math.hypot(a.x - b.x, a.y - b.y);
			pointer.x = event.clientX;
			pointer.y = event.clientY;
			const spread = Math.hypot(a.x - b.x, a.y - b.y);
			if (span > 0 && spread > 0) this.by(spread / span, (a.x + b.x) / 2, (a.y + b.y) / 2);
			this.set(this.scale, this.x + (event.clientX - before.x) / 2, this.y + (event.clientY - before.y) / 2);
			this.wasDragged = true;
			event.isTaken = true;
		} else if (this.scale > 1) {
			if (Math.hypot(event.clientX - before.x, event.clientY - before.y) < 4 && !this.wasDragged) return;
			pointer.x = event.clientX;
			pointer.y = event.clientY;
			this.set(this.scale, this.x + event.clientX - before.x, this.y + event.clientY - before.y);
			this.wasDragged = true;
			event.isTaken = true;
		}
	}
}
