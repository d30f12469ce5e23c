// Says why there is nothing to see, where a browser is too old or a script cannot be had. The oldest can read this.

(function () {
	// Without scripts nothing is loading.
	document.documentElement.setAttribute("data-scripts", "");

	var ADVICE = "This page needs Chrome 64, Firefox 67, Edge 79 or Safari 11.3, or a newer one.";

	function tell(why) {
		var root = document.documentElement;
		if (root.getAttribute("data-begun") || !document.body) return;
		var node = document.getElementById("why");
		if (!node) {
			node = document.createElement("p");
			node.id = "why";
			node.className = "empty";
			node.setAttribute("role", "alert");
			document.body.insertBefore(node, document.body.firstChild);
		}
		node.textContent = why;
	}

	function whenThere(act) {
		if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", act);
		else act();
	}

	if (!("noModule" in document.createElement("script"))) {
		whenThere(function () { tell(ADVICE); });
		return;
	}
	window.addEventListener("error", function (event) {
		var script = event.target && event.target.tagName === "SCRIPT" && event.target.src;
		whenThere(function () {
			if (script) tell("A part of this page could not be loaded: " + script + ". Reload the page to try again.");
			else if (event.message) tell(ADVICE + " (" + event.message + ")");
		});
	}, true);
	window.addEventListener("unhandledrejection", function (event) {
		whenThere(function () { tell(ADVICE + " (" + event.reason + ")"); });
	});
}());
