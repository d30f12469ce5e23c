// Swiping from view to view, with a finger, a pen or a mouse.

const START = 12;
const ENOUGH = 60;

/** Calls `onSwipe` with 1 (to the next view) or -1; meanwhile the area follows the finger. */
export function watchSwipes(area, onSwipe) {
	let start = null;
	let isSwiping = false;
	const move = way => { area.style.transform = way ? "translateX(" + Math.round(way / 3) + "px)" : ""; };
	const finish = () => {
		if (isSwiping) move(0);
		start = null;
		isSwiping = false;
	};
	area.addEventListener("pointerdown", event => {
		// A second finger means something else.
		finish();
		if (event.isPrimary && event.button === 0 && !event.target.closest("input")) start = event;
	});
	window.addEventListener("pointermove", event => {
		if (!start || event.pointerId !== start.pointerId) return;
		const dx = event.clientX - start.clientX;
		const dy = event.clientY - start.clientY;
		if (!isSwiping) {
			if (event.isTaken || (Math.abs(dy) > START && Math.abs(dy) > Math.abs(dx))) { finish(); return; }
			if (Math.abs(dx) < START || Math.abs(dx) < 1.5 * Math.abs(dy)) return;
			isSwiping = true;
		}
		move(dx);
	});
	window.addEventListener("pointerup", event => {
		if (!isSwiping || event.pointerId !== start.pointerId) { finish(); return; }
		const dx = event.clientX - start.clientX;
		finish();
		// The click that follows a swipe is none.
		const stop = click => { click.stopPropagation(); click.preventDefault(); };
		area.addEventListener("click", stop, true);
		setTimeout(() => area.removeEventListener("click", stop, true), 0);
		if (Math.abs(dx) >= ENOUGH) onSwipe(dx < 0 ? 1 : -1);
	});
	window.addEventListener("pointercancel", finish);
}
