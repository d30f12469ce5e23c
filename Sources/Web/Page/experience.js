// The page with the screens, the menu and the colours of a configuration.

import { button, element, set, setText, show } from "./dom.js";
import { dress, Palette } from "./colours.js";
import { Drawer } from "./drawer.js";
import { Display } from "./display.js";
import { Host } from "./host.js";
import { german } from "./german.js";
import { icon } from "./icons.js";
import { lastPart, Profiles } from "./profiles.js";
import { needStyles } from "./styles.js";
import { ownLanguage, word } from "./own-words.js";
import { Part } from "./part.js";
import { SCREENS } from "./screens.js";
import { say, speak } from "./text.js";

const MOST_PLACES = 30;
// A short interruption is not worth a word.
const GRACE = 700;

const byID = id => document.getElementById(id);

/** The page of the configuration, which the page without one becomes. */
const configured = App => class extends App {
	become() {
		const { experience } = this;
		this.isBegun = true;
		// A display that is gone loses its place; without a stream it is gone soon enough.
		this.presence.last = "hidden";
		this.profiles = new Profiles(experience);
		this.palette = new Palette(experience.userExperience.colors);
		this.display = new Display(this.displayID, experience, this.profiles, this.commands, this.model, isStep => this.change(isStep));
		this.kit = {
			app: this, model: this.model, commands: this.commands, profiles: this.profiles, palette: this.palette,
			display: this.display, isReduced: () => this.motion.isReduced, screen: name => this.display.screens.get(name),
			createScreen: (name, thing) => this.makePart(name, thing)
		};
		this.host = new Host(this.kit);
		this.borrowed = new Map();
		this.scrolled = new Map();
		for (const id of ["top", "tabs", "reason"]) show(byID(id), false);
		document.body.classList.remove("placeless");
		show(byID("placeless"), false);
		this.build();
		this.view = null;
		this.renewViews();
		this.drawBar();
		// What it has heard until now.
		if (this.model.state) this.setLanguage(this.model.state.lifecycle);
		if (this.screen) this.display.hear(this.screen);
		if (this.model.isLoaded) this.mountScreen();
	}

	build() {
		this.area = element("div", { id: "screen" });
		// Screens are not swiped from one to the other.
		this.area.addEventListener("pointerdown", event => event.stopPropagation());
		byID("views").appendChild(this.area);
		this.heading = element("h1", { class: "key", tabindex: -1 });
		this.backButton = button({ class: "button tool" }, () => this.display.back(), icon("back"));
		this.bar = element("header", { id: "bar" });
		this.drawer = new Drawer(this.display, this.host, [this.bar, byID("views")]);
		for (const node of [this.drawer.opener, this.backButton, this.heading]) this.bar.appendChild(node);
		document.body.insertBefore(this.bar, document.body.firstChild);
		document.body.appendChild(this.drawer.node);
		document.body.classList.add("configured");
	}

	// In the place of the views of the page without screens

	show(name) {
		const thing = name === "thing" && this.display && this.model.selected;
		if (!thing) return;
		const screen = this.display.detailScreen(this.profiles.of(thing));
		if (screen) this.display.push(screen, thing);
	}

	get keepsView() { return false; }

	/** The daemon keeps which screens lie on each other; the browser, for its back button, which ones have been seen. */
	write(address, isStep) {
		history[isStep ? "pushState" : "replaceState"]({ screens: this.display.stack }, "", address);
	}

	goTo(view, place) {
		const { screen } = this.display;
		// Nothing leads past the screen for signing in.
		if (screen && lastPart(screen.class) === "SignIn") return;
		if (place && Array.isArray(place.screens)) this.display.restore(place.screens);
	}

	/** Screens say themselves what is missing, but not that a device is. */
	drawEmpty() { if (this.devices) this.devices.tellMissing(); }

	key() { /* The keys 1 to 6 and the arrows belong to the views. */ }

	step() { /* as the keys */ }

	/** Puts the sections of a view into a screen's element. */
	lend(view, area) {
		const names = view === "overview" ? Object.keys(this.views) : [view];
		for (const name of names) {
			const section = byID(name);
			this.borrowed.set(section, view);
			area.appendChild(section);
		}
		this.activate(view);
		this.resize();
	}

	takeBack(view) {
		for (const [section, owner] of this.borrowed) {
			if (owner !== view) continue;
			this.borrowed.delete(section);
			byID("views").appendChild(section);
		}
		if (this.view === view) this.activate(null);
	}

	/** Makes the views anew, which write most of their words only once. */
	renewViews() {
		for (const name of Object.keys(this.views)) {
			const section = byID(name);
			const View = this.views[name].constructor;
			while (section.firstChild) section.removeChild(section.firstChild);
			set(section, { "aria-label": say(section.getAttribute("data-word")) });
			const view = this.views[name] = new View(this, section);
			if (view.stage && window.ResizeObserver) new ResizeObserver(() => this.resize()).observe(view.stage);
		}
		this.activate(this.view);
	}

	// Screens

	configOf(screen) {
		const { defaultConfig } = this.experience.userExperience;
		return Object.assign({}, defaultConfig, screen && (screen.config || screen.extras));
	}

	/** A screen, with the generic one in its place when it does not work. */
	makePart(name, thing) {
		const screen = this.display.screens.get(name);
		const found = thing ? this.display.find(thing) : null;
		const make = part => new Part(part, {
			find: one => SCREENS[one],
			isModule: one => this.profiles.modules.has(one),
			make: Class => new Class(new Host(this.kit, found ? found.id : thing),
				Object.assign(this.configOf(screen), { screen: name })),
			fallback: () => (part === "DeviceDetails" || part === "DeviceList" ? null : make(thing ? "DeviceDetails" : "DeviceList"))
		});
		return make(screen ? lastPart(screen.class) : "DeviceList");
	}

	/** Another screen is to be seen: by a step on this page, or as the daemon says. */
	change(isStep) {
		this.remember(isStep);
		if (!this.isShown) return;
		const { activeElement } = document;
		const hadFocus = activeElement === document.body || [this.area, this.bar].some(node => node.contains(activeElement));
		if (this.shownKey) this.scrolled.set(this.shownKey, this.frameOfScreen.scrollTop);
		if (this.scrolled.size > MOST_PLACES) this.scrolled.clear();
		this.mountScreen();
		if (hadFocus) this.heading.focus({ preventScroll: true });
		if (!this.motion.isReduced && this.area.animate) {
			this.area.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 150, easing: "ease-out" });
		}
	}

	mountScreen() {
		if (this.part) this.part.unmount();
		while (this.area.firstChild) this.area.removeChild(this.area.firstChild);
		const { current } = this.display;
		this.isShown = true;
		this.drawBar();
		this.frameOfScreen = element("div", { class: "screen" });
		set(this.area, { "data-screen": current.screen });
		this.area.appendChild(this.frameOfScreen);
		this.part = this.makePart(current.screen, current.thing);
		this.part.mount(this.frameOfScreen);
		this.part.update(this.stateNow());
		this.shownKey = JSON.stringify(this.display.stack);
		this.frameOfScreen.scrollTop = this.scrolled.get(this.shownKey) || 0;
	}

	/** What a screen is told. */
	stateNow() {
		const { model, display, profiles } = this;
		const asked = display.current.thing || null;
		return {
			things: model.here.things, thing: asked ? display.find(asked) : null, nearby: model.nearby, place: model.state || {},
			language: profiles.language, screen: display.current.screen, asked, isLoaded: model.isLoaded
		};
	}

	/** Title bar, menu and colours as the screen has them. */
	drawBar() {
		const { display, host } = this;
		const { screen } = display;
		const config = this.configOf(screen);
		const own = (screen && (screen.config || screen.extras)) || {};
		const isSignIn = Boolean(screen) && lastPart(screen.class) === "SignIn";
		const hasMenu = !isSignIn && config.disableDrawerMenu !== true && (display.user.drawerMenu || []).length > 0;
		const hasBack = display.stack.length > 1;
		const hasBar = config.wantsTitleBar !== false;
		const title = display.titleOf(screen);
		setText(this.heading, title);
		document.title = title === display.appName ? title : title + " – " + display.appName;
		show(this.drawer.opener, hasMenu);
		if (!hasMenu) this.drawer.close();
		show(this.backButton, hasBack);
		set(this.backButton, { "aria-label": host.word("back") });
		this.bar.classList.toggle("bare", !hasBar);
		document.body.classList.toggle("floating", !hasBar && (hasMenu || hasBack));
		this.drawer.update();
		const ground = own.windowBackgroundColor || own.windowBackground || config.windowBackgroundColor || config.windowBackground;
		dress(document.documentElement, this.palette.find(ground), this.palette.find(config.fontColor));
	}

	/** The language of the lifecycle; all that is ours is made anew in another one. */
	setLanguage(lifecycle) {
		const language = lifecycle && lifecycle.language;
		if (typeof language !== "string" || !language || language === this.profiles.language) return;
		this.profiles.language = language;
		speakIn(language);
		this.renewViews();
		if (this.isShown) this.change();
	}

	// What the daemon says

	onState(state) {
		super.onState(state);
		this.setLanguage(state.lifecycle);
	}

	onLists(...lists) {
		super.onLists(...lists);
		if (!this.isShown) this.mountScreen();
	}

	onChange(type, value) {
		if (type === "screen") { this.display.hear(value); return; }
		super.onChange(type, value);
		if (type === "lifecycle") this.setLanguage(value);
	}

	onLink(link) {
		if (link === this.link) return;
		this.link = link;
		clearTimeout(this.linkTimer);
		this.linkTimer = setTimeout(() => {
			setText(byID("link"), link === "up" ? "" : word(this.profiles.language, link));
			set(document.body, { "data-link": link });
		}, link === "up" ? 0 : GRACE);
	}

	draw(now) {
		const { isDirty } = this;
		super.draw(now);
		if (isDirty && this.part) this.part.update(this.stateNow());
	}
};

/** Lets the views speak a language. */
function speakIn(language) {
	speak(ownLanguage(language) === "de" ? german : text => text);
	// Numbers are written in the language of the page.
	set(document.documentElement, { lang: language || "en" });
}

/** Lets a page become that of the screens of its configuration. */
export async function start(App, app) {
	await needStyles();
	speakIn(app.experience.language);
	Object.setPrototypeOf(app, configured(App).prototype);
	app.become();
}
