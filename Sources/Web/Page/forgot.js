// Asks for a link that sets another password. The answer is always the same.

import { Form } from "./people-forms.js";
import { ask, begin, card, finish, frame, link, say } from "./people.js";

begin(() => {
	const main = frame(say("Forgotten password"));
	const form = new Form({
		label: say("Forgotten password"),
		fields: [{ name: "user", label: say("User name or e-mail"), autocomplete: "username", required: true, maxlength: 254 }],
		submit: say("Send me a link"),
		send: values => ask("POST", "forgot", values),
		done: () => finish(main, say("Look into your mail"),
			say("If this account is known, a message is on its way. Its link counts for 30 minutes."),
			link("sign-in", say("Sign in")))
	});
	main.appendChild(card(form.node, link("sign-in", say("Back to signing in"))));
	form.focus();
});
