// Many marks with one tab stop: up and down go from one to the next.

import { set } from "./dom.js";

export class Roving {
	/** With `onPick`, the return key and the space bar pick a mark that is no button by itself. */
	constructor(area, onPick) {
		this.nodes = [];
		this.onPick = onPick;
		area.addEventListener("keydown", event => this.key(event));
		area.addEventListener("focusin", event => {
			if (this.nodes.indexOf(event.target) >= 0) this.stop = event.target;
		});
	}

	/** The marks in order; the tab stop is the last one that had the focus, or else `first`. */
	update(nodes, first) {
		this.nodes = nodes;
		const stop = [this.stop, first, nodes[0]].find(node => node && nodes.indexOf(node) >= 0);
		for (const node of nodes) set(node, { tabindex: node === stop ? 0 : -1 });
	}

	key(event) {
		const index = this.nodes.indexOf(document.activeElement);
		if (index < 0) return;
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		const next = this.nodes[index + step];
		if (step && next) {
			set(next, { tabindex: 0 });
			set(this.nodes[index], { tabindex: -1 });
			next.focus();
		} else if (this.onPick && (event.key === "Enter" || event.key === " ")) this.onPick(next);
		else if (!step) return;
		event.preventDefault();
	}
}
