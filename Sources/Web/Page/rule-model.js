// A rule as a form holds it: each part with what kind it is, and all that a person may write. It is read from the daemon's
// JSON and written as that again, without loss.

const SECONDS = { s: 1, min: 60, h: 3600, d: 86400 };

export const UNITS = Object.keys(SECONDS);

const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const isEmpty = value => value === undefined || value === null || value === "";
const listOf = value => (Array.isArray(value) ? value.slice() : isEmpty(value) ? [] : [value]);
const numberOf = value => (isEmpty(value) ? undefined : Number(value));

/** An object without what is empty. */
function filled(members) {
	return Object.keys(members).reduce((all, key) => {
		const value = members[key];
		return isEmpty(value) || Array.isArray(value) && !value.length ? all : Object.assign(all, { [key]: value });
	}, {});
}

// Lengths of time: an amount and its unit

export function readLength(seconds) {
	if (!(seconds > 0)) return { amount: "", unit: "min" };
	const unit = UNITS.slice().reverse().find(one => seconds % SECONDS[one] === 0) || "s";
	return { amount: seconds / SECONDS[unit], unit };
}

export const writeLength = ({ amount, unit }) => (isEmpty(amount) ? undefined : Math.round(Number(amount) * SECONDS[unit]));

/** Seconds as the daemon writes some lengths: 00:30:00. */
const clockOf = seconds => new Date(Math.round(seconds) * 1000).toISOString().slice(11, 19);

const secondsOf = clock => String(clock).split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

// Values of fields: anything that JSON has

/** What was typed, as JSON where it is some, else as text. */
export function parseValue(text) {
	if (isEmpty(text)) return undefined;
	try { return JSON.parse(text); } catch (error) { return text; }
}

/** A value as it is typed: quotes only where a text would be taken for something else. */
export function typedValue(value) {
	if (value === undefined) return "";
	if (typeof value !== "string") return JSON.stringify(value);
	return isJSON(value) || isLikeJSON(value) ? JSON.stringify(value) : value;
}

function isJSON(text) {
	try { JSON.parse(text); } catch (error) { return false; }
	return true;
}

const isLikeJSON = text => /^\s*[{[]/.test(text);

/** Whether something begins like JSON and is none: hardly ever meant as a text, which has quotes then. */
export const isBrokenValue = text => isLikeJSON(text) && !isJSON(text);

const readValues = object => Object.keys(object || {}).map(name => ({ name, value: object[name] }));

const writeValues = values => values.reduce((all, { name, value }) =>
	(isEmpty(name) || value === undefined ? all : Object.assign(all, { [name]: value })), {});

// Clauses

export const newClause = kind => (kind === "and" || kind === "or" ? { kind, parts: [newClause("compare")] } : { kind, field: "", comparison: "eq" });

const RANGES = { ge: ["lower", true], gt: ["lower", false], le: ["upper", true], lt: ["upper", false] };

/** Comparisons with numbers only. */
export const isOrder = comparison => has(RANGES, comparison) || comparison === "between";

function readRange({ field, lowerLimit, lowerIncluded, upperLimit, upperIncluded }) {
	const [includesLow, includesHigh] = [lowerIncluded !== false, upperIncluded !== false];
	const base = { kind: "compare", field };
	if (!isEmpty(lowerLimit) && !isEmpty(upperLimit)) {
		return Object.assign(base, { comparison: "between", low: lowerLimit, high: upperLimit, includesLow, includesHigh });
	}
	if (!isEmpty(lowerLimit)) return Object.assign(base, { comparison: includesLow ? "ge" : "gt", value: lowerLimit });
	return Object.assign(base, { comparison: includesHigh ? "le" : "lt", value: upperLimit });
}

export function readClause(json) {
	switch (json && json.type) {
	case "and": case "or": return { kind: json.type, parts: listOf(json.clauses).map(readClause) };
	case "all": return { kind: "all" };
	case "withinTimeRange": return { kind: "time", from: json.lowerLimit, to: json.upperLimit };
	case "not": return Object.assign(readClause(json.clause), { comparison: "ne" });
	case "eq": return { kind: "compare", comparison: "eq", field: json.field, value: json.value };
	case "range": return readRange(json);
	default: return newClause("compare");
	}
}

export function writeClause(draft) {
	const { kind, field, comparison, value } = draft;
	if (kind === "and" || kind === "or") return { type: kind, clauses: draft.parts.map(writeClause) };
	if (kind === "all") return { type: "all" };
	if (kind === "time") return filled({ type: "withinTimeRange", lowerLimit: draft.from, upperLimit: draft.to });
	if (comparison === "between") {
		return filled({
			type: "range", field, lowerLimit: numberOf(draft.low), lowerIncluded: draft.includesLow !== false,
			upperLimit: numberOf(draft.high), upperIncluded: draft.includesHigh !== false
		});
	}
	if (has(RANGES, comparison)) {
		const [side, isIncluded] = RANGES[comparison];
		return filled({ type: "range", field, [side + "Limit"]: numberOf(value), [side + "Included"]: isIncluded });
	}
	const equal = Object.assign(filled({ type: "eq", field }), value === undefined ? {} : { value });
	return comparison === "ne" ? { type: "not", clause: equal } : equal;
}

// Schedules

/** A time of the day: by the clock, or so long before or after the sun's. */
function readTime(text) {
	const match = /^(sunrise|sunset)(?:([+-])(.+))?$/.exec(text || "");
	if (match) return { kind: match[1], way: match[2] || "+", offset: readLength(match[3] ? secondsOf(match[3]) : 0), time: "" };
	return { kind: text ? "clock" : "", way: "+", offset: readLength(0), time: shortTime(text || "") };
}

/** Without seconds that are none. */
export const shortTime = text => (/^\d\d:\d\d:00$/.test(text) ? text.slice(0, 5) : text);

const wholeTime = text => (/^\d\d:\d\d$/.test(text) ? text + ":00" : text);

function writeTime({ kind, way, offset, time }) {
	if (kind !== "sunrise" && kind !== "sunset") return kind ? wholeTime(time) : undefined;
	const seconds = writeLength(offset);
	return seconds > 0 && seconds < 86400 ? kind + way + clockOf(seconds) : kind;
}

export function readSchedule(json = {}) {
	return {
		start: readTime(json.startTimeEachDay), end: readTime(json.endTimeEachDay), before: readLength(json.timeBeforeEnd ? secondsOf(json.timeBeforeEnd) : 0),
		duration: readLength(json.duration), interval: readLength(json.interval), startDate: json.startDate || "", endDate: json.endDate || "",
		monthsOfYear: listOf(json.monthsOfYear), daysOfMonth: listOf(json.daysOfMonth), daysOfWeek: listOf(json.daysOfWeek),
		dayOccurOfMonth: listOf(json.dayOccurOfMonth), utc: json.utc === true, timeZone: json.timeZone || ""
	};
}

export function newSchedule() {
	const schedule = readSchedule();
	schedule.start.kind = "clock";
	return schedule;
}

export function writeSchedule(draft) {
	const before = writeLength(draft.before);
	const { startDate, endDate, monthsOfYear, daysOfMonth, daysOfWeek, dayOccurOfMonth, timeZone } = draft;
	return filled({
		startDate, endDate, monthsOfYear, daysOfMonth, daysOfWeek, dayOccurOfMonth, startTimeEachDay: writeTime(draft.start),
		endTimeEachDay: writeTime(draft.end), timeBeforeEnd: before > 0 && before < 86400 ? clockOf(before) : undefined, duration: writeLength(draft.duration),
		interval: writeLength(draft.interval), utc: draft.utc || undefined, timeZone
	});
}

/** Whether runs of a schedule have an end, so that something may be done at it. */
export const hasEnd = draft => Boolean(draft.end.kind) || !isEmpty(draft.duration.amount);

// Triggers

export const TRIGGERS = ["state", "schedule", "cron", "once", "enter", "exit", "near", "far", "lifecycle", "device"];

const MISSED = { schedule: "skip", cron: "skip", once: "run" };

function readPlace(json) {
	const { geofence, beacon, zone } = json;
	const circle = geofence || {};
	const name = beacon || {};
	return {
		where: geofence ? "geofence" : beacon ? "beacon" : "zone", zone: zone || "", latitude: circle.latitude, longitude: circle.longitude,
		radius: circle.radius, beacon: has(name, "namespace") ? "eddystone" : "ibeacon", uuid: name.uuid, major: name.major, minor: name.minor,
		namespace: name.namespace, instance: name.instance, rssi: json.rssi, gone: readLength(json.gone)
	};
}

function writePlace(draft) {
	const { where, zone, device, latitude, longitude, radius, uuid, major, minor, namespace, instance, rssi } = draft;
	if (where === "zone") return filled({ zone, device });
	if (where === "geofence") {
		return { geofence: filled({ latitude: numberOf(latitude), longitude: numberOf(longitude), radius: numberOf(radius) }) };
	}
	const isPlain = draft.beacon !== "eddystone";
	const gone = writeLength(draft.gone);
	return filled({
		beacon: filled(isPlain ? { uuid, major: numberOf(major), minor: numberOf(minor) } : { namespace, instance }),
		rssi: numberOf(rssi), gone: gone === 60 ? undefined : gone
	});
}

export function readTrigger(json) {
	const kind = json.on;
	const base = { kind, thing: json.thing || "" };
	switch (kind) {
	case "state": return Object.assign(base, {
		watches: has(json, "field") ? "field" : "clause", field: json.field || "", clause: readClause(json.clause),
		edge: json.edge || (has(json, "field") ? "CONDITION_CHANGED" : "CONDITION_FALSE_TO_TRUE"), for: readLength(json.for), margin: json.margin
	});
	case "schedule": return Object.assign(base, { schedule: readSchedule(json), missed: json.missed || MISSED[kind] });
	case "cron": case "once": return Object.assign(base, {
		cron: json.cron || "", at: json.at || "", missed: json.missed || MISSED[kind], timeZone: json.timeZone || "", utc: json.utc === true
	});
	case "enter": case "exit": return Object.assign(base, readPlace(json), { device: json.device || "" });
	case "near": case "far": return Object.assign(base, { device: json.device || "" });
	case "lifecycle": return Object.assign(base, { what: has(json, "call") ? "call" : "level", call: json.call || "", level: json.level || "" });
	case "device": return Object.assign(base, { event: json.event || "", threshold: readLength(json.threshold) });
	default: return base;
	}
}

export function newTrigger(kind) {
	const draft = readTrigger({ on: kind });
	if (kind === "schedule") draft.schedule = newSchedule();
	return draft;
}

function writeState({ thing, watches, field, clause, edge, for: hold, margin }) {
	if (watches === "field") return filled({ on: "state", thing, field, edge: edge === "CONDITION_CHANGED" ? "" : edge });
	return filled({
		on: "state", thing, clause: writeClause(clause), edge: edge === "CONDITION_FALSE_TO_TRUE" ? "" : edge, for: writeLength(hold) || undefined,
		margin: numberOf(margin) || undefined
	});
}

export function writeTrigger(draft) {
	const { kind, thing } = draft;
	const on = kind;
	const missed = draft.missed === MISSED[kind] ? undefined : draft.missed;
	switch (kind) {
	case "state": return writeState(draft);
	case "schedule": return Object.assign({ on }, writeSchedule(draft.schedule), filled({ missed }));
	case "cron": return filled({ on, cron: draft.cron, missed, timeZone: draft.timeZone, utc: draft.utc || undefined });
	case "once": return filled({ on, at: draft.at, missed, timeZone: draft.timeZone, utc: draft.utc || undefined });
	case "enter": case "exit": return Object.assign({ on }, writePlace(draft));
	case "lifecycle": return filled(draft.what === "call" ? { on, call: draft.call } : { on, level: draft.level });
	case "device": return filled({ on, thing, event: draft.event, threshold: writeLength(draft.threshold) });
	default: return filled({ on, thing, device: draft.device });
	}
}

// Conditions

export const CONDITIONS = ["state", "during", "zone", "near", "level"];

export function readCondition(json) {
	const kind = CONDITIONS.find(one => has(json, one)) || "state";
	if (kind === "state") return { kind, thing: json.thing || "", clause: readClause(json.clause) };
	return kind === "during" ? { kind, schedule: readSchedule(json.during) } : { kind, names: listOf(json[kind]), device: json.device || "" };
}

export function newCondition(kind) {
	if (kind === "state") return readCondition({});
	if (kind !== "during") return { kind, names: [] };
	const schedule = newSchedule();
	// One is within a time that has an end.
	schedule.end.kind = "clock";
	return { kind, schedule };
}

export function writeCondition(draft) {
	const { kind } = draft;
	if (kind === "state") return filled({ thing: draft.thing, clause: writeClause(draft.clause) });
	return kind === "during" ? { during: writeSchedule(draft.schedule) } : filled({ [kind]: draft.names, device: draft.device });
}

// Actions

export const ACTIONS = ["set", "action", "command", "notify", "ceiling", "publish"];

function readRecipient(value) {
	if (value && typeof value === "object") return has(value, "sms") ? { kind: "sms", name: value.sms } : { kind: "email", name: value.email };
	const [kind, ...rest] = String(value).split(":");
	return value === "display:all" ? { kind: "all", name: "" } : { kind, name: rest.join(":") };
}

function writeRecipient({ kind, name }) {
	if (kind === "all") return "display:all";
	if (isEmpty(name)) return undefined;
	return kind === "email" || kind === "sms" ? { [kind]: name } : kind + ":" + name;
}

const readCommand = command => ({
	steps: listOf(command.actions).map(step => readValues(step)[0] || { name: "", value: true }), issuer: command.issuer || "", schema: command.schema || "",
	schemaVersion: command.schemaVersion, title: command.title || "", description: command.description || "", metadata: readValues(command.metadata),
	hasMetadata: has(command, "metadata")
});

function writeCommand({ steps, issuer, schema, schemaVersion, title, description, metadata, hasMetadata }) {
	return filled({
		actions: steps.filter(({ name }) => !isEmpty(name)).map(({ name, value }) => ({ [name]: value === undefined ? null : value })), issuer, schema,
		schemaVersion: numberOf(schemaVersion), title, description, metadata: metadata.length || hasMetadata ? writeValues(metadata) : undefined
	});
}

export function readAction(json) {
	const kind = ACTIONS.find(one => has(json, one)) || "set";
	const base = { kind, target: json.target || "", at: json.at || "start" };
	switch (kind) {
	case "set": return Object.assign(base, { values: readValues(json.set) });
	case "action": return Object.assign(base, { action: json.action });
	case "command": return Object.assign(base, readCommand(json.command || {}));
	case "notify": return Object.assign(base, {
		recipients: listOf(json.notify).map(readRecipient), channels: listOf(json.channels), subject: json.subject || "", text: json.text || ""
	});
	case "ceiling": return Object.assign(base, { level: json.ceiling || "" });
	default: return Object.assign(base, { value: json.publish });
	}
}

export function newAction(kind) {
	const draft = readAction({ [kind]: undefined });
	if (kind === "set") draft.values = [{ name: "", value: undefined }];
	if (kind === "command") draft.steps = [{ name: "", value: true }];
	if (kind === "notify") draft.recipients = [{ kind: "user", name: "" }];
	return draft;
}

export function writeAction(draft) {
	const { kind, target } = draft;
	const at = draft.at === "start" ? undefined : draft.at;
	switch (kind) {
	case "set": return Object.assign({ set: writeValues(draft.values) }, filled({ target, at }));
	case "action": return filled({ action: draft.action, target, at });
	case "command": return filled({ command: writeCommand(draft), target, at });
	case "notify": return Object.assign({ notify: draft.recipients.map(writeRecipient).filter(Boolean) }, filled({
		channels: draft.channels, subject: draft.subject, text: draft.text, at
	}));
	case "ceiling": return Object.assign({ ceiling: draft.level || null }, filled({ at }));
	default: return Object.assign(draft.value === undefined ? {} : { publish: draft.value }, filled({ at }));
	}
}

// Rules

export const readRule = json => ({
	title: json.untitled ? "" : json.title || "", description: json.description || "", enabled: json.enabled !== false, pause: readLength(json.pause),
	when: listOf(json.when).map(readTrigger), if: listOf(json.if).map(readCondition), then: listOf(json.then).map(readAction)
});

export const newRule = () => ({
	title: "", description: "", enabled: true, pause: readLength(0), when: [newTrigger("state")], if: [], then: [newAction("set")]
});

/** Whether something may be done at the end of a rule: it starts by schedules that have one. */
export const isTimed = draft => draft.when.length > 0 && draft.when.every(one => one.kind === "schedule");

export function writeRule(draft) {
	// What is chosen for the end of schedules means nothing any more when they are gone.
	const hasTimes = isTimed(draft);
	const then = draft.then.map(action => writeAction(hasTimes ? action : Object.assign({}, action, { at: "start" })));
	return Object.assign(filled({ title: draft.title, description: draft.description }), { enabled: draft.enabled }, filled({
		pause: writeLength(draft.pause) || undefined
	}), { when: draft.when.map(writeTrigger) }, filled({ if: draft.if.map(writeCondition) }), { then });
}
