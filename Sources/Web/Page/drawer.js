// The menu that slides in from the left, with the screens of the configuration.

import { arrange, button, element, set, setText, show } from "./dom.js";
import { icon, iconOfScreen } from "./icons.js";
import { lastPart } from "./profiles.js";
import { tellContext } from "./display.js";

export class Drawer {
	/** `rest` are the parts of the page that cannot be used while the menu is open. */
	constructor(display, host, rest) {
		this.display = display;
		this.host = host;
		this.rest = rest;
		this.opener = button({ class: "button tool", "aria-haspopup": "dialog", "aria-controls": "drawer", "aria-expanded": "false" },
			() => this.open(), icon("menu"));
		this.title = element("h2", { id: "drawer-title", class: "key" });
		this.closer = button({ class: "button tool", text: "✕" }, () => this.close());
		this.list = element("ul");
		this.panel = element("nav", { id: "drawer", "aria-labelledby": "drawer-title" },
			element("div", { class: "drawer-head" }, this.title, this.closer), this.list);
		this.node = element("div", { class: "drawer", role: "dialog", "aria-modal": "true", "aria-labelledby": "drawer-title", hidden: true },
			element("div", { class: "scrim", click: () => this.close() }), this.panel);
		this.node.addEventListener("keydown", event => this.key(event));
		// For browsers that know nothing of inert.
		document.addEventListener("focusin", event => { if (this.isOpen && !this.node.contains(event.target)) this.closer.focus(); });
		window.addEventListener("pagehide", () => { if (this.isOpen) tellContext("main"); });
	}

	/** The entries in the language of now. */
	update() {
		const { user, current, appName } = this.display;
		const names = (user.drawerMenu || []).filter(name => this.display.has(name));
		setText(this.title, appName);
		set(this.closer, { "aria-label": this.host.word("close_menu") });
		set(this.opener, { "aria-label": this.host.word("menu") });
		const key = JSON.stringify([this.host.language, names]);
		if (key !== this.shownKey) {
			this.shownKey = key;
			this.buttons = names.map(name => this.makeEntry(name));
			arrange(this.list, this.buttons.map(one => element("li", null, one.node)));
		}
		// A screen that is not in the menu belongs to the one below it.
		const { stack } = this.display;
		const under = stack.map(entry => entry.screen).reverse().find(name => names.indexOf(name) >= 0);
		for (const { name, node } of this.buttons) {
			set(node, { "aria-current": name === current.screen ? "page" : name === under && "true" });
		}
	}

	makeEntry(name) {
		const screen = this.display.screens.get(name);
		const node = button({ class: "entry" }, () => {
			this.close();
			this.display.open(name);
		}, iconOfScreen(screen, lastPart(screen.class)), element("span", { class: "key", text: this.display.titleOf(screen) }));
		return { name, node };
	}

	open() {
		if (this.isOpen) return;
		this.isOpen = true;
		this.update();
		show(this.node, true);
		set(this.opener, { "aria-expanded": "true" });
		for (const node of this.rest) set(node, { inert: true, "aria-hidden": "true" });
		const now = this.buttons.find(one => one.node.getAttribute("aria-current"));
		((now && now.node) || this.closer).focus();
		tellContext("menu");
	}

	close() {
		if (!this.isOpen) return;
		this.isOpen = false;
		show(this.node, false);
		set(this.opener, { "aria-expanded": "false" });
		for (const node of this.rest) set(node, { inert: null, "aria-hidden": null });
		if (this.opener.offsetParent) this.opener.focus();
		tellContext("main");
	}

	key(event) {
		const nodes = [this.closer].concat(this.buttons.map(one => one.node));
		const index = nodes.indexOf(document.activeElement);
		const step = { ArrowDown: 1, ArrowUp: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
		if (event.key === "Escape") this.close();
		// The focus stays in the menu.
		else if (step) nodes[(index + step + nodes.length) % nodes.length].focus();
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}
