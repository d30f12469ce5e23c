// Swiping from view to view, with a finger, a pen or a mouse.

const START = 12;
const ENOUGH = 60;

/** Calls `onSwipe` with 1 (to the next view) or -1, and `onMove` with the finger's way meanwhile. */
export function watchSwipes(area, onSwipe, onMove) {
	let start = null;
	let isSwiping = false;

	const finish = () => {
		if (isSwiping) onMove(0);
		start = null;
		isSwiping = false;
	};

	area.addEventListener("pointerdown", event => {
		finish();
		if (!event.isPrimary || event.button !== 0) return;
		if (event.target.closest("input, select, textarea")) return;
		start = { id: event.pointerId, x: event.clientX, y: event.clientY };
	});
	window.addEventListener("pointermove", event => {
		if (!start || event.pointerId !== start.id) {
			// A second finger: this is something else.
			if (start && event.pointerType === "touch" && event.buttons) finish();
			return;
		}
		if (event.isTaken) { finish(); return; }
		const dx = event.clientX - start.x;
		const dy = event.clientY - start.y;
		if (!isSwiping) {
			if (Math.abs(dy) > START && Math.abs(dy) > Math.abs(dx)) { finish(); return; }
			if (Math.abs(dx) < START || Math.abs(dx) < 1.5 * Math.abs(dy)) return;
			isSwiping = true;
		}
		onMove(dx);
	});
	window.addEventListener("pointerup", event => {
		if (!start || event.pointerId !== start.id) return;
		const dx = event.clientX - start.x;
		const wasSwiping = isSwiping;
		finish();
		if (!wasSwiping) return;
		ignoreClick(area);
		if (Math.abs(dx) >= ENOUGH) onSwipe(dx < 0 ? 1 : -1);
	});
	window.addEventListener("pointercancel", finish);
}

/** The click that follows a swipe is none. */
function ignoreClick(area) {
	const stop = event => { event.stopPropagation(); event.preventDefault(); };
	area.addEventListener("click", stop, true);
	setTimeout(() => area.removeEventListener("click", stop, true), 0);
}
