// The history of a thing as a small chart: a line through the means of its groups, between the least and the greatest values.

import { button, element, set, setText, shape } from "./dom.js";
import { ask, failure, part, query, say, told, when } from "./people.js";

const MINUTE = 60000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LENGTHS = { "1_MINUTE": MINUTE, "15_MINUTES": 15 * MINUTE, "30_MINUTES": 30 * MINUTE, "1_HOUR": HOUR, "12_HOURS": 12 * HOUR };
const NAMES = { "1_MINUTE": "1 minute", "15_MINUTES": "15 minutes", "30_MINUTES": "30 minutes", "1_HOUR": "1 hour", "12_HOURS": "12 hours" };
const RANGES = [
	[HOUR, "an hour"], [6 * HOUR, "6 hours"], [12 * HOUR, "12 hours"], [DAY, "a day"], [7 * DAY, "a week"], [30 * DAY, "30 days"], [365 * DAY, "a year"]
];

/** A question is about fewer groups than 60. */
const GROUPS = 59;
/** So many questions are asked for one chart at most. */
const QUESTIONS = 13;
const HEIGHT = 240;

export const INTERVALS = Object.keys(LENGTHS);

export const nameOfInterval = interval => say(NAMES[interval] || interval);

const isNumber = value => typeof value === "number" && Number.isFinite(value);

/** The ranges that a chart of groups of this length can show. */
const rangesOf = length => RANGES.filter(([range]) => range >= 4 * length && range <= GROUPS * QUESTIONS * length);

/**
 * The groups of a field from one moment until another, each with `from`, `to`, `mean`, `min` and `max`; and the moment before which
 * older values are gone, if some are.
 */
async function groups(name, field, length, from, to) {
	const questions = [];
	for (let start = from; start < to; start += GROUPS * length) {
		const end = Math.min(to, start + GROUPS * length);
		const aggregations = ["mean", "min", "max"].map(one => "&agg=" + part(one + ":" + field)).join("");
		// The last millisecond belongs to the last group; the next one would begin another.
		questions.push(ask("GET", "things/" + part(name) + "/history" + query({ from: start, to: end - 1, group: 1 }) + aggregations));
	}
	const answers = await Promise.all(questions);
	const found = [].concat(...answers.map(answer => (answer.groupedResults || []).map(({ range, aggregations }) =>
		(aggregations || []).reduce((group, { value }, index) => Object.assign(group, { [["mean", "min", "max"][index]]: value }), { from: range.from, to: range.to }))));
	const gone = answers.map(answer => answer.truncated_before).filter(isNumber);
	return { groups: found.filter(group => isNumber(group.mean)), goneBefore: gone.length ? Math.max(...gone) : null };
}

/** Round numbers between two others: two at least, about five. */
function ticks(low, high) {
	const rough = (high - low) / 5;
	const power = Math.pow(10, Math.floor(Math.log10(rough)));
	const step = power * ([1, 2, 5, 10].find(one => one * power >= rough) || 10);
	const found = [];
	for (let value = Math.ceil(low / step) * step; value <= high && found.length < 9; value += step) found.push(Number((Math.round(value / step) * step).toPrecision(12)) || 0);
	return found;
}

/** The least and the greatest value of groups, with some room. */
function limits(all) {
	const low = Math.min(...all.map(({ min, mean }) => (isNumber(min) ? min : mean)));
	const high = Math.max(...all.map(({ max, mean }) => (isNumber(max) ? max : mean)));
	const room = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
	return [low - room, high + room];
}

/** Groups that follow each other; a gap begins the next run. */
function runs(all) {
	const found = [];
	all.forEach((group, index) => {
		if (index && all[index - 1].to === group.from) found[found.length - 1].push(group);
		else found.push([group]);
	});
	return found;
}

/** The picture. Its colours are those of the text around it, light or dark. */
function picture(all, from, to, width, label) {
	const [low, high] = limits(all);
	// As small as the hints of the page.
	const size = 0.95 * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
	const [left, right, top, bottom] = [4 * size, size, size, 2 * size];
	const x = time => (left + (time - from) / (to - from) * (width - left - right)).toFixed(1);
	const y = value => (HEIGHT - bottom - (value - low) / (high - low) * (HEIGHT - top - bottom)).toFixed(1);
	const middle = group => x((group.from + group.to) / 2);
	// A group alone is as wide as can be seen.
	const points = run => (run.length > 1 ? run.map(group => [middle(group), group]) : [-4, 4].map(step => [(Number(middle(run[0])) + step).toFixed(1), run[0]]));
	const text = (content, attributes) => shape("text", Object.assign({ "font-size": size, fill: "currentColor", text: content }, attributes));
	const node = shape("svg", { class: "chart", role: "img", "aria-label": label, viewBox: "0 0 " + width + " " + HEIGHT, width: "100%" });
	for (const value of ticks(low, high)) {
		node.appendChild(shape("path", { d: "M" + left + " " + y(value) + "H" + (width - right), stroke: "currentColor", "stroke-opacity": 0.2 }));
		node.appendChild(text(told(value), { x: left - 6, y: Number(y(value)) + size / 3, "text-anchor": "end" }));
	}
	const options = to - from > 2 * DAY ? { month: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit" };
	const labels = width < 36 * size ? 2 : 4;
	for (let index = 0; index <= labels; index++) {
		const time = from + (to - from) * index / labels;
		node.appendChild(text(when(time, options), { x: x(time), y: HEIGHT - size / 2, "text-anchor": index === 0 ? "start" : index === labels ? "end" : "middle" }));
	}
	const whole = all.filter(({ min, max }) => isNumber(min) && isNumber(max));
	for (const run of runs(whole)) {
		const edge = points(run);
		const band = edge.map(([at, { max }]) => at + " " + y(max)).concat(edge.slice().reverse().map(([at, { min }]) => at + " " + y(min)));
		node.appendChild(shape("path", { d: "M" + band.join("L") + "Z", fill: "currentColor", "fill-opacity": 0.15 }));
	}
	const line = runs(all).map(run => "M" + points(run).map(([at, { mean }]) => at + " " + y(mean)).join("L")).join("");
	node.appendChild(shape("path", {
		class: "mean", d: line, fill: "none", stroke: "currentColor", "stroke-width": 2.5, "stroke-linecap": "round", "stroke-linejoin": "round"
	}));
	return node;
}

class HistoryChart {
	constructor(name, fields, { interval, made }) {
		this.name = name;
		this.interval = interval;
		this.length = LENGTHS[interval];
		this.back = 0;
		const ranges = rangesOf(this.length);
		// Of a thing that is new here not much would be seen otherwise.
		const wanted = Math.min(24 * this.length, Date.now() - Date.parse(made) || Infinity);
		this.range = (ranges.find(([range]) => range >= wanted) || ranges[ranges.length - 1])[0];
		this.field = fields[0];
		this.title = element("div", { class: "item-facts", role: "status" });
		this.place = element("div");
		this.later = button({ class: "button", text: say("Later") }, () => this.move(-1));
		const earlier = button({ class: "button", text: say("Earlier") }, () => this.move(1));
		this.node = element("div", {},
			element("div", { class: "form wide" },
				entry("history-field", say("Value"), fields.map(one => [one, one]), this.field, value => {
					this.field = value;
					this.load();
				}),
				entry("history-range", say("Time shown"), ranges.map(([range, text]) => [range, say(text)]), this.range, value => {
					this.range = Number(value);
					this.back = 0;
					this.load();
				})),
			this.place, this.title, element("div", { class: "buttons" }, earlier, this.later));
		addEventListener("resize", this.resized = () => this.redraw());
		this.load();
	}

	/** The picture is as wide as its place, so that its letters keep their size. */
	redraw() {
		if (!this.node.isConnected) removeEventListener("resize", this.resized);
		else if (this.shown) this.draw(...this.shown);
	}

	move(steps) {
		this.back = Math.max(0, this.back + steps);
		this.load();
	}

	async load() {
		const turn = this.turn = {};
		const { field, length } = this;
		const to = Math.ceil(Date.now() / length) * length - this.back * this.range;
		const from = to - this.range;
		this.later.disabled = this.back === 0;
		set(this.node, { "aria-busy": "true" });
		setText(this.title, say("Loading …"));
		try {
			const found = await groups(this.name, field, length, from, to);
			// Something else was chosen meanwhile.
			if (turn !== this.turn) return;
			this.shown = [found, field, from, to];
			this.draw(...this.shown);
		} catch (error) {
			if (turn !== this.turn) return;
			this.shown = null;
			this.place.textContent = "";
			this.place.appendChild(failure(error.message));
			this.place.appendChild(element("div", { class: "buttons" }, button({ class: "button", text: say("Try again") }, () => this.load())));
			setText(this.title, "");
		}
		set(this.node, { "aria-busy": null });
	}

	draw({ groups: all, goneBefore }, field, from, to) {
		this.place.textContent = "";
		const gone = isNumber(goneBefore) && goneBefore > from ? " " + say("Values before {0} are not kept any more.", when(goneBefore)) : "";
		const span = when(from) + " – " + when(to);
		if (!all.length) {
			setText(this.title, say("There are no values from {0}.", span) + gone);
			return;
		}
		const numbers = [].concat(...all.map(({ min, max, mean }) => [min, max, mean])).filter(isNumber);
		const text = say("{0}, {1}: between {2} and {3}, last mean {4}.", field, span, told(Math.min(...numbers)), told(Math.max(...numbers)), told(all[all.length - 1].mean));
		this.place.appendChild(picture(all, from, to, Math.max(280, Math.round(this.place.clientWidth) || 600), text));
		setText(this.title, text + " " + say("The line is the mean by {0}, the band goes from the least to the greatest value.", nameOfInterval(this.interval)) + gone);
	}
}

/** A field to choose from, with its label. */
function entry(id, label, options, value, change) {
	const node = element("select", { id, change: () => change(node.value) }, ...options.map(([key, text]) => element("option", { value: key, text })));
	node.value = value;
	return element("div", { class: "entry" }, element("label", { for: id, text: label }), node);
}

/** The history of a binding whose thing of the place is called `name`. */
export async function historyOf(binding, name) {
	if (!LENGTHS[binding.interval]) return element("div", { text: say("It has no history, because none was chosen before its first owner claimed it.") });
	let state = binding.state;
	// What the Flare server drives reports nothing itself.
	if (!state) state = (await ask("GET", "things/" + part(name))).data || {};
	const fields = Object.keys(state).filter(key => isNumber(state[key])).sort();
	if (!fields.length) return element("div", { text: say("It has reported no numbers yet.") });
	return new HistoryChart(name, fields, binding).node;
}
