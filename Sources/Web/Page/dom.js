// Small helpers for building the page. Text from the network only ever comes in as text, never as markup.

/** An HTML element: attributes (`text` for its text, functions for listeners), then children. */
export const element = (name, attributes, ...children) =>
	furnish(document.createElement(name), attributes, children);

/** An SVG element, made in the same way. */
export const shape = (name, attributes, ...children) =>
	furnish(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** A button with an action. */
export const button = (attributes, click, ...children) =>
	element("button", Object.assign({ type: "button", click }, attributes), ...children);

/** A text as nodes: what stands in back-quotes is to be typed as it is. */
export const coded = text => text.split("`").map((part, index) => element(index % 2 ? "code" : "span", { text: part }));

function furnish(node, attributes, children) {
	for (const key of Object.keys(attributes || {})) {
		if (typeof attributes[key] === "function") node.addEventListener(key, attributes[key]);
		else set(node, { [key]: attributes[key] });
	}
	for (const child of children) node.appendChild(child);
	return node;
}

/** Sets attributes, and `text`, that differ; null and false remove one. What is equal costs nothing and is not read out. */
export function set(node, attributes) {
	for (const key of Object.keys(attributes)) {
		const value = attributes[key];
		const isGone = value === null || value === undefined || value === false;
		if (key === "text") {
			const text = isGone ? "" : String(value);
			if (node.textContent !== text) node.textContent = text;
		} else if (isGone) node.removeAttribute(key);
		else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value === true ? "" : value);
	}
}

export const setText = (node, text) => set(node, { text });

/** Shows a node, or hides it. */
export const show = (node, isShown) => set(node, { hidden: !isShown });

/** Makes `parent` have exactly these children in this order. While one of them has the focus, they stay where they are. */
export function arrange(parent, children) {
	const wanted = new Set(children);
	for (const node of Array.from(parent.childNodes)) if (!wanted.has(node)) parent.removeChild(node);
	let order = children;
	if (parent.contains(document.activeElement)) {
		const standing = Array.from(parent.childNodes);
		order = standing.concat(children.filter(child => child.parentNode !== parent));
	}
	let next = parent.firstChild;
	for (const child of order) {
		if (child === next) next = next.nextSibling;
		else parent.insertBefore(child, next);
	}
}

/** The nodes for these ids: known ones again, new ones made, and those of other ids forgotten. */
export function reuse(nodes, ids, make) {
	const wanted = new Set(ids);
	for (const id of Array.from(nodes.keys())) if (!wanted.has(id)) nodes.delete(id);
	return ids.map(id => {
		if (!nodes.has(id)) nodes.set(id, make(id));
		return nodes.get(id);
	});
}

/** Light or dark, if the address says so. */
export function wear(theme) {
	if (theme !== "light" && theme !== "dark") return;
	// The first rule with a condition is that of dark screens.
	const rule = Array.from(document.styleSheets[0].cssRules).find(one => one.media);
	rule.media.mediaText = theme === "dark" ? "all" : "not all";
}
