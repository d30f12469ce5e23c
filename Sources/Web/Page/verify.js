// Opens a link of a message: nothing happens before the button is pressed, since mail programs follow links by themselves.

import { Form, newPassword } from "./people-forms.js";
import { ask, begin, card, finish, frame, link, part, say } from "./people.js";

class Link {
	constructor(token, isReset) {
		this.token = token;
		const title = isReset ? say("New password") : say("Confirm");
		this.main = frame(title);
		if (token) this.offer(title, isReset);
		else finish(this.main, say("This link is not whole"), say("Open the link of the message again, or copy all of it."), toSignIn());
	}

	offer(title, isReset) {
		const form = new Form({
			label: title, fields: isReset ? newPassword("password", title) : [], submit: isReset ? say("Set the password") : say("Confirm my address"),
			send: values => this.open(values, isReset), done: answer => answer && this.finish(answer)
		});
		const others = isReset ? [link("forgot", say("Ask for another link"))] : [];
		this.main.textContent = "";
		this.main.appendChild(card(form.node, toSignIn(), ...others));
		form.focus();
	}

	async open(values, isReset) {
		try {
			return await ask("POST", "verify", Object.assign({ token: this.token }, values));
		} catch (error) {
			// A link for another password, which did not say so.
			if (isReset || error.status !== 400) throw error;
			this.offer(say("New password"), true);
			return null;
		}
	}

	finish({ kind, user, state }) {
		// The link is used up; it needs not stay in the browser's history.
		history.replaceState(null, "", "verify");
		let text = say("The address is confirmed.");
		if (kind === "reset") text = say("The password is set. All sessions of before have ended.");
		else if (state === "pending") text = say("The address is confirmed. An owner has to approve the account.");
		finish(this.main, say("Done"), text, toSignIn(user));
	}
}

const toSignIn = user => link("sign-in" + (user ? "?user=" + part(user) : ""), say("Sign in"));

begin(query => new Link(query.get("token"), query.get("kind") === "reset"));
