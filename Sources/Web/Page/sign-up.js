// Asks for an account. The answer is always the same, so that nobody learns which names there are.

import { Form, newPassword } from "./people-forms.js";
import { ask, begin, card, finish, frame, link, say } from "./people.js";

begin(() => {
	const main = frame(say("Sign up"));
	const form = new Form({
		label: say("Sign up"),
		fields: [
			{
				name: "user", label: say("User name"), autocomplete: "username", required: true, maxlength: 64,
				hint: say("Small letters, digits, dots, dashes.")
			},
			{ name: "display", label: say("Your name (optional)"), autocomplete: "name" },
			{ name: "email", label: say("E-mail"), type: "email", autocomplete: "email", required: true, maxlength: 254 },
			...newPassword("password", say("Password"))
		],
		submit: say("Sign up"),
		send: values => ask("POST", "sign-up", values),
		done: () => finish(main, say("Look into your mail"),
			say("If this name and address can be used, a message is on its way. Its link counts for 24 hours."),
			link("sign-in", say("Sign in")))
	});
	main.appendChild(card(form.node, link("sign-in", say("I have an account"))));
	form.focus();
});
