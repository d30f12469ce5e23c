// A rule as the simple form of a thing's times has it: one schedule, and one value or one action at its start and its end.

import { hasEnd, newRule, readSchedule, writeRule, writeSchedule } from "./rule-model.js";

/** Several that are done at the same time cannot be shown in the simple form. */
const only = list => (list.length > 1 ? null : list[0] || {});

/**
 * A rule as the simple form has it: one schedule, and what is set or done at its start and at its end. Nothing for a rule
 * that says more than this form.
 */
export function simpleDraft(rule, target) {
	const [trigger, ...others] = rule.when || [];
	const then = rule.then || [];
	const isPlain = trigger && trigger.on === "schedule" && !others.length && !(rule.if || []).length && !rule.pause && !trigger.timeBeforeEnd &&
		then.every(action => action.target === target && action.at !== "range");
	if (!isPlain) return null;
	const [start, end] = [only(then.filter(one => one.at !== "end")), only(then.filter(one => one.at === "end"))];
	if (!start || !end) return null;
	const draft = {
		title: rule.untitled ? "" : rule.title || "", description: rule.description || "", enabled: rule.enabled !== false, missed: trigger.missed, schedule: readSchedule(trigger),
		what: "", start: undefined, end: undefined
	};
	for (const [key, action] of [["start", start], ["end", end]]) {
		if (action.set) {
			const names = Object.keys(action.set);
			if (names.length !== 1 || draft.what && draft.what !== "set:" + names[0]) return null;
			Object.assign(draft, { what: "set:" + names[0], [key]: action.set[names[0]] });
		} else if ("action" in action) {
			if (draft.what && draft.what !== "action") return null;
			Object.assign(draft, { what: "action", [key]: action.action });
		} else if (action.target) return null;
	}
	return draft.what ? draft : null;
}

/** The rule of a simple form. */
export function simpleRule(draft, target) {
	const make = (value, at) => Object.assign(draft.what === "action" ? { action: value } : { set: { [draft.what.slice(4)]: value } }, { target }, at ? { at } : {});
	const then = [];
	if (draft.start !== undefined) then.push(make(draft.start));
	if (hasEnd(draft.schedule) && draft.end !== undefined) then.push(make(draft.end, "end"));
	return Object.assign(writeRule(Object.assign(newRule(), { title: draft.title, description: draft.description, enabled: draft.enabled, when: [], then: [] })), {
		when: [Object.assign({ on: "schedule" }, writeSchedule(draft.schedule), draft.missed && draft.missed !== "skip" ? { missed: draft.missed } : {})], then
	});
}
