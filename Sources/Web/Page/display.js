// Which screens lie on each other on this display. The daemon keeps them; the page draws its own steps at once.

import { post } from "./feed.js";
import { lastPart } from "./profiles.js";
import { words } from "./text.js";
import { word } from "./own-words.js";

// So long after an own step, what the daemon says may still be older than that.
const SETTLE_TIME = 1000;
const MOST_SCREENS = 20;

const isSame = (a, b) => a.length === b.length && a.every((entry, index) =>
	entry.screen === b[index].screen && (entry.thing || null) === (b[index].thing || null));

export class Display {
	/** `onChange` is called when another screen is to be shown, with true after a step on this page. */
	constructor(id, experience, profiles, commands, model, onChange) {
		const user = experience.userExperience;
		this.path = "api/display/" + encodeURIComponent(id) + "/screen";
		this.experience = experience;
		this.user = user;
		this.profiles = profiles;
		this.commands = commands;
		this.model = model;
		this.onChange = onChange;
		this.screens = new Map((user.screens || []).map(screen => [screen.name, screen]));
		this.stack = [{ screen: user.homeScreen }];
		this.told = null;
		this.pending = 0;
	}

	has(name) { return this.screens.has(name); }

	get current() { return this.stack[this.stack.length - 1]; }

	get screen() { return this.screens.get(this.current.screen) || null; }

	/** The screen behind a tap on a thing: that of its profile, else the first one for details. */
	detailScreen(profile) {
		if (profile && this.has(profile.detailScreen)) return profile.detailScreen;
		const found = Array.from(this.screens.values()).find(screen => lastPart(screen.class) === "DeviceDetails");
		return found ? found.name : null;
	}

	/** The application's name in the language of now. */
	get appName() {
		const name = this.profiles.string("app_name");
		return name === "app_name" ? this.experience.name || "Trilateral" : name;
	}

	/** A screen's title; without one, the application's name or what the screen is. */
	titleOf(screen, isApp) {
		if (screen && screen.title) return this.profiles.string(screen.title);
		if (isApp || !screen) return this.appName;
		const part = lastPart(screen.class);
		return word(this.profiles.language, part === "DeviceDetails" ? "details" : part) || words(screen.name);
	}

	find(thing) {
		if (!thing) return null;
		if (typeof thing === "object") return thing;
		return this.model.things.get(thing) || Array.from(this.model.things.values()).find(one => one.slug === thing) || null;
	}

	push(screen, thing) {
		const found = this.find(thing);
		const slug = found ? found.slug || found.id : thing ? String(thing) : null;
		const entry = slug ? { screen, thing: slug } : { screen };
		if (isSame([this.current], [entry])) return true;
		const next = this.has(screen) ? this.stack.concat(entry) : this.stack;
		// The home screen stays, as it does in the daemon.
		if (next.length > MOST_SCREENS) next.splice(1, 1);
		return this.go(next, [Object.assign({ call: "pushScreen" }, entry)]);
	}

	back() {
		return this.stack.length > 1 ? this.go(this.stack.slice(0, -1), [{ call: "back" }]) : this.home();
	}

	home() {
		return this.go([{ screen: this.user.homeScreen }], [{ call: "navigateHome" }]);
	}

	/** A screen of the menu: the home screen, or one that lies on it alone. */
	open(screen) {
		if (screen === this.user.homeScreen) return this.stack.length > 1 || this.current.screen !== screen ? this.home() : true;
		const next = [{ screen: this.user.homeScreen }, { screen }];
		if (isSame(next, this.stack)) return true;
		const isHome = this.stack.length === 1 && this.current.screen === this.user.homeScreen;
		const push = { call: "pushScreen", screen };
		return this.go(next, isHome ? [push] : [{ call: "navigateHome" }, push]);
	}

	/** Screens that have been shown before. */
	restore(stack) {
		const known = stack.filter((entry, index) => index > 0 && entry && this.has(entry.screen)).slice(0, MOST_SCREENS - 1);
		const next = [{ screen: this.user.homeScreen }].concat(known);
		if (isSame(next, this.stack)) return true;
		const isBelow = next.length < this.stack.length && isSame(next, this.stack.slice(0, next.length));
		const calls = isBelow ? this.stack.slice(next.length).map(() => ({ call: "back" }))
			: [{ call: "navigateHome" }].concat(known.map(entry => Object.assign({ call: "pushScreen" }, entry)));
		return this.go(next, calls);
	}

	/** A call whose effect only the daemon knows. */
	call(body) { return this.go(this.stack, [body]); }

	/** Shows what calls lead to, and makes them. Tells whether they were done; if not, all is as the daemon says. */
	async go(stack, calls) {
		this.pending += 1;
		clearTimeout(this.timer);
		this.show(stack, true);
		let isDone = true;
		for (const body of calls) isDone = isDone && await this.commands.send(this.path, body);
		this.pending -= 1;
		if (!this.pending) {
			clearTimeout(this.timer);
			if (isDone) this.timer = setTimeout(() => this.settle(), SETTLE_TIME);
			else this.settle();
		}
		return isDone;
	}

	settle() {
		this.timer = 0;
		if (this.told) this.show(this.told);
	}

	/** What the daemon says. */
	hear(value) {
		if (!value || !Array.isArray(value.stack) || !value.stack.length) return;
		this.told = value.stack.filter(entry => entry && typeof entry.screen === "string");
		if (!this.told.length) this.told = null;
		else if (!this.pending && (!this.timer || isSame(this.told, this.stack))) this.settle();
	}

	show(stack, isStep) {
		if (isSame(stack, this.stack)) return;
		this.stack = stack;
		this.onChange(isStep);
	}
}

/** Tells the lifecycle that the menu is open or closed; that it could not be told is no news. */
export function tellContext(value) {
	post("api/lifecycle/context/set", { value }).catch(() => { /* the next one may be heard */ });
}
