// The controls of whole things in lists: generic, light, thermostat, cover. Made and used as those of modules are.

import { button, element, set, setText, show } from "./dom.js";
import { Latest } from "./commands.js";
import { canSwitch } from "./thing-controls.js";
import { dress, Palette } from "./colours.js";
import { Host } from "./host.js";
import { needStyles } from "./styles.js";
import { Part } from "./part.js";
import { nameOf, percent } from "./text.js";
import { meansOn, valueOf } from "./profiles.js";

/** Whether a thing is on; null when it cannot be. */
export function isOn(profiles, thing) {
	const power = profiles.power(thing);
	const value = power ? valueOf(thing, power.name) : undefined;
	if (value !== undefined) return meansOn(power.actions || [], value);
	return thing.state === "ON" ? true : thing.state === "OFF" ? false : null;
}

/** What the controls of whole things have in common. */
class DeviceControl {
	constructor(host, config) {
		this.host = host;
		this.config = config;
		this.profiles = host.kit.profiles;
	}

	word(key) { return this.host.word(key); }

	/** The description of the property with a role; null without one. */
	role(name) {
		const property = this.profiles.withRole(this.host.thing, name);
		return property ? this.profiles.describe(this.host.thing, property) : null;
	}

	/** Sends when a button is pressed, which is busy until the answer. */
	async press(node, values) {
		if (node.getAttribute("aria-busy")) return;
		set(node, { "aria-busy": "true" });
		await this.host.set(values);
		set(node, { "aria-busy": null });
	}

	makeSwitch() {
		const { thing } = this.host;
		this.power = this.profiles.power(thing);
		if (this.power ? this.profiles.describe(thing, this.power).part === "ReadonlyText" : !canSwitch(thing)) return null;
		this.toggle = button({ class: "switch", role: "switch" }, () =>
			this.press(this.toggle, { [this.power ? this.power.name : "state"]: this.isOn ? "OFF" : "ON" }),
		element("span", { class: "knob" }));
		return this.toggle;
	}

	/** Gives the whole tile a colour of the configuration. */
	paint(name) {
		const colour = this.host.color(name);
		if (!this.tile) return;
		dress(this.tile, colour, null);
		this.tile.classList.toggle("painted", Boolean(colour));
	}

	mount(area) { this.tile = area.closest(".tile"); }

	update({ thing }) {
		this.isOn = isOn(this.profiles, thing) === true;
		if (!this.toggle) return;
		set(this.toggle, { "aria-checked": String(this.isOn), "aria-label": nameOf(thing) });
	}

	unmount() { this.paint(null); }
}

class Generic extends DeviceControl {
	mount(area) {
		super.mount(area);
		const node = this.makeSwitch();
		if (node) area.appendChild(node);
	}

	update(state) {
		super.update(state);
		const on = isOn(this.profiles, state.thing);
		this.paint(on === null ? null : this.config[on ? "bgOn" : "bgOff"]);
	}
}

class Light extends Generic {
	mount(area) {
		super.mount(area);
		this.latest = new Latest(brightness => this.host.set({ level: brightness / 255 }));
		this.input = element("input", { type: "range", min: 0, max: 255, step: 1, class: "roomy", input: () => {
			this.draw(Number(this.input.value));
			this.latest.set(Number(this.input.value));
		} });
		area.appendChild(this.input);
	}

	draw(value) {
		set(this.input, { "aria-valuetext": percent(value) });
		this.input.style.setProperty("--part", value / 255 * 100 + "%");
	}

	update(state) {
		super.update(state);
		const { thing } = state;
		show(this.input, Number.isFinite(thing.brightness));
		set(this.input, { "aria-label": nameOf(thing) + ", " + this.word("brightness") });
		if (this.latest.isActive || !Number.isFinite(thing.brightness)) return;
		this.input.value = thing.brightness;
		this.draw(thing.brightness);
	}
}

class Thermostat extends DeviceControl {
	constructor(host, config) {
		super(host, config);
		this.setpoint = this.role("temperature_setpoint");
		if (!this.setpoint) throw new Error("no property has the role temperature_setpoint");
		this.step = this.setpoint.step || 0.5;
	}

	mount(area) {
		super.mount(area);
		this.latest = new Latest(value => this.host.set({ [this.setpoint.name]: value }));
		this.output = element("output", { class: "goal" });
		this.caption = element("span", { class: "goal-caption", text: this.word("target") });
		const step = (way, text) => button({ class: "button tool", text }, () => this.move(way));
		this.steps = [step(-1, "−"), step(1, "+")];
		area.appendChild(element("div", { class: "steps", role: "group" }, this.steps[0],
			element("span", { class: "goal-box" }, this.caption, this.output), this.steps[1]));
		this.mode = this.role("hvac_mode");
		const actions = this.mode ? this.mode.actions : [];
		this.modes = actions.map(action => {
			const node = button({ class: "button key", text: action.title }, () => this.press(node, { [this.mode.name]: action.value }));
			return node;
		});
		if (actions.length) area.appendChild(element("div", { class: "buttons roomy", role: "group", "aria-label": this.mode.title }, ...this.modes));
		else if (this.makeSwitch()) area.appendChild(this.toggle);
	}

	move(way) {
		const { min, max } = this.setpoint;
		const from = Number.isFinite(this.goal) ? this.goal : Number.isFinite(min) ? min : 20;
		const next = Math.round((from + way * this.step) * 1e6) / 1e6;
		if ((Number.isFinite(min) && next < min) || (Number.isFinite(max) && next > max)) return;
		this.draw(next);
		this.latest.set(next);
	}

	draw(value) {
		this.goal = value;
		setText(this.output, this.host.reading(this.setpoint, value));
	}

	update(state) {
		super.update(state);
		const { thing } = state;
		const title = nameOf(thing) + ", " + this.setpoint.title;
		set(this.steps[0], { "aria-label": title + ": " + this.word("less") });
		set(this.steps[1], { "aria-label": title + ": " + this.word("more") });
		set(this.steps[0].parentNode, { "aria-label": title });
		clearTimeout(this.timer);
		if (this.latest.isActive) this.timer = setTimeout(() => this.update(state), 400);
		else this.draw(valueOf(thing, this.setpoint.name));
		const mode = this.mode ? valueOf(thing, this.mode.name) : undefined;
		if (this.mode) this.modes.forEach((node, index) => set(node, { "aria-pressed": String(this.mode.actions[index].value === mode) }));
		this.colour(mode);
	}

	colour() {}

	unmount() {
		clearTimeout(this.timer);
		super.unmount();
	}
}

/** A thermostat in the colour of what it does. */
class ACDeviceControl extends Thermostat {
	colour(mode) {
		const action = this.mode && this.mode.actions.find(one => one.value === mode);
		const text = String(action ? action.name : mode).toLowerCase();
		const isOff = isOn(this.profiles, this.host.thing) === false || /off/.test(text);
		const key = isOff ? "bgOff" : /dry|dehumid/.test(text) ? "bgDehumidify" : /cool/.test(text) ? "bgCool" : /heat/.test(text) ? "bgHeat" : null;
		this.paint(key && this.config[key]);
	}
}

class Cover extends DeviceControl {
	constructor(host, config) {
		super(host, config);
		this.position = this.role("cover_position");
		if (!this.position) throw new Error("no property has the role cover_position");
	}

	mount(area) {
		super.mount(area);
		const { name, actions, min, max } = this.position;
		const own = key => actions.find(action => action.name === key);
		const to = (key, otherwise) => (own(key) ? own(key).value : otherwise);
		const values = [["open", "▲", to("open", max)], ["stop", "■", to("stop", undefined)], ["close", "▼", to("close", min)]];
		this.buttons = values.filter(one => one[2] !== undefined && one[2] !== null).map(([key, text, value]) => {
			const node = button({ class: "button tool", text }, () => this.press(node, { [name]: value }));
			return { key, node };
		});
		area.appendChild(element("div", { class: "steps" }, ...this.buttons.map(one => one.node)));
		this.latest = new Latest(value => this.host.set({ [name]: value }));
		this.input = element("input", { type: "range", min, max, step: this.position.step || 1, class: "roomy", input: () => {
			this.draw(Number(this.input.value));
			this.latest.set(Number(this.input.value));
		} });
		area.appendChild(this.input);
	}

	draw(value) {
		const { min, max } = this.position;
		set(this.input, { "aria-valuetext": this.host.reading(Object.assign({}, this.position, { actions: [] }), value) });
		this.input.style.setProperty("--part", (value - min) / (max - min) * 100 + "%");
	}

	update(state) {
		for (const { key, node } of this.buttons) set(node, { "aria-label": nameOf(state.thing) + ": " + this.word(key) });
		const value = valueOf(state.thing, this.position.name);
		set(this.input, { "aria-label": nameOf(state.thing) + ", " + this.position.title });
		show(this.input, Number.isFinite(value));
		if (this.latest.isActive || !Number.isFinite(value)) return;
		this.input.value = value;
		this.draw(value);
	}
}

/** What the page has for whole things; a custom control is a module. */
const DEVICE_CONTROLS = { Generic, Light, Thermostat, ACDeviceControl, Cover };

/** What the page has, for the controls of a thing with a profile. */
export function kitOf(app) {
	if (app.kit) return app.kit;
	if (!app.plainKit) {
		app.plainKit = { app, model: app.model, commands: app.commands, palette: new Palette([]), isReduced: () => app.motion.isReduced };
		Object.defineProperty(app.plainKit, "profiles", { get: () => app.profiles });
	}
	return app.plainKit;
}

/** The part that is the control for a whole thing; the generic one if that does not work. */
export function makeDeviceControl(kit, thing, layout, name) {
	const { profiles } = kit;
	const profile = profiles.of(thing);
	const told = profiles.control(name || (profile && profile.deviceControl) || "generic");
	return new Part(told.name, {
		find: one => DEVICE_CONTROLS[one],
		isModule: one => profiles.modules.has(one),
		make: Class => new Class(new Host(kit, thing.id), Object.assign({}, told.extras, { layout })),
		fallback: () => (told.name === "Generic" ? null : makeDeviceControl(kit, thing, layout, "generic"))
	});
}

/** The same for the views of the page, in the form of other controls. */
export function makeQuickControl(app, thing, isRoomy) {
	const kit = kitOf(app);
	needStyles();
	const node = element("div", { class: "tile-control" });
	const part = makeDeviceControl(kit, thing, isRoomy ? "grid" : "list");
	part.mount(node);
	return {
		node, unmount: () => part.unmount(),
		update: one => part.update({ thing: one, language: kit.profiles.language })
	};
}
