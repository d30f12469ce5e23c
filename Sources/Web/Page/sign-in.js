// Signs in: a user, or whoever knows the daemon's own password.

import { arrange, coded, element, show } from "./dom.js";
import { Form } from "./people-forms.js";
import { NEXT, ask, begin, card, frame, link, say } from "./people.js";

const USER = "user";

function forward(query) {
	const next = query.get("next");
	location.replace(NEXT.indexOf(next) >= 0 ? next : "kiosk" + location.search);
}

/** A link of `trilateral sign-in`: nothing happens before the button is pressed, since programs follow links by themselves. */
function offer(query) {
	const form = new Form({
		label: say("Sign in"), fields: [], submit: say("Sign in"),
		// The next page takes the place of this one in the browser's history, and of its link.
		send: () => ask("POST", "session", { link: query.get("link") }), done: () => forward(query)
	});
	const main = frame(say("Sign in"));
	const draw = node => arrange(main, [card(node, link("sign-in", say("Sign in with a password")))]);
	draw(element("div", {}, element("p", { text: say("This link signs you in, once.") }), form.node));
	form.focus();
	const { fail } = form;
	form.fail = error => {
		// What was refused, and not just for now, stays so.
		if (error.status < 400 || error.status >= 500 || error.status === 429) fail.call(form, error);
		else draw(element("p", { class: "wrong", role: "alert" }, ...coded(error.message)));
	};
}

begin(query => {
	if (query.get("link")) {
		offer(query);
		return;
	}
	const main = frame(say("Sign in"));
	const form = new Form({
		label: say("Sign in"),
		fields: [
			{
				name: USER, label: say("User name"), autocomplete: "username", value: query.get(USER), maxlength: 64,
				hint: say("Leave it empty for the password of Trilateral itself.")
			},
			{ name: "password", label: say("Password"), type: "password", autocomplete: "current-password", required: true, maxlength: 1024 }
		],
		submit: say("Sign in"),
		send: values => ask("POST", values.user ? "session" : "sign-in", values),
		done: () => forward(query)
	});
	const hint = element("p", { class: "hint" },
		...coded(say("Without a password: run `trilateral sign-in` on the machine of Trilateral, as its user. It prints a link.")));
	const others = element("p", { class: "links" });
	main.appendChild(element("section", { class: "card part" }, form.node, hint, others));
	form.focus();
	ask("GET", "session").then(session => {
		// Without a name it would be the daemon's own password.
		if (session.password === false) form.demand(USER);
		if (session.canSignUp) others.appendChild(link("sign-up", say("Sign up")));
		if (session.canForget) others.appendChild(link("forgot", say("Forgotten password?")));
	}).catch(() => show(others, false));
});
