// What the pages of people share: language, requests, dates, and what is told.

import { arrange, coded, element, setText, wear } from "./dom.js";

/** The reader's language, for dates and numbers too. */
const language = navigator.language || "en";
const TIMEOUT = 30000;
const TOLD = 8000;

let words = {};

/** A text that fits. */
export const clip = (text, length) => (String(text).length > length ? String(text).slice(0, length - 1) + "…" : String(text));

/** A value as people read it: no braces, no quotes. */
export function told(value) {
	if (typeof value === "boolean") return say(value ? "Yes" : "No");
	if (typeof value === "number") return value.toLocaleString(language, { maximumFractionDigits: 3, useGrouping: false });
	if (!value || typeof value !== "object") return String(value || "");
	return (Array.isArray(value) ? value.map(told) : Object.keys(value).map(key => key + ": " + told(value[key]))).join(", ");
}

/** A sentence of the page in the reader's language; `{0}` stands for the first part. */
export function say(text, ...parts) {
	const own = Object.prototype.hasOwnProperty.call(words, text) ? words[text] : text;
	return own.replace(/\{(\d)\}/g, (whole, index) => (index < parts.length ? parts[index] : whole));
}

/** Loads the words of one page more, where the reader's language has them. */
export async function learn(load) {
	if (document.documentElement.lang !== "de") return;
	try { Object.assign(words, (await load()).WORDS); } catch (error) { /* English is better than nothing */ }
}

/** Loads the words of the reader's language, then begins. */
export async function begin(start) {
	const query = new URLSearchParams(location.search);
	wear(query.get("theme"));
	if (/^de\b/i.test(language)) {
		try {
			words = Object.assign({}, (await import("./people-german.js")).WORDS);
			document.documentElement.lang = "de";
		} catch (error) { /* English is better than nothing */ }
	}
	start(query);
	document.documentElement.setAttribute("data-begun", "");
}

/** A refusal, or no answer: `message` is a sentence for people. */
export class RequestError extends Error {
	constructor(message, status, field) {
		super(message);
		Object.assign(this, { status, field });
	}
}

/** Asks the daemon, by a path below `api/`. Returns the answer's JSON; throws a RequestError. */
export async function ask(method, path, body) {
	const control = window.AbortController && new AbortController();
	const timer = control && setTimeout(() => control.abort(), TIMEOUT);
	const hasBody = body !== undefined;
	try {
		const response = await fetch("api/" + path, {
			method, cache: "no-store", credentials: "same-origin", signal: control ? control.signal : undefined, headers: hasBody ? { "Content-Type": "application/json" } : {},
			body: hasBody ? JSON.stringify(body) : undefined
		});
		const text = await response.text();
		const answer = parse(text);
		if (response.ok) return answer;
		throw refusal(response, answer || {});
	} catch (error) {
		throw error instanceof RequestError ? error : new RequestError(say("Trilateral does not answer."), 0);
	} finally {
		clearTimeout(timer);
	}
}

function parse(text) {
	try { return JSON.parse(text); } catch (error) { return null; }
}

function refusal(response, answer) {
	const { status } = response;
	const wait = Number(response.headers.get("Retry-After") || answer.retryAfter);
	if (status === 429) {
		return new RequestError(wait > 0 ? say("Too many attempts. Try again in {0} seconds.", wait)
			: say("Too many attempts. Try again in a while."), status);
	}
	// Administration says {"error", "message"}, commands say {"error": {"code", "message"}}.
	const message = answer.message || (answer.error && answer.error.message);
	return new RequestError(message ? clip(sentence(message), 500) : say("This did not work ({0}).", status), status, answer.field || (answer.error || {}).field);
}

/** The daemon's messages begin small and end without a stop. */
export function sentence(message) {
	const text = String(message).trim();
	return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
}

/** A name as a part of a path. */
export const part = name => encodeURIComponent(String(name));

/** A query of what is not empty. */
export function query(values) {
	const keys = Object.keys(values).filter(key => values[key] !== undefined && values[key] !== "");
	return keys.length ? "?" + keys.map(key => key + "=" + part(values[key])).join("&") : "";
}

export const MOMENT = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };

/** A moment as the reader writes it; nothing without one. */
export function when(time, options) {
	if (time === null || time === undefined) return "";
	const date = new Date(time);
	return isNaN(date) ? clip(time, 40) : date.toLocaleString(language, options || MOMENT);
}

/** From when till when something counts; nothing if always. */
export function span(starts, ends) {
	const now = Date.now();
	const parts = [];
	if (ends && Date.parse(ends) <= now) return say("ended {0}", when(ends));
	if (starts) parts.push(say(Date.parse(starts) > now ? "begins {0}" : "since {0}", when(starts)));
	if (ends) parts.push(say("until {0}", when(ends)));
	return parts.join(", ");
}

const RIGHTS = { read: "see", write: "see and control", own: "own (change it, give rights)" };

export const ACCESS = Object.keys(RIGHTS);

export const right = access => say(RIGHTS[access] || clip(access, 20));

let timer = 0;

/** Tells what was done, also to who does not see it. */
export function tell(text) {
	const node = document.getElementById("told");
	clearTimeout(timer);
	setText(node, "");
	// A text that is the same again is read out only if it was gone between.
	timer = setTimeout(() => {
		arrange(node, coded(text));
		timer = setTimeout(() => setText(node, ""), TOLD);
	}, 50);
}

/** Ends the session, of a user or of the daemon's own password: only one of them may be there. */
export async function signOut() {
	const requests = [ask("DELETE", "session"), ask("POST", "sign-out", {})];
	const errors = await Promise.all(requests.map(request => request.then(() => null, error => error)));
	if (errors.every(Boolean)) throw errors[0];
	location.replace("sign-in");
}

/** The pages that a sign-in may lead back to. */
export const NEXT = ["me", "admin"];

/** Leaves for the sign-in page, which leads back to this one. */
export function toSignIn(page) {
	location.replace("sign-in?next=" + page);
}

/** A link to another page of the daemon. */
export const link = (href, text, attributes) => element("a", Object.assign({ class: "link", href, text }, attributes));

/** Puts the title and the frame of a page in place; returns where its parts go. */
export function frame(title, ...links) {
	document.title = title + " – Trilateral";
	const main = element("main", { id: "main" });
	const bar = element("header", { class: "bar-top" }, element("h1", { text: title, tabindex: "-1" }));
	if (links.length) bar.appendChild(element("nav", { "aria-label": say("Pages") }, ...links));
	for (const node of [bar, main, element("p", { id: "told", role: "status", "aria-live": "polite" })]) document.body.appendChild(node);
	return main;
}

/** A form or a text on a ground of its own, with links below. */
export const card = (node, ...links) => element("section", { class: "card part" }, node, element("p", { class: "links" }, ...links));

/** What went wrong. */
export const failure = text => element("p", { class: "wrong", role: "alert", text });

/** What stands in the place of a form that has done its work. */
export function finish(main, title, text, ...links) {
	const heading = element("h2", { text: title, tabindex: "-1" });
	main.textContent = "";
	main.appendChild(card(element("div", {}, heading, element("p", { text })), ...links));
	heading.focus();
}
