// The screens that are part of the page. Each is made, mounted, updated and unmounted as one of a module of its own.

import { drawBadge, look, makeBadge, paint } from "./appearance.js";
import { arrange, button, element, set, setText, show } from "./dom.js";
import { cardsKey, makeCards } from "./property-list.js";
import { clip, join, metres, nameOf } from "./text.js";
import { controlsKey, makeControls, pictureOf, readings } from "./thing-controls.js";
import { DeviceList } from "./device-list.js";

class Screen {
	constructor(host, config) {
		this.host = host;
		this.config = config;
	}

	word(key) { return this.host.word(key); }

	update() {}

	unmount() {}
}

/** One thing with all its properties: that of the screen, else the nearby one. */
class DeviceDetails extends Screen {
	mount(area) {
		this.cards = [];
		this.note = element("p", { class: "empty" });
		this.icon = makeBadge();
		this.name = element("h2", { class: "thing-name hero-name" });
		this.value = element("p", { class: "hero-value" });
		this.where = element("p", { class: "thing-where hero-where" });
		this.gone = element("p", { class: "warning", text: this.word("unreachable_now") });
		this.description = element("p");
		this.picture = element("img", { referrerpolicy: "no-referrer", alt: "", error: () => show(this.picture, false) });
		this.facts = element("dl", { class: "facts" });
		this.times = button({ class: "button", text: this.word("times") }, () => this.host.pushScreen(this.schedule, this.thing));
		this.grid = element("div", { class: "controls properties" });
		this.hero = element("div", { class: "card hero about" },
			element("div", { class: "thing-head hero-head" }, this.icon, element("div", { class: "hero-text" }, this.name, this.value, this.where)),
			this.gone, this.description, this.picture, this.facts, this.times);
		this.whole = element("div", { class: "details" }, this.hero, this.grid);
		area.appendChild(this.note);
		area.appendChild(this.whole);
	}

	update(state) {
		const { kit } = this.host;
		const thing = this.thing = state.asked ? state.thing : state.nearby;
		show(this.whole, thing);
		show(this.note, !thing && state.isLoaded);
		setText(this.note, this.word(state.asked ? "gone" : "no_thing"));
		if (!thing) return;
		const profile = kit.profiles.of(thing);
		const key = profile ? cardsKey(kit, thing) : controlsKey(thing);
		if (key !== this.key) {
			this.key = key;
			this.remove();
			this.cards = profile ? makeCards(kit, thing) : makeControls(kit.app, thing).map(control => ({
				node: control.node, update: one => control.update(one.thing), unmount: () => {}
			}));
			arrange(this.grid, this.cards.map(card => card.node));
		}
		for (const card of this.cards) card.update(Object.assign({}, state, { thing }));
		drawBadge(this.icon, kit.profiles, thing);
		paint(this.hero, look(kit.profiles, thing));
		const zone = kit.model.zoneOf(thing);
		setText(this.name, nameOf(thing));
		setText(this.value, look(kit.profiles, thing).summary);
		setText(this.where, join(zone && nameOf(zone), metres(kit.model.distanceTo(thing))));
		setText(this.description, clip(thing.description, 1000));
		show(this.description, thing.description);
		show(this.gone, thing.available === false);
		this.schedule = profile && profile.scheduleScreen;
		show(this.times, this.schedule && kit.display.has(this.schedule));
		this.showPicture(thing);
		const rows = profile ? [] : readings(thing);
		show(this.facts, rows.length);
		if (this.shownFacts === (this.shownFacts = JSON.stringify(rows))) return;
		arrange(this.facts, rows.map(([title, text]) => element("div", null, element("dt", { text: title }), element("dd", { text }))));
	}

	showPicture(thing) {
		const address = pictureOf(thing);
		if (address === this.address) return;
		this.address = address;
		set(this.picture, { src: address, hidden: !address });
	}

	remove() {
		arrange(this.grid, []);
		for (const card of this.cards) card.unmount();
		this.cards = [];
	}

	unmount() { this.remove(); }
}

/** There are no accounts yet: a title, and a button that signs in. */
class SignIn extends Screen {
	mount(area) {
		const { kit } = this.host;
		const node = button({ class: "button main", text: this.word("sign_in") }, () => kit.display.call({ call: "signInComplete" }));
		area.classList.add("middle");
		area.appendChild(element("p", { class: "app-name", text: kit.display.titleOf(kit.screen(this.config.screen), true) }));
		area.appendChild(node);
	}
}

/** When something happens to a thing by itself. What it needs is only loaded here. */
class Schedule extends Screen {
	mount(area) {
		this.area = area;
		return import("./thing-times.js").then(file => {
			if (this.isGone) return;
			this.times = new file.ThingTimes(this.host, area);
			if (this.state) this.times.update(this.state);
		});
	}

	update(state) {
		this.state = state;
		if (this.times) this.times.update(state);
	}

	unmount() {
		this.isGone = true;
		if (this.times) this.times.close();
	}
}

/** A view that the page has without screens, too. */
const viewOf = view => class extends Screen {
	mount(area) {
		area.classList.add("views");
		this.host.kit.app.lend(view, area);
	}

	unmount() { this.host.kit.app.takeBack(view); }
};

export const SCREENS = {
	DeviceList, DeviceDetails, SignIn, Schedule,
	ThisDevice: viewOf("device"), Compass: viewOf("compass"), Map: viewOf("map"), Overview: viewOf("overview")
};
