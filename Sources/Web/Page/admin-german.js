// The words of places and things in administration in German, by the English ones that stand in their files.

export const WORDS = {
	"{0}: fill in {1} too, or leave all of it empty.": "{0}: Fülle auch {1} aus, oder lass alles davon leer.",
	"Position": "Position", "Area": "Fläche", "GPS circle": "GPS-Kreis", "Width along x (m)": "Breite entlang x (m)",
	"Length along y (m)": "Länge entlang y (m)", "Height along z (m)": "Höhe entlang z (m)", "Lowest corner: {0} (m)": "Unterste Ecke: {0} (m)",
	"3 when left empty.": "3, wenn es leer bleibt.", "1.5 when left empty.": "1,5, wenn es leer bleibt.",
	"Latitude, for GPS (degrees)": "Breitengrad, für GPS (Grad)", "Longitude, for GPS (degrees)": "Längengrad, für GPS (Grad)", "Chosen by GPS within (m)": "Per GPS gewählt im Umkreis von (m)",
	"Brightness (0 to 1)": "Helligkeit (0 bis 1)", "White light (K)": "Weißes Licht (K)", "Colour": "Farbe", "On": "An", "Off": "Aus",
	"Kind of thing (profile)": "Art des Dings (Profil)",
	"Number of its beacon (minor)": "Nummer seines Beacons (Minor)", "Name of its receiver": "Name seines Empfängers",
	"MAC address of its sensor": "MAC-Adresse seines Sensors", "Beacon's power at 1 m (dBm)": "Stärke des Beacons in 1 m (dBm)",
	"1 thing": "1 Ding", "{0} things": "{0} Dinge", "1 zone": "1 Zone", "{0} zones": "{0} Zonen", "All places": "Alle Orte", "Place": "Ort",
	"Identifier of its beacons (UUID)": "Kennung seiner Beacons (UUID)", "Near within (m)": "Nah innerhalb von (m)", "Number of its beacons (major)": "Nummer ihrer Beacons (Major)",
	"Angle of its y axis from north (degrees)": "Winkel der y-Achse gegen Norden (Grad)", "Places": "Orte",
	"There is no place yet. Add the first one; its zones and things come into it.":
		"Es gibt noch keinen Ort. Füge den ersten hinzu; in ihn kommen Zonen und Dinge.",
	"turned by {0}°": "um {0}° gedreht", "chosen by GPS within {0} m": "per GPS gewählt im Umkreis von {0} m", "The place is removed.": "Der Ort ist entfernt.",
	"Remove the place {0}?": "Den Ort {0} entfernen?",
	"Remove the place {0}, with {1}? Rights on them go, too.": "Den Ort {0} entfernen, mit {1}? Rechte daran gehen mit.",
	"Add a place": "Ort hinzufügen", "Zones": "Zonen", "There are no zones here.": "Hier gibt es keine Zonen.",
	"The zone is removed.": "Die Zone ist entfernt.", "Remove the zone {0}?": "Die Zone {0} entfernen?",
	"Remove the zone {0}, with {1}? Rights on them go, too.": "Die Zone {0} entfernen, mit {1}? Rechte daran gehen mit.",
	"Add a zone": "Zone hinzufügen", "It offers no actions.": "Es bietet keine Aktionen an.", "{0}: done.": "{0}: erledigt.",
	"Zone": "Zone", "Description": "Beschreibung", "Values": "Werte", "Actions": "Aktionen", "Profile and beacon": "Profil und Beacon",
	"Another value": "Anderer Wert", "Name of the value": "Name des Werts", "Value": "Wert",
	"Numbers, true, false and JSON are read as such. Leave it empty to remove the value.":
		"Zahlen, true, false und JSON werden so gelesen. Ein leeres Feld entfernt ihn.",
	"Remove the thing {0}? Rights on it go, too.": "Das Ding {0} entfernen? Rechte an ihm gehen mit.",
	"It stays under “Things with owners”, with its history.": "Es bleibt unter „Dinge mit Besitzern“, mit seinem Verlauf.",
	"The thing is removed.": "Das Ding ist entfernt.", "Add a thing": "Ding hinzufügen",
	"There are no things that you may see.": "Es gibt keine Dinge, die du sehen darfst.",
	"There is no place yet. Make one under “Places and zones”; things come into its zones.":
		"Es gibt noch keinen Ort. Lege unter „Orte und Zonen“ einen an; in seine Zonen kommen Dinge.",
	"in no zone": "in keiner Zone", "not reachable": "nicht erreichbar"
};
