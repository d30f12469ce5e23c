// The main control of a thing: its switch, or what its kind has in the place of one. Roomy with what moves it, too.

import { arrange, element, show } from "./dom.js";
import { controlsKey, makeControls } from "./thing-controls.js";

export class QuickControl {
	constructor(app, isRoomy) {
		this.app = app;
		this.isRoomy = isRoomy;
		this.node = element("div", { class: isRoomy ? "quick roomy" : "quick" });
	}

	update(thing) {
		const { profiles, model } = this.app;
		const isProfiled = Boolean(thing && profiles.of(thing));
		// What is near is known before all that there is.
		const isOffered = thing && !thing.isSeenOnly && (!thing.settable || thing.settable.length || (thing.actions || []).length);
		const key = isOffered && model.things.has(thing.id) ? controlsKey(thing) + (isProfiled ? thing.profile + profiles.language : "") : "";
		if (key !== this.key) {
			this.key = key;
			this.change([]);
			if (key && isProfiled) this.load(thing, key);
			else if (key) this.change(makeControls(this.app, thing, this.isRoomy ? "main" : "switch"));
		}
		this.thing = thing;
		for (const control of this.controls) control.update(thing);
	}

	/** The controls of kinds of things are other files. */
	load(thing, key) {
		import("./device-controls.js").then(file => {
			if (this.key !== key) return;
			this.change([file.makeQuickControl(this.app, thing, this.isRoomy)]);
			for (const control of this.controls) control.update(this.thing);
		}, () => { this.key = null; });
	}

	change(controls) {
		for (const control of this.controls || []) if (control.unmount) control.unmount();
		this.controls = controls;
		arrange(this.node, []);
		arrange(this.node, controls.map(control => control.node));
		show(this.node, controls.length);
	}
}
