// Pointer events for browsers that have none (Safari before 13), as far as this page uses them.

// So long after a finger, the mouse is one that the browser makes of it.
const TOUCH_TIME = 1000;
const MOUSE = -1;

function tell(type, source, id, origin) {
	const event = new CustomEvent(type, { bubbles: true, cancelable: true });
	Object.assign(event, {
		pointerId: id, isPrimary: origin.isPrimary, button: origin.button || 0, clientX: source.clientX, clientY: source.clientY
	});
	(source.target.dispatchEvent ? source.target : window).dispatchEvent(event);
	return event;
}

export function watchTouches() {
	let first = null;
	let lastTouch = -Infinity;
	const onTouch = type => event => {
		lastTouch = Date.now();
		for (const touch of Array.from(event.changedTouches)) {
			if (first === null && type === "pointerdown") first = touch.identifier;
			const made = tell(type, touch, touch.identifier, { isPrimary: touch.identifier === first });
			// What moves the map does not also scroll or zoom the page.
			const isTaken = made.isTaken || (event.touches.length > 1 && touch.target.closest && touch.target.closest(".plan"));
			if (type === "pointermove" && isTaken && event.cancelable) event.preventDefault();
			if (touch.identifier === first && (type === "pointerup" || type === "pointercancel")) first = null;
		}
	};
	const onMouse = type => event => {
		if (Date.now() - lastTouch > TOUCH_TIME) tell(type, event, MOUSE, { isPrimary: true, button: event.button });
	};
	const names = { touchstart: "pointerdown", touchmove: "pointermove", touchend: "pointerup", touchcancel: "pointercancel" };
	for (const name of Object.keys(names)) document.addEventListener(name, onTouch(names[name]), { passive: false, capture: true });
	for (const [name, type] of [["mousedown", "pointerdown"], ["mousemove", "pointermove"], ["mouseup", "pointerup"]]) {
		document.addEventListener(name, onMouse(type), true);
	}
}
