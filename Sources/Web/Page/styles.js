// The look of screens and properties, which a page without them does not load.

const sheets = {};

/** Loads a style sheet. Resolves when it is there, or cannot be had. */
export function needStyles(name = "experience.css") {
	if (!sheets[name]) sheets[name] = new Promise(resolve => {
		const link = document.createElement("link");
		link.rel = "stylesheet";
		link.onload = link.onerror = resolve;
		// Beside the one that the page names.
		link.href = new URL(name, document.styleSheets[0].href).href;
		document.head.appendChild(link);
	});
	return sheets[name];
}
