// The look of screens and properties, which a page without them does not load.

let sheet = null;

/** Loads the style sheet. Resolves when it is there, or cannot be had. */
export function needStyles() {
	if (!sheet) sheet = new Promise(resolve => {
		const link = document.createElement("link");
		link.rel = "stylesheet";
		link.onload = link.onerror = resolve;
		// Beside the one that the page names.
		link.href = new URL("experience.css", document.styleSheets[0].href).href;
		document.head.appendChild(link);
	});
	return sheet;
}
