// The words of devices in administration in German, by the English ones that stand in their file.

export const WORDS = {
	"phone": "Telefon", "watch": "Uhr", "tag": "Anhänger", "badge": "Ausweis", "tablet": "Tablet", "pet": "Haustier", "something else": "etwas anderes",
	"beacon (iBeacon)": "Beacon (iBeacon)", "beacon (Eddystone)": "Beacon (Eddystone)", "phone or watch with a key": "Telefon oder Uhr mit Schlüssel",
	"known by its name": "am Namen erkannt", "an address that stays": "eine Adresse, die bleibt", "an address that may change": "eine Adresse, die wechseln kann",
	"a changing address: it needs its key": "eine wechselnde Adresse: Sie braucht ihren Schlüssel", "the daemon's own device": "das eigene Gerät dieses Programms",
	"Heard as": "Gehört als", "Heard as: {0}": "Gehört als: {0}",
	"Identifiers as “Heard now” shows them, with commas between them. A key shows as irk:*** and stays while that stands here.":
		"Kennungen, wie „Jetzt gehört“ sie zeigt, mit Kommas dazwischen. Ein Schlüssel erscheint als irk:*** und bleibt, solange das hier steht.",
	"Identity key of the phone (optional)": "Identitätsschlüssel des Telefons (freiwillig)",
	"32 hexadecimal digits, or base64. It is stored, and not shown again.": "32 hexadezimale Ziffern oder Base64. Er wird gespeichert und nicht mehr gezeigt.",
	"An identity key has 32 hexadecimal digits, or is base64 of 16 bytes.": "Ein Identitätsschlüssel hat 32 hexadezimale Ziffern oder ist Base64 von 16 Bytes.",
	"Whose it is": "Wem es gehört", "nobody's": "niemandem", "What it is": "Was es ist", "Topic with its GPS location (optional)": "Topic mit seinem GPS-Ort (freiwillig)",
	"Short name": "Kurzname", "Small letters, digits, single dashes. It cannot be changed.": "Kleine Buchstaben, Ziffern, einzelne Bindestriche. Er lässt sich nicht ändern.",
	"There is no device but the first one.": "Es gibt kein Gerät außer dem ersten.",
	"Phones, watches and tags that this daemon follows. Each has a place of its own on the map.":
		"Telefone, Uhren und Anhänger, denen dieses Programm folgt. Jedes hat seinen eigenen Platz auf der Karte.",
	"of {0}": "von {0}", "short name {0}": "Kurzname {0}", "Location: {0}": "Ort: {0}",
	"It is in the configuration file and is changed there.": "Es steht in der Konfigurationsdatei und wird dort geändert.",
	"It does not count now: {0}": "Es zählt zurzeit nicht: {0}",
	"Remove {0} from the list and from the place?": "{0} aus der Liste und vom Ort entfernen?", "The device is removed.": "Das Gerät ist entfernt.",
	"Add a device": "Gerät hinzufügen", "Listening for {0} s …": "Hört {0} s lang zu …", "Listen again": "Noch einmal hören", "Listen": "Hören",
	"Heard now": "Jetzt gehört", "Nothing yet.": "Noch nichts.",
	"Listen twice: first with the phone or tag far away, then beside a receiver. What has changed most comes first.":
		"Höre zweimal: zuerst mit dem Telefon oder Anhänger weit weg, dann neben einem Empfänger. Was sich am meisten geändert hat, steht oben.",
	"Add as a device": "Als Gerät hinzufügen", "The device is added.": "Das Gerät ist hinzugefügt."
};
