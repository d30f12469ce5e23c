// A rule as one sentence, for people: what starts it, what must be so, and what is done.

import { fill, mark } from "./rule-names.js";
import { decimal, say } from "./text.js";
import { readLength, shortTime } from "./rule-model.js";

const OCCURRENCES = [mark("the first"), mark("the second"), mark("the third"), mark("the fourth"), mark("the fifth"), mark("the last")];
const LEVELS = { Active: mark("Active"), Limited: mark("Limited"), Background: mark("In the background"), NotRunning: mark("Not running"), Disconnected: mark("Disconnected") };
const CEILINGS = { FULL: "Active", LIMITED: "Limited", BACKGROUND: "Background", NONE: "NotRunning" };
const CHANNELS = { email: mark("e-mail"), sms: mark("SMS"), push: mark("push message") };
const UNITS = { s: mark("{0} s"), min: mark("{0} min"), h: mark("{0} h"), d: mark("{0} days") };
const COMPARISONS = {
	eq: mark("{0} is {1}"), ne: mark("{0} is not {1}"), ge: mark("{0} is at least {1}"), gt: mark("{0} is above {1}"), le: mark("{0} is at most {1}"),
	lt: mark("{0} is below {1}")
};

/** Comparisons as a list to choose from. */
export const COMPARISON_NAMES = {
	eq: mark("is"), ne: mark("is not"), ge: mark("is at least"), gt: mark("is above"), le: mark("is at most"), lt: mark("is below"), between: mark("is between")
};

/** The calls of the lifecycle. */
export const CALLS = ["applicationDidConnect", "applicationDidDisconnect", "applicationDidFinishLaunching", "applicationDidClose",
	"applicationDidEnterBackground", "applicationDidBecomeLimited", "applicationDidBecomeActive", "applicationDidBecomeAudible",
	"applicationDidBecomeAttenuated", "applicationDidBecomeNotAudible", "applicationDidEnterMainContext", "applicationDidEnterVoiceRecognitionSession",
	"applicationDidEnterMenu", "applicationDidBecomeObscured", "applicationDidDisplayAlert", "shouldUpdateLifecycleConfigurationToLanguage"];

const EVENTS = {
	on_connect: mark("{0} connects"), ip_change: mark("{0} changes its address"), on_connection_lost: mark("{0} is not reachable"),
	on_connection_restore: mark("{0} is reachable again")
};

const language = () => document.documentElement.lang || "en";

/** A day as the language writes it. The first of January 2017 was a Sunday. */
const dateWords = (time, options) => new Date(time).toLocaleDateString(language(), Object.assign({ timeZone: "UTC" }, options));

/** A date such as 2026-12-20; what is none stays as it is. */
export const dayOf = text => (isNaN(Date.parse(text)) ? text : dateWords(Date.parse(text), { year: "numeric", month: "short", day: "numeric" }));

export const weekday = number => dateWords(Date.UTC(2017, 0, number), { weekday: "long" });

export const month = number => dateWords(Date.UTC(2017, number - 1, 1), { month: "long" });

export const occurrence = number => say(OCCURRENCES[number - 1] || "…");

export const levelName = level => say(LEVELS[level] || level);

export const LEVEL_NAMES = Object.keys(LEVELS);

export const CEILING_LEVELS = Object.keys(CEILINGS);

export const ceilingName = ceiling => levelName(CEILINGS[ceiling] || ceiling);

/** "a", "a or b", "a, b or c". */
export function series(words, two) {
	if (words.length < 2) return words[0] || "…";
	return fill(two, words.slice(0, -1).join(", "), words[words.length - 1]);
}

const any = words => series(words, mark("{0} or {1}"));

export const every = words => series(words, mark("{0} and {1}"));

/** A length of time: "5 min". */
export function length(seconds) {
	const { amount, unit } = readLength(seconds);
	return amount === 1 && unit === "d" ? say("1 day") : fill(UNITS[unit], decimal(amount || 0));
}

const lengthOfClock = clock => length(clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0));

// Times

/** A time of the day: "08:00", "30 min before sunset". */
function timeWords(text) {
	const match = /^(sunrise|sunset)(?:([+-])(\d\d:\d\d:\d\d))?$/.exec(text);
	if (!match) return shortTime(text);
	const event = match[1] === "sunrise" ? say("sunrise") : say("sunset");
	if (!match[2]) return event;
	return fill(match[2] === "-" ? mark("{0} before {1}") : mark("{0} after {1}"), lengthOfClock(match[3]), event);
}

const isSame = (list, other) => list.length === other.length && other.every(one => list.indexOf(one) >= 0);

function weekdayWords(days, which) {
	if (which.length) return fill("on {0} {1}", every(which.map(occurrence)), every(days.map(weekday)));
	if (isSame(days, [2, 3, 4, 5, 6])) return say("on weekdays");
	if (isSame(days, [1, 7])) return say("at weekends");
	return days.length === 7 ? "" : fill("on {0}", every(days.slice().sort((a, b) => (a + 5) % 7 - (b + 5) % 7).map(weekday)));
}

/** On which days a schedule is. */
function dayWords({ daysOfWeek = [], dayOccurOfMonth = [], daysOfMonth = [], monthsOfYear = [], startDate, endDate, utc, timeZone }) {
	return [
		daysOfWeek.length ? weekdayWords(daysOfWeek, dayOccurOfMonth) : dayOccurOfMonth.length ? fill("in {0} week of the month", every(dayOccurOfMonth.map(occurrence))) : "",
		daysOfMonth.length ? fill("on day {0} of the month", every(daysOfMonth.map(day => (day === 32 ? say("the last") : String(day))))) : "",
		monthsOfYear.length ? fill("in {0}", every(monthsOfYear.map(month))) : "", startDate ? fill("from {0} on", dayOf(startDate)) : "",
		endDate ? fill("until {0}", dayOf(endDate)) : "", utc ? say("(UTC)") : timeZone ? "(" + timeZone + ")" : ""
	].filter(Boolean).map(text => " " + text).join("");
}

const repetition = ({ duration, interval }) =>
	[duration ? fill("for {0}", length(duration)) : "", interval ? fill("every {0}", length(interval)) : ""].filter(Boolean).map(text => " " + text).join("");

function startWords({ startTimeEachDay: start, endTimeEachDay: end, timeBeforeEnd: before }) {
	if (start) return timeWords(start);
	return before ? fill("{0} before {1}", lengthOfClock(before), end ? timeWords(end) : "…") : "…";
}

/** When a schedule begins: "08:00 (until 20:00) on Monday". */
export function scheduleWords(schedule) {
	const { startTimeEachDay: start, endTimeEachDay: end } = schedule;
	const until = end && start ? " " + fill("(until {0})", timeWords(end)) : "";
	return startWords(schedule) + until + repetition(schedule) + dayWords(schedule);
}

/** Its range: "between 08:00 and 20:00 on Monday". */
function rangeWords(schedule) {
	const { startTimeEachDay: start, endTimeEachDay: end } = schedule;
	const range = start && end ? fill("between {0} and {1}", timeWords(start), timeWords(end)) : fill("from {0}", startWords(schedule));
	return range + repetition(schedule) + dayWords(schedule);
}

/** A moment as people write it; what is none stays as it is. */
function momentWords(time) {
	const date = new Date(time);
	if (isNaN(date)) return String(time || "…");
	return date.toLocaleString(language(), { year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

// Clauses

/** What a clause about a thing says. */
export function clauseWords(clause, thing, names) {
	const { type } = clause || {};
	const subject = field => subjectWords(thing, field, names);
	switch (type) {
	case "and": case "or": {
		const parts = (clause.clauses || []).map(part => {
			const words = clauseWords(part, thing, names);
			return (part.type === "and" || part.type === "or") && (part.clauses || []).length > 1 ? "(" + words + ")" : words;
		});
		return type === "and" ? every(parts) : any(parts);
	}
	case "not": case "eq": {
		const { field, value } = type === "not" ? clause.clause || {} : clause;
		const told = names.value(names.field(thing, field), value);
		// A lamp is on; nobody says that its on is on.
		if (field === "on" && typeof value === "boolean" && type === "eq") return fill(value ? mark("{0} is on") : mark("{0} is off"), names.thingName(thing));
		return fill(COMPARISONS[type === "not" ? "ne" : "eq"], subject(field), told);
	}
	case "range": return rangeOf(clause, subject(clause.field), names.field(thing, clause.field), names);
	case "withinTimeRange": return fill("{0} reported between {1} and {2}", names.thingName(thing), momentWords(clause.lowerLimit), momentWords(clause.upperLimit));
	default: return fill("{0} is in any state", names.thingName(thing));
	}
}

/** "Fridge's temperature". */
function subjectWords(thing, name, names) {
	const title = name ? names.field(thing, name).title : "…";
	// Nouns stay as they are in German, and so do abbreviations.
	const isWord = !/^de\b/.test(document.documentElement.lang) && /^[A-Z](?![A-Z0-9])/.test(title);
	const told = isWord ? title.charAt(0).toLowerCase() + title.slice(1) : title;
	return names.isGone(thing) ? fill("the {0} of a thing that is gone", told) : fill("{0}'s {1}", names.thingName(thing), told);
}

function rangeOf({ lowerLimit: low, lowerIncluded, upperLimit: high, upperIncluded }, subject, field, names) {
	// A limit is a number, also where some of them have names.
	const told = value => names.value(Object.assign({}, field, { options: [] }), value);
	// While a limit is missing, what is said of it tells which comparison was chosen.
	const [isLow, isHigh] = [low !== undefined || lowerIncluded !== undefined, high !== undefined || upperIncluded !== undefined];
	if (isLow && isHigh) {
		const isWhole = lowerIncluded !== false && upperIncluded !== false;
		return fill(isWhole ? mark("{0} is from {1} to {2}") : mark("{0} is between {1} and {2}"), subject, limit(told(low), lowerIncluded, isWhole), limit(told(high), upperIncluded, isWhole));
	}
	if (isHigh) return fill(COMPARISONS[upperIncluded === false ? "lt" : "le"], subject, told(high));
	return fill(COMPARISONS[lowerIncluded === false ? "gt" : "ge"], subject, told(low));
}

const limit = (text, isIncluded, isWhole) => (isWhole || isIncluded !== false ? text : fill("{0} (not included)", text));

// Triggers, conditions, actions

function stateWords({ thing, clause, field, edge, for: hold, margin }, names) {
	if (field || !clause) {
		const subject = subjectWords(thing, field, names);
		return edge === "CONDITION_TRUE" ? fill("{0} is reported", subject) : fill("{0} changes", subject);
	}
	const words = clauseWords(clause, thing, names) + (hold ? " " + fill("for {0}", length(hold)) : "") +
		(margin ? " " + marginWords(clause, margin, names.field(thing, clause.field), names) : "");
	if (edge === "CONDITION_TRUE") return fill("{0} reports while {1}", names.thingName(thing), words);
	return edge === "CONDITION_CHANGED" ? fill("it changes whether {0}", words) : words;
}

/** How far a value must go until the clause is no longer so. */
function marginWords({ type, lowerLimit: low, upperLimit: high }, margin, field, names) {
	const told = value => names.value(field, value);
	if (type !== "range") return fill("(until it is {0} beyond the limit)", told(margin));
	if (low !== undefined && high !== undefined) return fill("(until it is below {0} or above {1})", told(low - margin), told(high + margin));
	return high === undefined ? fill("(until it is below {0})", told(low - margin)) : fill("(until it is above {0})", told(high + margin));
}

function placeWords({ zone, geofence, beacon }, names) {
	if (geofence) {
		const { latitude, longitude, radius } = geofence;
		const told = [radius, latitude, longitude].map((number, index) => (Number.isFinite(number) ? decimal(number, index ? 5 : 3) : "…"));
		return fill("the circle of {0} m around {1}, {2}", ...told);
	}
	if (!beacon) return names.zoneName(zone);
	const known = names.beacon(beacon);
	if (known && known.numbers.minor === undefined) return fill("the range of the beacons of {0}", known.name);
	const { uuid, major, minor, namespace, instance } = beacon;
	const numbers = [uuid || namespace || "…", major, minor, instance].filter(part => part !== undefined).join(" ");
	return fill("the range of the beacon {0}", known ? known.name : numbers);
}

/** Who comes or goes; without a device it is this one. */
function movementWords(trigger, names) {
	const { on, device } = trigger;
	const where = on === "enter" || on === "exit" ? placeWords(trigger, names) : names.thingName(trigger.thing);
	const [own, other] = {
		enter: [mark("this device enters {0}"), mark("{1} enters {0}")], exit: [mark("this device leaves {0}"), mark("{1} leaves {0}")],
		near: [mark("{0} comes near"), mark("{1} comes near {0}")], far: [mark("{0} is no longer near"), mark("{1} is no longer near {0}")]
	}[on];
	return device ? fill(other, where, names.deviceName(device)) : fill(own, where);
}

/** What a trigger waits for: "Fridge: Temperature is at least 8 °C". */
export function triggerWords(trigger, names) {
	const { on, thing, missed } = trigger;
	switch (on) {
	case "state": return stateWords(trigger, names);
	case "schedule": return fill("it is {0}", scheduleWords(trigger)) + late(missed === "run");
	case "cron": return fill("cron's “{0}” is due", trigger.cron || "…") + zoneWords(trigger) + late(missed === "run");
	case "once": return fill("it is {0}", momentWords(trigger.at)) + (missed === "skip" ? " " + say("(not late)") : "");
	case "enter": case "exit": case "near": case "far": return movementWords(trigger, names);
	case "lifecycle": return trigger.call ? fill("{0} is called", trigger.call) : fill("the level becomes {0}", trigger.level ? levelName(trigger.level) : "…");
	default: {
		const { event, threshold = /^(on_connect|ip_change)$/.test(event) ? 0 : 300 } = trigger;
		return fill(EVENTS[event] || EVENTS.on_connection_lost, names.thingName(thing)) + (threshold ? " " + fill("for {0}", length(threshold)) : "");
	}
	}
}

const late = isRun => (isRun ? " " + say("(also late)") : "");

const zoneWords = ({ utc, timeZone }) => (utc ? " " + say("(UTC)") : timeZone ? " (" + timeZone + ")" : "");

/** What must be so: "between 08:00 and 20:00". */
export function conditionWords(condition, names) {
	if (condition.during) return rangeWords(condition.during);
	const { device } = condition;
	if (condition.zone) {
		const where = any(condition.zone.map(word => names.zoneName(word)));
		return device ? fill("while {1} is in {0}", where, names.deviceName(device)) : fill("in {0}", where);
	}
	if (condition.near) {
		const what = any(condition.near.map(word => names.thingName(word)));
		return device ? fill("while {1} is near {0}", what, names.deviceName(device)) : fill("near {0}", what);
	}
	if (condition.level) return fill("at the level {0}", any(condition.level.map(levelName)));
	return condition.clause ? fill("while {0}", clauseWords(condition.clause, condition.thing, names)) : "…";
}

const SWITCHED = { ON: mark("{0} goes on"), OFF: mark("{0} goes off"), TOGGLE: mark("{0} goes on if it is off, and off if it is on") };

function setWords(values, target, names) {
	const who = names.targetName(target);
	const given = Object.keys(values);
	const isSwitch = name => (name === "on" && typeof values[name] === "boolean") || name === "state" && SWITCHED[values[name]];
	const switches = given.filter(isSwitch).map(name => fill(SWITCHED[name === "on" ? values.on ? "ON" : "OFF" : values[name]], who));
	const others = given.filter(name => !isSwitch(name)).map(name => {
		const field = names.setField(target, name);
		return fill("{0} {1}", field.title, names.value(field, values[name]));
	});
	if (others.length || !switches.length) switches.push(fill("{0} gets {1}", who, every(others)));
	return every(switches);
}

/** Who gets a message: "user:anna" as people say it. */
export function recipientWords(recipient, names) {
	if (typeof recipient === "object") return recipient.email || recipient.sms || "…";
	const [kind, ...rest] = String(recipient).split(":");
	const name = rest.join(":");
	if (recipient === "display:all") return say("all displays");
	switch (kind) {
	case "user": return names.userName(name);
	case "contact": return names.contactName(name);
	case "display": return fill("the display {0}", name);
	default: return fill("the device {0}", name);
	}
}

function workWords(action, names) {
	const { set, command, notify, channels = [] } = action;
	if (set) return setWords(set, action.target, names);
	if ("action" in action) return fill("{0} does “{1}”", names.targetName(action.target), action.action ? names.actionName(action.action) : "…");
	if (command) {
		const steps = [].concat(...(command.actions || []).map(step => Object.keys(step)));
		return fill("{0} gets the command {1}", names.targetName(action.target), every(steps.map(name => fill("“{0}”", name))));
	}
	if (notify) {
		const who = every([].concat(notify).map(one => recipientWords(one, names)));
		if (!channels.length) return fill("a message goes to {0}", who);
		return fill("a message goes to {0} by {1}", who, every(channels.map(channel => say(CHANNELS[channel] || channel))));
	}
	if ("ceiling" in action) return action.ceiling ? fill("the level is at most {0}", ceilingName(action.ceiling)) : say("its limit on the level ends");
	return "publish" in action ? say("it publishes a message") : "…";
}

/** What is done: "Lamp goes on". */
function actionWords(action, names) {
	const at = action.at === "end" ? " " + say("(at the end)") : action.at === "range" ? " " + say("(also later)") : "";
	return workWords(action, names) + at;
}

const SWITCHED_BACK = { ON: mark("{0} goes on, and off at the end"), OFF: mark("{0} goes off, and on at the end") };

/** On or off, of an action that does nothing else. */
function switched({ set = {} }) {
	const [name, ...others] = Object.keys(set);
	if (others.length || name !== "on" && name !== "state") return "";
	return set[name] === true || set[name] === "ON" ? "ON" : set[name] === false || set[name] === "OFF" ? "OFF" : "";
}

/** All that is done. What goes on, and off at the end, is said at once. */
export function actionsWords(actions, names) {
	const words = [];
	for (let index = 0; index < actions.length; index += 1) {
		const [one, next] = [actions[index], actions[index + 1] || {}];
		const [now, later] = [switched(one), switched(next)];
		const isPair = now && later && now !== later && one.target === next.target && (one.at || "start") === "start" && next.at === "end";
		words.push(isPair ? fill(SWITCHED_BACK[now], names.targetName(one.target)) : actionWords(one, names));
		if (isPair) index += 1;
	}
	return words;
}

/** Several that have commas themselves. */
const clauses = (words, two) => (words.length < 2 ? words[0] || "…" : fill(two, words.slice(0, -1).join(", "), words[words.length - 1]));

/** The whole rule. Whatever is missing is "…". */
export function sentenceOf(rule, names) {
	const start = clauses((rule.when || []).map(trigger => triggerWords(trigger, names)), mark("{0}, or {1}"));
	const conditions = (rule.if || []).map(condition => ", " + conditionWords(condition, names)).join("");
	const pause = rule.pause ? ", " + fill("at most once in {0}", length(rule.pause)) : "";
	const actions = clauses(actionsWords(rule.then || [], names), mark("{0}, and {1}"));
	return fill("When {0}: {1}.", start + conditions + pause, actions);
}
