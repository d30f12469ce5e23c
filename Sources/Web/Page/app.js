// The page: puts views, model, motion and feed together.

import { Commands } from "./commands.js";
import { CompassView } from "./compass-view.js";
import { DeviceView } from "./device-view.js";
import { set, setText, show, wear } from "./dom.js";
import { drawPlaceless, Reason } from "./empty.js";
import { Feed, read } from "./feed.js";
import { german } from "./german.js";
import { ListView } from "./list-view.js";
import { MapView } from "./map-view.js";
import { Model } from "./model.js";
import { Motion } from "./motion.js";
import { Profiles } from "./profiles.js";
import { Presence } from "./screen.js";
import { Siblings } from "./siblings.js";
import { watchSwipes } from "./swipe.js";
import { capital, join, nameOf, say, speak } from "./text.js";
import { ThingView } from "./thing-view.js";

const VIEWS = { device: DeviceView, compass: CompassView, map: MapView, list: ListView, thing: ThingView };
const NAMES = Object.keys(VIEWS).concat("overview");
// The thing has its place in the view of the device.
const ALL = ["device", "compass", "map", "list"];
// A short interruption is not worth a word.
const GRACE = 700;
// The views wait so long for the configuration, which may have screens instead.
const HOLD = 2000;
const RETRY = 2000;
// Screens that begin with all views at once, as in style.css.
const LARGE = "(min-width: 1000px) and (min-height: 560px)";
const CLOCK = 30000;
const LINKS = {
	connecting: "Connecting…",
	lost: "No connection to Trilateral. Trying again…",
	full: "No live values: perhaps too many pages are open. Trying again…",
	up: ""
};

const byID = id => document.getElementById(id);

class App {
	constructor(query, display, siblings) {
		this.query = query;
		this.displayID = display;
		this.asked = query.get("thing");
		/** Where devices are, in a daemon with several; null in one with one. */
		this.devices = null;
		this.learn();
		this.translate();
		this.model = new Model();
		this.profiles = new Profiles({});
		this.motion = new Motion(() => this.schedule());
		this.commands = new Commands(display, byID("notices"));
		this.presence = new Presence(display, siblings.page);
		this.feed = new Feed(display, siblings, this);
		this.feed.start();
		this.reason = new Reason(this);
		this.views = {};
		for (const name of Object.keys(VIEWS)) this.views[name] = new VIEWS[name](this, byID(name));
		this.tabs = Array.from(byID("tabs").children);
		this.active = [];
		this.listen();
		this.onLink("connecting");
		this.redraw();
		setTimeout(() => this.begin(), HOLD);
	}

	/** The words that stand in the page itself, in the language of the browser. */
	translate() {
		if (/^de\b/i.test(navigator.language)) {
			speak(german);
			set(document.documentElement, { lang: "de" });
		}
		for (const node of document.querySelectorAll("main > section, #tabs")) {
			const word = node.getAttribute("aria-label");
			set(node, { "data-word": word, "aria-label": say(word) });
		}
		for (const node of document.querySelectorAll("#tabs span")) setText(node, say(node.textContent));
	}

	/** Asks what the configuration has of kinds of things, and of screens, for which the page is another one. */
	async learn() {
		try {
			const experience = await read("api/experience");
			const file = experience.userExperience && await import("./experience.js");
			this.experience = experience;
			this.profiles = new Profiles(experience);
			if (file) file.start(App, this);
			else this.begin();
			this.redraw();
		} catch (error) {
			setTimeout(() => this.learn(), RETRY * (0.75 + Math.random() / 2));
		}
	}

	begin() {
		if (this.isBegun) return;
		this.isBegun = true;
		for (const id of ["top", "tabs"]) show(byID(id), true);
		const view = this.query.get("view");
		this.show(NAMES.indexOf(view) >= 0 ? view : window.matchMedia(LARGE).matches ? "overview" : "device");
	}

	/** The browser has gone back or forth to where this page has been. */
	goBack(place) {
		const query = new URLSearchParams(location.search);
		const thing = this.model.named(query.get("thing"));
		this.model.selectedID = thing ? thing.id : null;
		this.isReturning = true;
		this.goTo(query.get("view"), place);
		this.isReturning = false;
		this.redraw();
	}

	goTo(view) { if (NAMES.indexOf(view) >= 0) this.show(view); }

	/** Keeps the view and the chosen thing in the address: for the back button, and for a page that is loaded anew. */
	remember(isStep) {
		if (this.isReturning) return;
		const thing = this.model.things.get(this.model.selectedID);
		try {
			const address = new URL(location.href);
			if (this.keepsView) address.searchParams.set("view", this.view);
			if (thing) address.searchParams.set("thing", thing.slug || thing.id);
			else if (!this.asked) address.searchParams.delete("thing");
			this.write(address.href, isStep);
		} catch (error) { /* not allowed in this frame */ }
	}

	get keepsView() { return Boolean(this.view); }

	write(address, isStep) {
		if (address !== location.href) history[isStep ? "pushState" : "replaceState"](null, "", address);
	}

	/** The moment that the values shown are of: times do not run on without the daemon. */
	get now() { return this.link === "lost" ? this.feed.lastHeard : Date.now(); }

	listen() {
		window.addEventListener("popstate", event => { if (this.isBegun) this.goBack(event.state); });
		for (const tab of this.tabs) tab.addEventListener("click", () => this.show(tab.dataset.view));
		document.addEventListener("keydown", event => this.key(event));
		watchSwipes(byID("views"), step => this.step(step));
		window.addEventListener("resize", () => this.resize());
		if (window.ResizeObserver) {
			const observer = new ResizeObserver(() => this.resize());
			for (const name of ["compass", "map"]) observer.observe(this.views[name].stage);
		}
		document.addEventListener("visibilitychange", () => this.redraw());
		setInterval(() => { if (!document.hidden) this.redraw(); }, CLOCK);
		// A page that is kept for going back to must not keep its stream: a browser has only a few connections.
		window.addEventListener("pagehide", () => this.feed.stop());
		window.addEventListener("pageshow", event => { if (event.persisted) this.feed.open(); });
	}

	show(name, step) {
		if (name === this.view || !this.isBegun) return;
		const isStep = Boolean(this.view);
		this.activate(name);
		document.title = say(capital(name)) + " – Trilateral";
		for (const tab of this.tabs) set(tab, { "aria-current": tab.dataset.view === name && "page" });
		this.remember(isStep);
		if (step && !this.motion.isReduced && document.body.animate) byID("views").animate(
			[{ transform: "translateX(" + step * 60 + "px)", opacity: 0 }, { transform: "none", opacity: 1 }],
			{ duration: 250, easing: "ease-out" });
		this.resize();
	}

	/** Shows one view, all of them, or none. */
	activate(name) {
		this.view = name;
		const isOverview = name === "overview";
		this.active = [];
		for (const one of Object.keys(this.views)) {
			const isShown = isOverview ? ALL.indexOf(one) >= 0 : one === name;
			show(byID(one), isShown);
			if (isShown) this.active.push(this.views[one]);
		}
		document.body.classList.toggle("overview", isOverview);
	}

	/** To the next or the previous view; to the overview only where it has its tab. */
	step(step) {
		const names = this.tabs.filter(tab => tab.offsetParent).map(tab => tab.dataset.view);
		if (names.length) this.show(names[(names.indexOf(this.view) + step + names.length) % names.length], step);
	}

	/** A tapped thing; null follows the nearby one again. */
	select(id, view) {
		this.model.selectedID = id;
		this.asked = null;
		if (view && this.view !== "overview") this.show(view);
		this.remember(false);
		this.redraw();
	}

	key(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
		const name = NAMES["123456".indexOf(event.key)];
		const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		if (name) this.show(name);
		else if (step) this.step(step);
		else return;
		event.preventDefault();
	}

	resize() {
		for (const view of this.active) if (view.resize) view.resize();
		this.redraw();
	}

	/** Draws everything anew, soon. */
	redraw() {
		this.isDirty = true;
		this.schedule();
	}

	/** Draws what moves, soon. */
	schedule() {
		if (this.isScheduled) return;
		this.isScheduled = true;
		requestAnimationFrame(now => this.draw(now));
	}

	draw(now) {
		this.isScheduled = false;
		if (this.motion.step(now)) this.schedule();
		const isDirty = this.isDirty;
		this.isDirty = false;
		if (isDirty) {
			const { zone, environment, isLoaded } = this.model;
			setText(byID("top-zone"), nameOf(zone || environment, this.model.hides("zone") ? say("Things") : "Trilateral"));
			const device = this.isElsewhere && this.devices ? nameOf(this.devices.shown) : "";
			setText(byID("top-environment"), join(zone ? nameOf(environment) : "", device));
			this.drawEmpty();
			if (isLoaded && this.isBegun && !this.isReady) this.finishStart();
		}
		for (const view of this.active) {
			if (isDirty) view.update();
			else if (view.frame) view.frame();
		}
	}

	drawEmpty() {
		if (!this.isBegun) return;
		drawPlaceless(this);
		this.reason.draw();
	}

	finishStart() {
		this.isReady = true;
		// Who may not see where the device is begins with their things; the list takes the place of the first view.
		if (this.model.hides("zone") && !this.query.get("view") && this.keepsView) {
			this.view = null;
			this.show("list");
		}
		// Milliseconds until the place could be seen.
		set(document.documentElement, { "data-ready": Math.round(performance.now()) });
		this.keepUp();
	}

	keepUp() {
		setTimeout(() => import("./upkeep.js").then(file => {
			this.version = new file.Version(this);
			file.keepScreenOn();
		}, () => this.keepUp()), 3000);
	}

	/** Where the devices are, if there are several or the address names one: what shows them is only loaded then. */
	async readDevices(zones) {
		const asked = this.query.get("device");
		this.hasDevices = this.hasDevices || Boolean(asked) || zones.some(zone => zone.devices);
		if (!this.hasDevices) return null;
		if (!this.devices) this.devices = new (await import("./devices.js")).Devices(this, asked);
		return this.devices.read();
	}

	/** Whether the page shows another device than the daemon's own; until that is known, none. */
	get isElsewhere() { return this.devices ? this.devices.isOther : Boolean(this.query.get("device")); }

	onState(state) {
		const before = this.model.environmentID;
		this.ownState = state;
		if (this.devices) state = this.devices.standing(state);
		else if (this.isElsewhere) state = Object.assign({}, state, { device: null, zone: null, nearby: null });
		this.model.setState(state);
		const { position, angle } = this.model.device || {};
		if (before === this.model.environmentID) this.motion.setGoal(position, angle);
		else this.motion.jump(position, angle);
		this.redraw();
	}

	onLists(environments, zones, things, permissions, devices) {
		this.model.setLists(environments, zones, things, permissions);
		if (devices) this.onDevices(() => this.devices.setList(devices));
		const asked = this.model.named(this.asked);
		if (asked) this.model.selectedID = asked.id;
		this.asked = null;
		this.redraw();
	}

	onDevices(change) {
		const wasElsewhere = this.isElsewhere;
		change();
		if ((wasElsewhere || this.isElsewhere) && this.ownState) this.onState(this.ownState);
	}

	onChange(type, value) {
		if (type === "frame") {
			if (!document.hidden && !this.isElsewhere) this.motion.setFrame(value);
			return;
		}
		if (type === "banner") {
			this.showBanner(value);
			return;
		}
		if (type === "screen") this.screen = value;
		else if (type === "permissions") this.model.setPermissions(value);
		else if (type === "device") this.hearDevice(value);
		else if (type === "nearby" && this.isElsewhere) return;
		else if (type === "nearby" || type === "lifecycle") this.model.setPart(type, value);
		else if (type === "alert") this.model.setAlert(value);
		else this.model.setObject(type + "s", value);
		this.redraw();
	}

	hearDevice(value) {
		if (this.devices) this.onDevices(() => this.devices.hear(value));
		// The first one beside the daemon's own: the lists say the rest.
		else if (!this.hasDevices) {
			this.hasDevices = true;
			this.feed.load();
		}
	}

	/** What shows banners is loaded with the first one. */
	async showBanner(value) {
		if (!this.banners) this.banners = import("./banners.js").then(file => new file.Banners(byID("banners")));
		try {
			(await this.banners).hear(value);
		} catch (error) {
			this.banners = null;
		}
	}

	onOpen() { this.presence.tell(); }

	onEpoch() {
		this.isRestarted = true;
		if (this.version) this.version.check();
	}

	onLink(link) {
		if (link === this.link) return;
		this.link = link;
		clearTimeout(this.linkTimer);
		this.linkTimer = setTimeout(() => {
			setText(byID("link"), say(LINKS[link]));
			set(document.body, { "data-link": link });
			this.redraw();
		}, link === "up" ? 0 : GRACE);
	}
}

if (!window.PointerEvent) import("./touches.js").then(file => file.watchTouches(), () => { /* taps work without */ });
const query = new URLSearchParams(location.search);
wear(query.get("theme"));
const siblings = new Siblings();
siblings.findDisplay(query.get("display")).then(display => {
	new App(query, display, siblings);
	// Until now, what goes wrong is told by oldest.js.
	set(document.documentElement, { "data-begun": true });
});
