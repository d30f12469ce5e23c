// Small helpers for building the page. Text from the network only ever comes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: attributes (`text` for its text, functions for listeners), then children. */
export function element(name, attributes, ...children) {
	return furnish(document.createElement(name), attributes, children);
}

/** An SVG element, made in the same way. */
export function shape(name, attributes, ...children) {
	return furnish(document.createElementNS(SVG, name), attributes, children);
}

function furnish(node, attributes, children) {
	for (const key of Object.keys(attributes || {})) {
		const value = attributes[key];
		if (value === null || value === undefined || value === false) continue;
		if (key === "text") node.textContent = value;
		else if (typeof value === "function") node.addEventListener(key, value);
		else node.setAttribute(key, value === true ? "" : value);
	}
	for (const child of children) if (child) node.appendChild(child);
	return node;
}

/** Sets the text of a node when it differs: equal text costs nothing and is not read out again. */
export function setText(node, text) {
	const value = text === null || text === undefined ? "" : String(text);
	if (node.textContent !== value) node.textContent = value;
}

/** Sets an attribute when it differs; null removes it. */
export function setAttribute(node, key, value) {
	if (value === null || value === undefined || value === false) {
		if (node.hasAttribute(key)) node.removeAttribute(key);
	} else if (node.getAttribute(key) !== String(value)) {
		node.setAttribute(key, value);
	}
}

/** Shows or hides a node. */
export function setShown(node, shown) {
	setAttribute(node, "hidden", !shown);
}

export function empty(node) {
	while (node.firstChild) node.removeChild(node.firstChild);
}

/** Makes `parent` have exactly these children in this order, and touches only what differs. */
export function arrange(parent, children) {
	const wanted = new Set(children);
	for (const node of Array.from(parent.childNodes)) if (!wanted.has(node)) parent.removeChild(node);
	let next = parent.firstChild;
	for (const child of children) {
		if (child === next) next = next.nextSibling;
		else parent.insertBefore(child, next);
	}
}
