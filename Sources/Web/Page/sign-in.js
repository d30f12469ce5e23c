// Signs in: a user, or whoever knows the daemon's own password.

import { element, show } from "./dom.js";
import { Form } from "./people-forms.js";
import { NEXT, ask, begin, frame, link, remember, say } from "./people.js";

const USER = "user";

function forward(query) {
	remember(true);
	const next = query.get("next");
	location.replace(NEXT.indexOf(next) >= 0 ? next : "kiosk" + location.search);
}

begin(query => {
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
	const others = element("p", { class: "links" });
	main.appendChild(element("section", { class: "card part" }, form.node, others));
	form.focus();
	ask("GET", "session").then(session => {
		// The daemon may have a password of its own, or only that.
		if (session.users === false) form.reveal(USER, false);
		else if (session.password === false) form.demand(USER);
		if (session.canSignUp) others.appendChild(link("sign-up", say("Sign up")));
		if (session.canForget) others.appendChild(link("forgot", say("Forgotten password?")));
	}).catch(() => show(others, false));
});
