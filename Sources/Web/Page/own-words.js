// The words of these screens themselves, in two languages.

const WORDS = {
	en: {
		on: "On", off: "Off", yes: "yes", no: "no", none: "no value", set: "Set", less: "Less", more: "More", choose: "Choose",
		menu: "Menu", close_menu: "Close menu", back: "Back", sign_in: "Sign in",
		no_place: "No place is loaded", no_things: "There are no things here", no_thing: "No thing is near",
		gone: "This thing is not here any more.", unreachable: "not reachable", unreachable_now: "It cannot be reached now.",
		broken: "This cannot be shown.", actions: "Actions", times: "Times", details: "Details", near: "near",
		previous: "Previous", next: "Next", open: "Open", close: "Close", stop: "Stop", position: "Position",
		brightness: "Brightness", target: "Target", of: "of", connecting: "Connecting…",
		lost: "No connection to Trilateral. Trying again…", full: "No live values: perhaps too many pages are open. Trying again…",
		DeviceList: "Things", ThisDevice: "This device", Compass: "Compass", Map: "Map",
		Overview: "Overview", SignIn: "Sign in", Schedule: "Times"
	},
	de: {
		on: "Ein", off: "Aus", yes: "ja", no: "nein", none: "kein Wert", set: "Setzen", less: "Weniger", more: "Mehr",
		choose: "Wählen", menu: "Menü", close_menu: "Menü schließen", back: "Zurück", sign_in: "Anmelden",
		no_place: "Kein Ort ist geladen", no_things: "Hier gibt es keine Dinge",
		no_thing: "Kein Ding ist in der Nähe", gone: "Dieses Ding gibt es hier nicht mehr.", unreachable: "nicht erreichbar",
		unreachable_now: "Es ist gerade nicht erreichbar.", broken: "Das kann nicht angezeigt werden.", actions: "Aktionen",
		times: "Zeiten", details: "Einzelheiten", near: "in der Nähe", previous: "Zurück", next: "Weiter", open: "Öffnen",
		close: "Schließen", stop: "Halt", position: "Position", brightness: "Helligkeit", target: "Soll", of: "von",
		connecting: "Verbinde …", lost: "Keine Verbindung zu Trilateral. Neuer Versuch …",
		full: "Keine laufenden Werte: Vielleicht sind zu viele Seiten offen. Neuer Versuch …",
		DeviceList: "Dinge", ThisDevice: "Dieses Gerät", Compass: "Kompass", Map: "Karte",
		Overview: "Übersicht", SignIn: "Anmelden", Schedule: "Zeiten"
	}
};

const tableOf = language => WORDS[String(language).toLowerCase().split("-")[0]] || WORDS.en;

/** A word of the page in a language; nothing for a key that it does not have. */
export const word = (language, key) => {
	const table = tableOf(language);
	return Object.prototype.hasOwnProperty.call(table, key) ? table[key] : "";
};

/** The language that the page's own words are in. */
export const ownLanguage = language => (tableOf(language) === WORDS.de ? "de" : "en");

/** A number as it is written in a language. */
export function number(value, language) {
	try {
		return value.toLocaleString(language, { maximumFractionDigits: 3, useGrouping: false });
	} catch (error) {
		// A tag that is none.
		return String(Math.round(value * 1000) / 1000);
	}
}
