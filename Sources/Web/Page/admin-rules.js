// Rules: what happens by itself. Their list, how each is, what it did, and the form that makes and changes them.

import { button, element, show } from "./dom.js";
import { fill, mark, RuleNames } from "./rule-names.js";
import { ListPart } from "./people-list.js";
import { newRule, readRule } from "./rule-model.js";
import { Profiles } from "./profiles.js";
import { conditionWords, levelName, recipientWords, sentenceOf, triggerWords } from "./rule-sentence.js";
import { needStyles } from "./styles.js";
import { RuleEditor } from "./rule-form.js";
import { capital, speak } from "./text.js";
import { ask, clip, failure, learn, MOMENT, part, say, sentence, tell, when } from "./people.js";

speak(say);

// Schedules have 24 hours, and so has what comes of them.
const MINUTES = Object.assign({ hourCycle: "h23" }, MOMENT);
const SECONDS = Object.assign({ second: "2-digit" }, MINUTES);
const DAY = { weekday: "short", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const FIRINGS = 50;

const SUSPENSIONS = {
	gone: mark("a thing or a zone of it is not in the present place, or a device is not listed"), rights: mark("its maker may no longer do what it does"),
	maker: mark("its maker is switched off or removed"), not_notifiable: mark("a profile does not let rules notify of a value"),
	not_schedulable: mark("a profile does not let a value be set at set times")
};
const RESULTS = {
	running: mark("is running"), done: mark("done"), failed: mark("failed"), interrupted: mark("was interrupted"),
	condition: mark("did not start: a condition was not met"), edge: mark("did not start: it was so before, or was not known"),
	pause: mark("did not start: not again so soon"), off: mark("did not start: switched off"), suspended: mark("did not start: suspended"),
	missed: mark("did not start: too late"), limited: mark("did not start: too often in a minute"), loop: mark("did not start: rules started each other too often")
};
const CAUSES = {
	start: mark("a time came"), end: mark("its time ended"), range: mark("within its time"), cron: mark("a cron time came"), once: mark("its moment came"), run: mark("somebody ran it")
};
const TRUTHS = { true: mark("Yes"), false: mark("No"), unknown: mark("Not known") };

const listOf = value => (Array.isArray(value) ? value : []);

const path = rule => "rules/" + part(rule.slug);

// What happened

/** A value as `why` and tests have it. */
function valueWords(text, thing, name, names) {
	if (text === "null" || text === "missing") return say("nothing");
	try { return names.value(names.field(thing, name), JSON.parse(text)); } catch (error) { return text; }
}

function changeWords(thing, name, change, names) {
	const field = names.field(thing, name).title;
	return fill("{0}: {1} {2}", names.thingName(thing), field, change.split(" -> ").map(text => valueWords(text, thing, name, names)).join(" → "));
}

/** Why it was to start, in words: "state fridge temperature 7 -> 8". */
function causeWords(why, names) {
	const [, late, text, condition] = /^(missed )?(.*?)(?: \(if\[(\d+)\]\))?$/.exec(why);
	const [kind, ...words] = text.split(" ");
	const [word, ...rest] = words;
	const cause = () => {
		switch (kind) {
		case "state": return changeWords(word, rest[0], rest.slice(1).join(" "), names);
		case "enter": case "exit": {
			const place = /^zone:/.test(word) ? names.zoneName(word.slice(5)) : word === "beacon" ? say("the range of a beacon") : say("a circle");
			if (rest.length) return fill(kind === "enter" ? mark("{1} entered {0}") : mark("{1} left {0}"), place, names.deviceName(rest[0]));
			return fill(kind === "enter" ? mark("this device entered {0}") : mark("this device left {0}"), place);
		}
		case "near": return rest.length ? fill("{1} came near {0}", names.thingName(word), names.deviceName(rest[0])) : fill("{0} came near", names.thingName(word));
		case "far": return rest.length ? fill("{1} is no longer near {0}", names.thingName(word), names.deviceName(rest[0])) : fill("{0} is no longer near", names.thingName(word));
		case "level": return fill("the level became {0}", levelName(word));
		case "device": return fill("the connection of {0} changed", names.thingName(word));
		default: return CAUSES[text] ? say(CAUSES[text]) : text;
		}
	};
	return [cause(), late ? say("late") : "", condition ? fill("condition {0}", Number(condition) + 1) : ""].filter(Boolean).join(", ");
}

/** A message of the daemon, with people in the place of "user:anna". */
const named = (message, names) => String(message).replace(/(^|[;,:] )((?:user|contact|installation|display):[^\s:;,]+)/g,
	(whole, before, recipient) => before + recipientWords(recipient, names));

/** What went wrong with its steps. */
const failures = (results, names) => listOf(results).map((result, index) =>
	(result && result.ok === false ? fill("Step {0}: {1}", index + 1, sentence(named(result.message || result.code, names))) : "")).filter(Boolean);

function historyLine({ ts, result, why, count, results }, names) {
	const times = count > 1 ? " · " + say("{0} times", count) : "";
	return element("li", { class: "result-" + result }, element("p", { class: "item-name", text: capital(RESULTS[result] ? say(RESULTS[result]) : result) }),
		element("p", { class: "item-facts", text: when(ts, SECONDS) + times }), element("p", { class: "item-facts", text: clip(causeWords(why, names), 500) }),
		...failures(results, names).map(text => element("p", { class: "item-note", text: clip(text, 500) })));
}

async function history(rule, names) {
	const { lines } = await ask("GET", path(rule) + "/explain?limit=" + FIRINGS);
	if (!lines.length) return element("div", { text: say("It has not started yet, and nothing could have started it.") });
	return element("div", {}, element("p", { class: "item-facts", text: say("The newest first.") }),
		element("ol", { class: "history" }, ...lines.slice().reverse().map(line => historyLine(line, names))));
}

// Tests

// What a test says where there is nothing to see.
const SIGHTS = {
	none: mark("nothing"), "not known": mark("not known"), "no level": mark("not known"), "no location": mark("not known"), online: mark("reachable"), offline: mark("not reachable"),
	"not known whether it is online": mark("not known whether it is reachable")
};

/** What a start or a condition saw: "temperature 6, door false", a short name, or a time. */
function sightWords(saw, part, names) {
	if (Object.keys(SIGHTS).indexOf(saw) >= 0) return say(SIGHTS[saw]);
	if (/^\d{4}-\d\d-\d\dT/.test(saw)) return when(saw, SECONDS);
	if (part.clause || part.on === "state") return saw.split(", ").map(text => {
		const [name, ...value] = text.split(" ");
		const isField = value.length && names.readable(part.thing).some(field => field.name === name);
		return isField ? names.field(part.thing, name).title + " " + valueWords(value.join(" "), part.thing, name, names) : text;
	}).join(", ");
	const object = names.zone(saw) && (part.zone || /^(enter|exit)$/.test(part.on)) ? names.zoneName(saw) : names.thing(saw) ? names.thingName(saw) : saw;
	return part.level ? levelName(saw) : object;
}

/** What a test saw, a line for each start and each condition. */
function testNode(rule, { wouldFire, lines }, names) {
	const partOf = ({ path: place }) => {
		const [, kind, index] = /^(when|if)\[(\d+)\]$/.exec(place) || [];
		return kind && (rule[kind] || [])[Number(index)];
	};
	const words = line => {
		const one = partOf(line);
		return one ? (/^w/.test(line.path) ? triggerWords(one, names) : conditionWords(one, names)) : line.what;
	};
	const title = wouldFire ? say("It would start now.") : rule.enabled === false ? say("It would not start now: it is switched off.") : say("It would not start now.");
	return element("div", { class: "test", role: "status" }, element("p", { class: "item-name", text: title }), element("ul", {}, ...lines.map(line =>
		element("li", { class: "truth-" + line.truth }, element("strong", { text: TRUTHS[line.truth] ? say(TRUTHS[line.truth]) : line.truth }),
			element("span", { text: " " + words(line) }), element("p", { class: "item-facts", text: fill("It sees: {0}", clip(sightWords(line.saw, partOf(line) || {}, names), 300)) })))));
}

// How a rule is

const pause = time => new Promise(resolve => setTimeout(resolve, time));

/** Why the last firing has failed. */
async function reasons(rule, names) {
	const { lines } = await ask("GET", path(rule) + "/explain?limit=" + FIRINGS);
	const failed = lines.filter(line => line.result === "failed").pop();
	return failed ? failures(failed.results, names) : [];
}

/** Runs a rule, and waits a little for what comes of it. */
async function run(rule, names) {
	await ask("POST", path(rule) + "/run", {});
	for (let count = 0; count < 8; count++) {
		await pause(250);
		const { last } = await ask("GET", path(rule));
		const isNew = last && (!rule.last || last.ts !== rule.last.ts);
		if (!isNew || last.outcome === "running") continue;
		const why = last.outcome === "failed" ? await reasons(rule, names).catch(() => []) : [];
		tell(clip([fill("It was run: {0}.", say(RESULTS[last.outcome] || last.outcome)), ...why].join(" "), 500));
		return;
	}
	tell(say("It runs. Its history says what came of it."));
}

function stateText(rule, names) {
	if (rule.state === "off") return say("Switched off");
	if (rule.state === "suspended") {
		const missing = listOf(rule.missing).map(word => (/^zone:/.test(word) ? names.zoneName(word.slice(5)) : /^device:/.test(word) ? names.deviceName(word.slice(7)) : names.thingName(word.replace(/^thing:/, ""))));
		return fill("Suspended: {0}", SUSPENSIONS[rule.suspended] ? say(SUSPENSIONS[rule.suspended]) : rule.suspended || "") + (missing.length ? " (" + missing.join(", ") + ")" : "");
	}
	return rule.until ? fill("Under way until {0}", when(rule.until, DAY)) : say("Ready");
}

function facts(rule, me, names) {
	const next = [].concat(rule.next || []);
	return [
		[stateText(rule, names), rule.maker === me.name ? "" : fill("made by {0}", rule.maker)].filter(Boolean).join(" · "),
		next.length ? fill("Next: {0}", next.map(time => when(time, DAY)).join(" · ")) : "",
		rule.last ? fill("Last: {0}, {1}", when(rule.last.ts, MINUTES), say(RESULTS[rule.last.outcome] || rule.last.outcome)) : say("It has not started yet.")
	];
}

function actions(rule, { names, edit }) {
	return [
		rule.enabled ? { label: say("Switch off"), done: say("The rule is switched off."), act: () => ask("POST", path(rule) + "/off", {}) }
			: { label: say("Switch on"), done: say("The rule is switched on."), act: () => ask("POST", path(rule) + "/on", {}) },
		{ label: say("Edit"), act: () => edit(rule) },
		{ label: say("History"), panel: () => history(rule, names) },
		{ label: say("Test"), panel: async () => testNode(rule, await ask("POST", path(rule) + "/test", {}), names) },
		{
			label: say("Run"), isHarmless: true, question: fill("Do now what {0} does, whatever its conditions say?", rule.title), act: () => run(rule, names)
		},
		{
			label: say("Remove"), question: fill("Remove the rule {0}? What it does no longer happens.", rule.title), done: say("The rule is removed."),
			act: () => ask("DELETE", path(rule))
		}
	];
}

// The form

/** The card of the form, in the place of the list while it is open. */
class EditorCard {
	constructor(context) {
		this.context = context;
		this.node = element("section", { class: "card part", hidden: true });
		this.title = element("h2", { tabindex: "-1" });
	}

	refresh() { /* The form has no list. */ }

	/** Opens the form. Resolves when it is closed, with what was done. */
	open(rule, list) {
		const { me, names } = this.context;
		this.node.textContent = "";
		this.title.textContent = rule ? fill("Change the rule {0}", rule.title) : say("A new rule");
		this.node.appendChild(this.title);
		if (rule && rule.maker !== me.name) {
			this.node.appendChild(element("p", { class: "hint", text: fill("Made by {0}. If you save it, you become its maker, and it acts with your rights.", rule.maker) }));
		}
		return new Promise(resolve => {
			const close = answer => {
				show(this.node, false);
				show(list.node, true);
				this.node.textContent = "";
				resolve(answer);
			};
			const editor = new RuleEditor({
				draft: rule ? readRule(rule) : newRule(), context: this.context, isNew: !rule,
				send: json => (rule ? ask("PUT", path(rule), json) : ask("POST", "rules", json)),
				test: async json => testNode(json, await ask("POST", "rules?test=1", json), names),
				done: answer => {
					tell(rule ? say("The rule is changed.") : say("The rule is added."));
					close(told(answer));
				},
				cancel: () => close(null)
			});
			this.node.appendChild(editor.node);
			show(list.node, false);
			show(this.node, true);
			this.title.scrollIntoView();
			editor.focus();
		});
	}
}

/** An answer with its warnings as lists show them. */
const told = answer => Object.assign({}, answer, { warnings: (answer && answer.warnings || []).map(message => ({ message })) });

export async function rulesParts({ me, scopes, users }) {
	const [experience, contacts, devices] = await Promise.all([
		ask("GET", "experience").catch(() => ({})), ask("GET", "contacts").catch(() => []), ask("GET", "devices").catch(() => []), learn(() => import("./rules-german.js")),
		learn(() => import("./profile-german.js")), needStyles("rules.css")
	]);
	const names = new RuleNames({
		things: scopes.things, zones: scopes.zones, environments: scopes.environments, profiles: new Profiles(experience || {}), users, contacts: listOf(contacts),
		// The daemon's own has no kind.
		devices: listOf(devices).filter(one => one.kind)
	});
	const card = new EditorCard({ me, names, users, contacts: listOf(contacts) });
	let list = null;
	// It may have changed since the list was read, which has not all of very many rules.
	const edit = async rule => card.open(await ask("GET", path(rule)), list);
	const opener = button({ class: "button", text: say("Add a rule") }, async () => {
		const answer = await card.open(null, list);
		list.warn(answer);
		if (answer) await list.refresh();
		if (!answer || !list.reveal(answer.id)) opener.focus();
	});
	list = new ListPart({
		title: say("Rules"), note: say("What happens by itself: at a time, when a thing reports something, or when a device moves. A rule acts with the rights of the user who made it."),
		before: element("div", { class: "buttons" }, opener), keyOf: rule => rule.id,
		empty: say("There are no rules yet."),
		load: async () => (await ask("GET", "rules?details=1")).rules,
		row: rule => ({
			name: rule.title, title: rule.slug, facts: facts(rule, me, names), notes: [clip(rule.when ? sentenceOf(rule, names) : rule.sentence, 1500), rule.description],
			actions: actions(rule, { names, edit })
		})
	});
	return [list, card];
}
