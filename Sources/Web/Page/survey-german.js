// The words of the survey in German, by the English ones that stand in its file.

export const WORDS = {
	"Plan: tap where you stand": "Plan: Tippe an, wo du stehst", "{0} of {1} s: {2} beacons, {3} packets": "{0} von {1} s: {2} Beacons, {3} Pakete",
	"floor {0}": "Stockwerk {0}", "{0} beacons": "{0} Beacons", "Remove the point {0}?": "Den Punkt {0} entfernen?", "The point is removed.": "Der Punkt ist entfernt.",
	"Measure a point": "Einen Punkt messen", "Measure here": "Hier messen", "Name of the point": "Name des Punkts", "x (m)": "x (m)", "y (m)": "y (m)", "Floor": "Stockwerk",
	"Stand still for {0} seconds.": "Bleib {0} Sekunden still stehen.", "Remove all points": "Alle Punkte entfernen",
	"Remove all points of this place?": "Alle Punkte dieses Orts entfernen?", "There are no points.": "Es gibt keine Punkte.",
	"Stand at a point with the device, tap it on the plan, and stand still for 20 seconds. From three points on, positions become more exact; eight to ten give most of it.":
		"Stell dich mit dem Gerät an einen Punkt, tippe ihn auf dem Plan an und bleib 20 Sekunden still stehen. Ab drei Punkten werden Positionen genauer; acht bis zehn bringen das meiste."
};
