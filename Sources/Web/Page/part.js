// A screen or a control on the page, ours or one of the configuration's own: what goes wrong in it stays in it.

import { element } from "./dom.js";

const LOAD_TIME = 5000;
const MOST_MESSAGES = 20;

const modules = new Map();
let messages = 0;

/** Says in the console what a part did wrong; not without end. */
function complain(name, what, error) {
	messages += 1;
	if (messages > MOST_MESSAGES) return;
	console.error(name + " failed in " + what + "; the generic one is shown instead.", error);
}

/** The class of an own module, from the folder of the configuration. */
function load(name) {
	if (!modules.has(name)) modules.set(name, new Promise((resolve, reject) => {
		setTimeout(() => reject(new Error("not loaded within " + LOAD_TIME / 1000 + " s")), LOAD_TIME);
		import(new URL("kiosk/modules/" + name + ".js", document.baseURI).href).then(module => {
			if (typeof module.default === "function") resolve(module.default);
			else reject(new Error("the module has no default class"));
		}, reject);
	}).catch(error => {
		// The next one that needs it may have more luck.
		modules.delete(name);
		throw error;
	}));
	return modules.get(name);
}

/** Has mount, update and unmount, as what it holds; none of them throws. */
export class Part {
	/**
	 * `find(name)` has a class of this page or nothing, `isModule(name)` tells whether there is a module of that name,
	 * `make(Class)` makes what is shown, `fallback()` has the Part that takes its place, or nothing.
	 */
	constructor(name, { find, isModule, make, fallback }) {
		this.name = name;
		this.find = find;
		this.isModule = isModule;
		this.make = make;
		this.fallback = fallback;
	}

	mount(parent) {
		this.parent = parent;
		const own = this.find(this.name);
		if (own) { this.begin(own); return; }
		if (!this.isModule(this.name)) { this.replace(); return; }
		load(this.name).then(Class => { if (this.parent) this.begin(Class); }, error => {
			if (this.parent) this.fail("import", error);
		});
	}

	begin(Class) {
		// What is thrown away may still draw into its element; nobody sees it.
		this.area = element("div", { class: "part" });
		this.parent.appendChild(this.area);
		if (!this.attempt("constructor", () => { this.content = this.make(Class); })) return;
		if (!this.attempt("mount", () => this.content.mount(this.area))) return;
		this.isMounted = true;
		if (this.state) this.update(this.state);
	}

	update(state) {
		this.state = state;
		if (this.isMounted) this.attempt("update", () => this.content.update(state));
		else if (this.other) this.other.update(state);
	}

	unmount() {
		const parent = this.parent;
		this.parent = null;
		if (this.other) this.other.unmount();
		else if (this.isMounted) {
			this.isMounted = false;
			this.attempt("unmount", () => this.content.unmount());
		}
		if (this.area && this.area.parentNode === parent) parent.removeChild(this.area);
	}

	attempt(what, act) {
		try {
			const result = act();
			// Methods may be asynchronous.
			if (result && typeof result.then === "function") result.then(null, error => this.fail(what, error));
			return true;
		} catch (error) {
			this.fail(what, error);
			return false;
		}
	}

	fail(what, error) {
		complain(this.name, what, error);
		if (!this.parent || this.other) return;
		if (this.isMounted) {
			this.isMounted = false;
			try { this.content.unmount(); } catch (other) { /* known to be broken */ }
		}
		this.replace();
	}

	replace() {
		if (this.area && this.area.parentNode) this.area.parentNode.removeChild(this.area);
		this.area = null;
		this.other = this.fallback();
		if (!this.other) return;
		this.other.mount(this.parent);
		if (this.state) this.other.update(this.state);
	}
}
