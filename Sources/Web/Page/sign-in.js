// Signs in with the daemon's password, and goes on to the page.

const form = document.getElementById("form");
const field = document.getElementById("password");
const message = document.getElementById("message");
const button = form.querySelector("button");

function forward() {
	try { localStorage.setItem("trilateral-signed-in", "1"); } catch (error) { /* no store */ }
	location.replace("kiosk" + location.search);
}

async function signIn() {
	message.textContent = "";
	button.disabled = true;
	try {
		const response = await fetch("api/sign-in", {
			method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ password: field.value })
		});
		if (response.ok) { forward(); return; }
		const wait = Number(response.headers.get("Retry-After"));
		if (response.status === 429) message.textContent = "Too many attempts. Try again in " + (wait > 0 ? wait + " seconds." : "a while.");
		else if (response.status === 403) message.textContent = "This is not the password.";
		else message.textContent = "Signing in failed (" + response.status + ").";
	} catch (error) {
		message.textContent = "Trilateral does not answer.";
	}
	button.disabled = false;
	field.focus();
	field.select();
}

form.addEventListener("submit", event => {
	event.preventDefault();
	signIn();
});
