// The log: every command and every act of administration, carried out or refused.

import { button, element, show } from "./dom.js";
import { Form } from "./people-forms.js";
import { ListPart } from "./people-list.js";
import { userField } from "./people-parts.js";
import { MOMENT, ask, clip, query, say, told, when } from "./people.js";

const SECONDS = Object.assign({ second: "2-digit" }, MOMENT);

/** Why something was refused, where the code does not say it in plain words. */
const REASONS = {
	bad_json: "not readable", unknown: "nothing has this name", unauthenticated: "not signed in", rate_limited: "too many at once",
	stale_target: "something else is near", level_denied: "the display is not in use",
	internal: "fault of the program"
};

const reason = code => say(REASONS[code] || code.replace(/_/g, " "));

/** What a command was about; of several devices, also whose it was. */
function about({ kind, target, slug, node }) {
	if (!node) return slug || target;
	return kind === "device" ? node : (slug || target || "") + " (" + node + ")";
}

function row(entry) {
	const who = entry.speaker.replace(/^user:/, "").replace(/^system:/, say("system user "));
	const target = about(entry);
	return {
		title: entry.code,
		name: who + ": " + entry.kind + (target && target !== who ? " " + target : ""),
		facts: [
			when(entry.at, SECONDS) + (entry.times > 1 ? " · " + say("{0} times", entry.times) : ""),
			[entry.code ? reason(entry.code) : entry.state, entry.face, entry.source].filter(Boolean).join(" · ")
		],
		notes: [entry.actions, entry.code && entry.results].map(value => clip(told(value), 600))
	};
}

export function logPart({ users, scopes }) {
	let wanted = {};
	const user = userField(users, { required: false });
	if (user.options) user.options[0] = ["", say("anybody")];
	const things = [["", say("anything")], ...scopes.things.map(thing => [thing.slug || thing.id, thing.name || thing.slug || thing.id])];
	const form = new Form({
		label: say("What to show"), isWide: true, fields: [
			user, { name: "thing", label: say("Thing"), type: "select", options: things },
			{ name: "since", label: say("Since (optional)"), type: "datetime-local" },
			{ name: "limit", label: say("At most"), type: "select", options: [100, 300, 1000].map(count => [count, count]) }
		],
		submit: say("Show"), send: values => {
			wanted = values;
			return list.refresh();
		}
	});
	const older = button({ class: "button", hidden: true, text: say("Older") }, () => {
		// Numbers below 0 are those of strangers.
		wanted.before = Math.min(1e15, ...list.items.map(entry => entry.seq).filter(seq => seq > 0));
		list.refresh().then(() => list.title.focus());
	});
	const list = new ListPart({
		title: say("Log"), note: say("The newest first."), before: form.node, empty: say("Nothing matches."), keyOf: entry => entry.seq,
		load: async () => (await ask("GET", "log" + query(wanted)) || []).reverse(), row,
		loaded: items => show(older, items.length >= (wanted.limit || 100))
	});
	list.node.appendChild(element("div", { class: "buttons" }, older));
	return list;
}
