// The page: puts views, model, motion and feed together.

import { Commands } from "./commands.js";
import { CompassView } from "./compass-view.js";
import { DeviceView } from "./device-view.js";
import { setAttribute, setShown, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { ListView } from "./list-view.js";
import { MapView } from "./map-view.js";
import { Model } from "./model.js";
import { Motion } from "./motion.js";
import { displayID, keepScreenOn, Presence, Version } from "./screen.js";
import { watchSwipes } from "./swipe.js";
import { nameOf } from "./text.js";
import { ThingView } from "./thing-view.js";

const NAMES = ["device", "compass", "map", "list", "thing", "overview"];
const IN_OVERVIEW = ["device", "compass", "map", "list", "thing"];
// A short interruption is not worth a word.
const GRACE = 700;
const CLOCK = 30000;

const LINK_TEXTS = {
	lost: "No connection to Trilateral. Trying again…",
	full: "Too many pages are open. This one shows old values and tries again."
};

const byID = id => document.getElementById(id);

class App {
	constructor(query) {
		this.model = new Model();
		this.motion = new Motion(() => this.schedule());
		const display = displayID(query.get("display"));
		this.commands = new Commands(display, byID("notices"));
		this.views = {
			device: new DeviceView(this, byID("device")),
			compass: new CompassView(this, byID("compass")),
			map: new MapView(this, byID("map")),
			list: new ListView(this, byID("list")),
			thing: new ThingView(this, byID("thing"))
		};
		this.tabs = Array.from(byID("tabs").children);
		this.active = [];
		this.isDirty = true;
		this.isScheduled = false;
		this.presence = new Presence(display);
		this.version = new Version();
		this.feed = new Feed(display, this);
		this.linkTimer = 0;
		this.isReady = false;
	}

	start(view) {
		// A page that is kept for going back to must not keep its stream: a browser has only a few connections.
		window.addEventListener("pagehide", () => this.feed.stop());
		window.addEventListener("pageshow", event => { if (event.persisted) this.feed.open(); });
		for (const tab of this.tabs) tab.addEventListener("click", () => this.show(tab.getAttribute("data-view")));
		document.addEventListener("keydown", event => this.key(event));
		const area = byID("views");
		watchSwipes(area, step => this.step(step), dx => {
			area.style.transform = dx ? "translateX(" + Math.round(dx / 3) + "px)" : "";
		});
		window.addEventListener("resize", () => this.resize());
		if (window.ResizeObserver) {
			const observer = new ResizeObserver(() => this.resize());
			for (const name of ["compass", "map"]) observer.observe(this.views[name].stage);
		}
		document.addEventListener("visibilitychange", () => this.redraw());
		setInterval(() => { if (!document.hidden) this.redraw(); }, CLOCK);
		this.show(NAMES.indexOf(view) >= 0 ? view : "device");
		this.link("connecting");
		this.feed.start();
		keepScreenOn();
	}

	// MARK: Views

	show(name, step) {
		if (name === this.view) return;
		this.view = name;
		const shown = name === "overview" ? IN_OVERVIEW : [name];
		document.body.setAttribute("data-view", name);
		for (const one of IN_OVERVIEW) setShown(byID(one), shown.indexOf(one) >= 0);
		for (const tab of this.tabs) {
			setAttribute(tab, "aria-current", tab.getAttribute("data-view") === name ? "page" : null);
		}
		this.active = shown.map(one => this.views[one]);
		document.title = name.charAt(0).toUpperCase() + name.slice(1) + " – Trilateral";
		try {
			const address = new URL(location.href);
			address.searchParams.set("view", name);
			history.replaceState(null, "", address.href);
		} catch (error) { /* not allowed in this frame */ }
		if (step) slide(byID("views"), step);
		this.resize();
		this.redraw();
	}

	/** To the next or the previous view; the overview only where it has its tab. */
	step(step) {
		const names = NAMES.filter((name, index) => this.tabs[index].offsetParent !== null);
		const index = names.indexOf(this.view);
		this.show(names[(index + step + names.length) % names.length], step);
	}

	/** A tapped thing; null follows the nearby one again. */
	select(id, view) {
		this.model.selectedID = id;
		if (view && this.view !== "overview") this.show(view);
		this.redraw();
	}

	key(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
		if (event.target.closest && event.target.closest("input, select, textarea")) return;
		const number = NAMES["123456".indexOf(event.key)];
		if (number) this.show(number);
		else if (event.key === "ArrowRight") this.step(1);
		else if (event.key === "ArrowLeft") this.step(-1);
		else return;
		event.preventDefault();
	}

	// MARK: Drawing

	resize() {
		for (const view of this.active) if (view.resize) view.resize();
		this.redraw();
	}

	redraw() {
		this.isDirty = true;
		this.schedule();
	}

	schedule() {
		if (this.isScheduled) return;
		this.isScheduled = true;
		requestAnimationFrame(now => this.draw(now));
	}

	draw(now) {
		this.isScheduled = false;
		const isMoving = this.motion.step(now);
		const isDirty = this.isDirty;
		this.isDirty = false;
		if (isDirty) this.drawTop();
		for (const view of this.active) {
			if (isDirty) view.update();
			else if (view.frame) view.frame();
		}
		if (isMoving) this.schedule();
		if (!this.isReady && this.model.isLoaded) this.finishStart();
	}

	drawTop() {
		const { zone, environment } = this.model;
		setText(byID("top-zone"), zone ? nameOf(zone) : environment ? nameOf(environment) : "Trilateral");
		setText(byID("top-environment"), zone && environment ? nameOf(environment) : "");
	}

	finishStart() {
		this.isReady = true;
		document.documentElement.setAttribute("data-ready", Math.round(performance.now()));
		setTimeout(() => this.version.remember(), 3000);
	}

	// MARK: What the feed tells

	onState(state) {
		const before = this.model.environmentID;
		this.model.setState(state);
		const device = this.model.device || {};
		if (before === this.model.environmentID) this.motion.setGoal(device.position, device.angle);
		else this.motion.jump(device.position, device.angle);
		this.redraw();
	}

	onLists(environments, zones, things) {
		this.model.setLists(environments, zones, things);
		this.redraw();
	}

	onChange(type, value) {
		if (type === "frame") {
			if (!document.hidden) this.motion.setFrame(value);
			return;
		}
		if (type === "nearby") this.model.setNearby(value);
		else if (type === "lifecycle") this.model.setLifecycle(value);
		else if (type === "alert") this.model.setAlert(value);
		else this.model.setObject(type + "s", value);
		this.redraw();
	}

	onOpen() { this.presence.tell(); }

	onEpoch() { this.version.check(); }

	onLink(link) { this.link(link); }

	link(link) {
		if (link === this.linkState) return;
		this.linkState = link;
		clearTimeout(this.linkTimer);
		const tell = () => {
			setText(byID("link"), LINK_TEXTS[link] || (link === "up" ? "" : "Connecting…"));
			document.body.setAttribute("data-link", link);
		};
		if (link === "up") tell();
		else this.linkTimer = setTimeout(tell, GRACE);
	}
}

function slide(area, step) {
	const isReduced = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
	if (isReduced || !area.animate) return;
	area.animate([{ transform: "translateX(" + step * 60 + "px)", opacity: 0 }, { transform: "none", opacity: 1 }],
		{ duration: 250, easing: "ease-out" });
}

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.setAttribute("data-theme", theme);
new App(query).start(query.get("view"));
