// The look of screens and properties, which a page without them does not load.

let sheet = null;

/** Loads the style sheet. Resolves when it is there, or cannot be had. */
export function needStyles() {
	if (!sheet) sheet = new Promise(resolve => {
		const link = document.createElement("link");
		link.rel = "stylesheet";
		link.onload = link.onerror = resolve;
		link.href = new URL("experience.css", import.meta.url).href;
		document.head.appendChild(link);
	});
	return sheet;
}
