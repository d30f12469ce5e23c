// The words of the views in German, by the English ones that stand in their files.

import { WORDS as PROFILES } from "./profile-german.js";

const WORDS = {
	"You may not see where this device is. Your things are in the list.":
		"Du darfst nicht sehen, wo dieses Gerät ist. Deine Dinge sind in der Liste.",
	"You may not see where this device is.": "Du darfst nicht sehen, wo dieses Gerät ist.",
	"There is no device “{0}” here, or you may not see it.": "Hier gibt es kein Gerät „{0}“, oder du darfst es nicht sehen.",
	"Show {0}": "{0} zeigen",
	"Show the first device": "Das erste Gerät zeigen",
	"Things": "Dinge",
	"You may not see the place where this device is.": "Du darfst den Ort nicht sehen, an dem dieses Gerät ist.",
	"Somebody who owns the place can let you see it.": "Wem der Ort gehört, kann ihn dir zeigen.",
	"No thing is selected": "Kein Ding ist gewählt", "Tap a thing on the map or the list.": "Tippe ein Ding auf der Karte oder der Liste an.",
	"Make a place": "Einen Ort anlegen", "Administration": "Verwaltung", "Sign in": "Anmelden", "Account": "Konto",
	"There is no place yet.": "Es gibt noch keinen Ort.",
	"Sign in to make one, or run: `trilateral import FILE`": "Melde dich an, um einen anzulegen, oder rufe auf: `trilateral import DATEI`",
	"Overview": "Übersicht", "Views": "Ansichten", "Connecting…": "Verbinden …",
	"No connection to Trilateral. Trying again…": "Keine Verbindung zu Trilateral. Neuer Versuch …",
	"No live values: perhaps too many pages are open. Trying again…":
		"Keine laufenden Werte: Vielleicht sind zu viele Seiten offen. Neuer Versuch …",
	"Place": "Ort", "Zone": "Zone", "Nearby": "In der Nähe", "This device": "Dieses Gerät", "Previous place": "Voriger Ort",
	"Next place": "Nächster Ort", "‹ Previous": "‹ Voriger", "Next ›": "Nächster ›", "Problems": "Probleme", "Sign out": "Abmelden", "My account": "Mein Konto",
	"No place is loaded": "Kein Ort ist geladen", "In no zone": "In keiner Zone", "None": "Keine", "For ": "Seit ",
	"Nothing is near": "Nichts ist in der Nähe", "No device": "Kein Gerät", "Position": "Position", "Accuracy": "Genauigkeit",
	"Quality": "Güte", "Heading": "Richtung", "Source": "Quelle", "Moving": "In Bewegung", "Controller": "Steuerung", "Sound": "Ton",
	"unknown": "unbekannt", "good": "gut", "fair": "mittel", "coarse": "grob", "lost": "verloren", "Active": "Aktiv",
	"Limited": "Begrenzt", "Background": "Im Hintergrund", "Not running": "Ruht", "Disconnected": "Getrennt", "Audible": "Hörbar",
	"Attenuated": "Gedämpft", "Not audible": "Stumm", "less than a minute": "weniger als einer Minute", " days": " Tagen",
	"yes": "ja", "no": "nein", "none": "keiner", "not reachable": "nicht erreichbar", "on": "ein", "off": "aus",
	"Things around this device": "Dinge um dieses Gerät", "N": "N", "E": "O", "S": "S", "W": "W", "Zoom in": "Näher",
	"Zoom out": "Weiter weg", "Whole map": "Ganze Karte", "Map of ": "Karte von ", "Map": "Karte",
	"This place has no plan": "Dieser Ort hat keinen Plan", "There are no things here": "Hier gibt es keine Dinge",
	" · here": " · hier", "No thing is near": "Kein Ding ist in der Nähe", "Tap a thing to select it": "Tippe ein Ding an",
	"It cannot be reached now.": "Es ist gerade nicht erreichbar.", "Follow what is nearby": "Dem Nahen folgen",
	"No thing is near. Tap one on the compass, the map or the list.":
		"Kein Ding ist in der Nähe. Tippe eines auf dem Kompass, der Karte oder der Liste an.",
	"Picture of ": "Bild von ", "Power": "Schalter", "On": "Ein", "Off": "Aus", "Brightness": "Helligkeit", "White": "Weiß",
	"Switches it on": "Schaltet es ein", "Switches it off": "Schaltet es aus", "A tenth brighter": "Ein Zehntel heller",
	"A tenth darker": "Ein Zehntel dunkler", "The next colour of its palette": "Die nächste Farbe seiner Palette",
	"The previous colour of its palette": "Die vorige Farbe seiner Palette",
	"Turns it by 30° clockwise": "Dreht es um 30° im Uhrzeigersinn",
	"Turns it by 30° counterclockwise": "Dreht es um 30° gegen den Uhrzeigersinn",
	"Moves its place by 1 m": "Verschiebt seinen Ort um 1 m",
	"Actions": "Aktionen", "Colour": "Farbe", "Set": "Setzen", "Set ": "Setzen: ", "Dismiss": "Schließen",
	"No answer from Trilateral yet.": "Trilateral hat noch nicht geantwortet.", "The command was refused": "Der Befehl wurde abgelehnt",
	"Trilateral does not answer. Perhaps the command was not carried out.":
		"Trilateral antwortet nicht. Vielleicht wurde der Befehl nicht ausgeführt.",
	"ahead": "vorne", "ahead on the right": "vorne rechts", "on the right": "rechts", "behind on the right": "hinten rechts",
	"behind": "hinten", "behind on the left": "hinten links", "on the left": "links", "ahead on the left": "vorne links",
	"north": "Norden", "north-east": "Nordosten", "east": "Osten", "south-east": "Südosten", "south": "Süden",
	"south-west": "Südwesten", "west": "Westen", "north-west": "Nordwesten",
	"All controls": "Alles steuern", "Times": "Zeiten", "Details": "Details", "Selected": "Ausgewählt", "Name": "Name", "open": "offen", "closed": "zu", "set to": "soll",
	"locked": "verriegelt", "unlocked": "entriegelt", "motion": "Bewegung", "no motion": "keine Bewegung", "occupied": "besetzt",
	"not occupied": "frei", "things": "Dinge", "not now": "jetzt nicht", "Floors": "Stockwerke", "Floor ": "Stockwerk ",
	"this device": "dieses Gerät", "Where this device is": "Wo dieses Gerät ist", "red": "rot", "orange": "orange", "yellow": "gelb",
	"green": "grün", "blue": "blau", "white": "weiß", "purple": "violett", "pink": "rosa",
	"Device": "Gerät", "Compass": "Kompass", "List": "Liste", "Thing": "Ding"
};

const ALL = Object.assign({}, PROFILES, WORDS);

export const german = text => (Object.prototype.hasOwnProperty.call(ALL, text) ? ALL[text] : text);
