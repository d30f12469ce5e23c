// The screen Schedule: when something happens to a thing by itself, and a form for that. Other rules about it are only counted.

import { arrange, button, element, set, setText, show } from "./dom.js";
import { Area, entry, RuleForm, valueEntry } from "./rule-controls.js";
import { bind, END_KINDS, START_KINDS, timeEntries, weekdayEntry } from "./rule-editors.js";
import { fill, mark, RuleNames, wordOf } from "./rule-names.js";
import { german } from "./german.js";
import { newSchedule } from "./rule-model.js";
import { actionsWords, every, scheduleWords, sentenceOf, triggerWords } from "./rule-sentence.js";
import { needStyles } from "./styles.js";
import { simpleDraft, simpleRule } from "./rule-simple.js";
import { clip, nameOf, say, speak } from "./text.js";

const TIMEOUT = 30000;
// What comes next changes by itself.
const REFRESH = 60000;
const TIMES = ["schedule", "cron", "once"];

/** Asks the daemon. Not as other requests of this page: without a user there is something to say, not another page. */
async function ask(method, path, body) {
	const control = window.AbortController && new AbortController();
	const timer = setTimeout(() => { if (control) control.abort(); }, TIMEOUT);
	try {
		const response = await fetch("api/" + path, Object.assign({
			method, cache: "no-store", credentials: "same-origin", headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body)
		}, control && { signal: control.signal }));
		const answer = await response.json().catch(() => null);
		if (response.ok) return answer;
		const { message, field } = (answer && answer.error) || {};
		throw Object.assign(new Error(message ? clip(message, 500) : fill("This did not work ({0}).", response.status)), { status: response.status, field });
	} catch (error) {
		throw error.status ? error : new Error(say("Trilateral does not answer."));
	} finally {
		clearTimeout(timer);
	}
}

const path = rule => "rules/" + encodeURIComponent(rule.slug);

/** Whether times start a rule, and nothing else. */
const isTimed = rule => Array.isArray(rule.when) && rule.when.every(trigger => TIMES.indexOf(trigger.on) >= 0);

/** Lets the page speak the words of rules, too, in the language that it has. */
async function learn() {
	if (!/^de\b/i.test(document.documentElement.lang)) return;
	try {
		const { WORDS } = await import("./rules-german.js");
		speak(text => (Object.prototype.hasOwnProperty.call(WORDS, text) ? WORDS[text] : german(text)));
	} catch (error) { /* English is better than nothing */ }
}

export class ThingTimes {
	constructor(host, area) {
		this.host = host;
		this.node = element("div", { class: "times" });
		area.appendChild(this.node);
		this.isReady = false;
		this.ready = Promise.all([learn(), needStyles("rules.css")]).then(() => {
			if (this.isGone) return;
			this.build();
			this.isReady = true;
			if (this.state) this.update(this.state);
		});
		// Whoever is in the list stays there.
		this.clock = setInterval(() => {
			if (this.isReady && !document.hidden && !this.editor && !this.list.contains(document.activeElement)) this.load();
		}, REFRESH);
	}

	close() {
		this.isGone = true;
		clearInterval(this.clock);
	}

	build() {
		this.title = element("h2", { class: "thing-name", tabindex: "-1" });
		this.choice = element("select", { "aria-label": say("Thing"), change: () => this.choose(this.choice.value) });
		this.note = element("div", { class: "time-note", role: "status" });
		this.list = element("div", { class: "time-list" });
		this.others = element("p", { class: "hint" });
		this.add = button({ class: "button main", text: say("Add a time") }, () => this.open(null));
		this.place = element("div");
		for (const node of [this.title, this.choice, this.note, this.list, this.others, this.add, this.place]) this.node.appendChild(node);
		for (const node of [this.note, this.others, this.add, this.choice]) show(node, false);
	}

	/** What the screen is told. */
	update(state) {
		this.state = state;
		if (!this.isReady) return;
		// Nobody is asked whether somebody may who has not signed in.
		const isSignedIn = this.host.kit.model.permissions.signed_in !== false;
		if (!isSignedIn) {
			this.shut();
			this.leave();
			for (const node of [this.title, this.choice]) show(node, false);
			this.askToSignIn();
			return;
		}
		if (!state.asked) this.drawChoice(state);
		const thing = state.asked ? state.thing : state.things.find(one => one.id === this.chosen) || state.nearby;
		const id = thing ? thing.id : null;
		this.thing = thing;
		setText(this.title, thing ? nameOf(thing) : "");
		// Where one chooses, the choice has the name.
		show(this.title, thing && state.asked);
		if (!thing) {
			this.leave();
			this.say(state.isLoaded ? this.host.word(state.asked ? "gone" : "no_thing") : "");
			return;
		}
		if (id === this.id) return;
		this.id = id;
		this.shut();
		this.load();
	}

	/** There is no thing, or nobody who may see its times. */
	leave() {
		this.id = this.rules = null;
		for (const node of [this.list, this.others, this.add]) show(node, false);
	}

	askToSignIn() {
		if (this.note.firstChild && !this.note.hidden && this.note.querySelector("a")) return;
		this.say(say("Sign in to see and to set when things happen by themselves."), element("p", {},
			element("a", { class: "button main", href: "sign-in" + location.search, text: say("Sign in") })));
	}

	/** Without a thing of its own, the screen lets one choose. */
	drawChoice({ things, nearby }) {
		const all = things.map(one => [one.id, nameOf(one)]).sort((a, b) => a[1].localeCompare(b[1]));
		const now = this.chosen || (nearby && nearby.id) || "";
		const drawn = JSON.stringify([all, now]);
		show(this.choice, all.length);
		if (drawn === this.drawn) return;
		this.drawn = drawn;
		arrange(this.choice, [["", say("choose …")], ...all].map(([value, text]) => element("option", { value, text })));
		this.choice.value = now;
	}

	choose(id) {
		this.chosen = id;
		this.update(this.state);
	}

	say(text, ...more) {
		show(this.note, text || more.length);
		arrange(this.note, [element("p", { text }), ...more]);
	}

	get names() {
		const { model, profiles } = this.host.kit;
		return new RuleNames({ things: this.state.things, zones: model.here.zones, profiles });
	}

	get target() { return "thing:" + wordOf(this.thing); }

	/** Reads the rules about the thing. */
	async load() {
		const { id } = this;
		if (!id) return;
		if (!this.rules) this.say(say("Loading …"));
		try {
			const { rules } = await ask("GET", "rules?details=1&thing=" + encodeURIComponent(wordOf(this.thing)));
			// Another thing was chosen meanwhile.
			if (id === this.id && !this.isGone) this.draw(rules);
		} catch (error) {
			if (id !== this.id || this.isGone) return;
			this.rules = null;
			for (const node of [this.list, this.others, this.add]) show(node, false);
			this.explain(error);
		}
	}

	explain(error) {
		if (error.status === 401) this.askToSignIn();
		else this.say(error.message, button({ class: "button", text: say("Try again") }, () => this.load()));
	}

	draw(rules) {
		this.rules = rules;
		const own = rules.filter(isTimed);
		const others = rules.length - own.length;
		this.say(own.length || this.editor ? "" : say("Nothing happens to it by itself yet."));
		arrange(this.list, []);
		arrange(this.list, own.map(rule => this.makeRow(rule)));
		show(this.list, own.length);
		setText(this.others, others === 1 ? say("One more rule is about it. It is under “Rules” in the administration.")
			: fill("{0} more rules are about it. They are under “Rules” in the administration.", others));
		show(this.others, others);
		this.offer();
		if (this.isWanted) this.reveal();
	}

	/** Shows it from its beginning, as soon as the times are there. */
	reveal() {
		this.isWanted = !this.rules;
		if (this.rules) this.node.scrollIntoView();
	}

	/** A new time is only offered for what the reader may set. */
	offer() {
		show(this.add, this.rules && !this.editor && this.thing && !this.thing.isSeenOnly && this.whats(this.names).length);
	}

	/** Where the reader goes on after something was done. */
	rest() { (this.title.hidden ? this.choice : this.title).focus(); }

	makeRow(rule) {
		const { names } = this;
		const draft = simpleDraft(rule, this.target);
		const [next] = [].concat(rule.next || []);
		const times = [rule.until ? fill("Under way until {0}", momentText(rule.until)) : "", next ? fill("Next: {0}", momentText(next)) : ""];
		const facts = rule.state === "suspended" ? say("It is suspended: see “Rules” in the administration.") : times.filter(Boolean).join(" · ");
		const toggle = button({ class: "switch", role: "switch", "aria-checked": String(rule.enabled), "aria-label": rule.title }, () =>
			this.act(toggle, () => ask("POST", path(rule) + (rule.enabled ? "/off" : "/on"), {})), element("span", { class: "knob" }));
		const removal = button({ class: "button", text: say("Remove"), "aria-label": fill("Remove: {0}", rule.title) }, () => this.confirm(buttons, rule, removal));
		const buttons = element("div", { class: "buttons" },
			...(draft ? [button({ class: "button", text: say("Change"), "aria-label": fill("Change: {0}", rule.title) }, () => this.open(rule, draft))] : []), removal);
		const words = rule.when.map(trigger => (trigger.on === "schedule" ? scheduleWords(trigger) : triggerWords(trigger, names))).join(", ");
		return element("section", { class: "card time", "data-rule": rule.slug }, element("div", { class: "time-head" },
			element("div", { class: "time-text" }, ...(rule.untitled ? [] : [element("p", { class: "hint", text: rule.title })]), element("p", { class: "row-name", text: words.charAt(0).toUpperCase() + words.slice(1) }),
				element("p", { text: every(actionsWords(rule.then, names)) }), element("p", { class: "hint", text: facts })), toggle), buttons);
	}

	/** Does something with a rule, and reads all of them anew. */
	async act(pressed, work) {
		if (pressed.getAttribute("aria-busy")) return;
		set(pressed, { "aria-busy": "true" });
		try {
			await work();
			await this.load();
			this.rest();
		} catch (error) {
			this.host.kit.commands.notify(error.message);
		}
		set(pressed, { "aria-busy": null });
	}

	/** What else a rule drives than this thing, and what else it does; nothing if there is nothing. */
	beyond(rule) {
		const { names } = this;
		const targets = rule.then.map(action => action.target).filter((target, index, all) => target && all.indexOf(target) === index);
		const counted = (kind, text) => {
			const found = targets.filter(target => target.startsWith(kind));
			return found.length > 1 ? [fill(text, found.length)] : found.map(target => names.targetName(target));
		};
		const driven = [...counted("thing:", mark("{0} things")), ...counted("zone:", mark("{0} zones")),
			...targets.filter(target => target === "nearby").map(target => names.targetName(target))];
		const others = rule.then.filter(action => !action.target);
		return [
			targets.some(target => target !== this.target) ? fill("It is for {0}.", every(driven)) : "",
			others.length ? fill("It also does this: {0}.", every(actionsWords(others, names))) : ""
		].filter(Boolean);
	}

	confirm(buttons, rule, opener) {
		const keep = button({ class: "button", text: say("Cancel") }, () => {
			box.parentNode.removeChild(box);
			show(buttons, true);
			opener.focus();
		});
		const yes = button({ class: "button danger", text: say("Remove") }, () => this.act(yes, () => ask("DELETE", path(rule))));
		const box = element("div", { role: "group", "aria-label": say("Remove") }, 
			element("p", { text: [say("Remove this time? Then it no longer happens."), ...this.beyond(rule)].join(" ") }),
			element("div", { class: "buttons" }, yes, keep));
		show(buttons, false);
		buttons.parentNode.appendChild(box);
		keep.focus();
	}

	// The form

	/** The values of the thing that may be set at times, and its actions. */
	whats(names, now) {
		const fields = names.settable(this.target).filter(field => field.schedules && field.name !== "transition").map(field => ["set:" + field.name, field.title]);
		const all = names.actions(this.target).length ? fields.concat([["action", say("an action")]]) : fields;
		return all.some(([value]) => value === now) || !now ? all : all.concat([[now, now.replace(/^set:/, "")]]);
	}

	fresh(names) {
		const [what] = this.whats(names)[0] || [""];
		const draft = { title: "", description: "", enabled: true, missed: undefined, schedule: newSchedule(), what, start: undefined, end: undefined };
		// A switch goes on, and off again.
		const { options } = what.startsWith("set:") ? names.setField(this.target, what.slice(4)) : { options: [] };
		if (options.length && /^set:(on|state)$/.test(what)) [draft.start, draft.end] = [options[0][0], options[1][0]];
		return draft;
	}

	open(rule, old) {
		const { names, target } = this;
		this.shut();
		const draft = old || this.fresh(names);
		const sentence = element("p", { class: "sentence" });
		const hint = element("p", { class: "hint" });
		const error = element("p", { class: "wrong", role: "alert" });
		show(hint, false);
		if (rule) {
			ask("GET", "me").then(me => {
				if (rule.maker === me.name) return;
				setText(hint, fill("Made by {0}. If you save it, you become its maker, and it acts with your rights.", rule.maker));
				show(hint, true);
			}).catch(() => { /* Saving tells what is wrong. */ });
		}
		const read = () => {
			setText(sentence, sentenceOf(simpleRule(draft, target), names));
			if (!form.isMarked) setText(error, "");
		};
		const form = new RuleForm(draft, { names, me: null, users: [], contacts: [] }, () => read());
		const when = () => "when[0]";
		const value = (key, label) => {
			const bound = bind(draft, key, () => "then", { label, required: key === "start", path: () => "then" });
			if (draft.what === "action") return entry(form, Object.assign(bound, { type: "select", options: names.actions(target) }));
			return valueEntry(form, bound, names.setField(target, draft.what.slice(4)));
		};
		const values = new Area(() => [value("start", say("At the start")), form.watch(value("end", say("At the end")), node => show(node, draft.schedule.end.kind || draft.schedule.duration.amount))],
			{ class: "across form wide" });
		const sender = element("button", { type: "submit", class: "button main", text: say("Save") });
		const node = element("form", {
			class: "card rule-form", novalidate: true, "aria-label": rule ? say("Change a time") : say("Add a time"), submit: event => {
				event.preventDefault();
				if (form.check()) this.save(rule, simpleRule(draft, target), form, sender, error);
			}
		}, element("h3", { text: rule ? say("Change a time") : say("Add a time") }), hint, element("div", { class: "form wide" },
			...timeEntries(form, draft.schedule.start, when, "startTimeEachDay", say("Begins"), { clock: START_KINDS.clock, sunrise: START_KINDS.sunrise, sunset: START_KINDS.sunset }),
			...timeEntries(form, draft.schedule.end, when, "endTimeEachDay", say("Ends"), END_KINDS), weekdayEntry(form, draft.schedule, when),
			entry(form, bind(draft, "what", when, { label: say("What is set"), type: "select", options: this.whats(names, draft.what), required: true, path: () => "then", redraw: () => {
				draft.start = draft.end = undefined;
				values.draw();
			} })), values.node,
			entry(form, bind(draft, "title", when, { label: say("Name (optional)"), maxlength: 50, path: () => "title" }))),
		element("div", { class: "read-back" }, sentence), error,
		element("div", { class: "buttons" }, sender, button({ class: "button", text: say("Cancel") }, () => {
			this.shut();
			this.add.focus();
		})));
		read();
		this.editor = node;
		this.place.appendChild(node);
		show(this.add, false);
		node.querySelector("select").focus();
		node.scrollIntoView();
	}

	async save(rule, json, form, pressed, error) {
		if (pressed.getAttribute("aria-busy")) return;
		set(pressed, { "aria-busy": "true" });
		setText(error, "");
		try {
			await (rule ? ask("PUT", path(rule), json) : ask("POST", "rules", json));
			this.shut();
			await this.load();
			this.rest();
		} catch (problem) {
			const { field, message } = problem;
			const isMarked = field && form.refuse(field, message);
			setText(error, isMarked ? say("Something is not right yet. It is marked above.") : message);
			if (problem.status === 401) this.explain(problem);
		}
		set(pressed, { "aria-busy": null });
	}

	shut() {
		if (!this.editor) return;
		this.place.removeChild(this.editor);
		this.editor = null;
		this.offer();
	}
}

function momentText(time) {
	const date = new Date(time);
	const options = { weekday: "short", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
	return isNaN(date) ? String(time) : date.toLocaleString(document.documentElement.lang || "en", options);
}
