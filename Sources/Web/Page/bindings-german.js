// The words of things with owners in administration in German, by the English ones that stand in their files.

export const WORDS = {
	"The token of {0}. Give it to the thing; it is shown only now:": "Der Schlüssel von {0}. Gib ihn dem Ding; er ist nur jetzt zu sehen:",
	"The password of {0}, for its label. It is shown only now:": "Das Passwort von {0}, für sein Schild. Es ist nur jetzt zu sehen:",
	"The same as a QR code": "Dasselbe als QR-Code",
	"reports by itself": "meldet sich selbst", "controlled through the Flare server": "über den Flare-Server gesteuert",
	"Thing: {0}": "Ding: {0}", "not among the things of this place": "nicht unter den Dingen dieses Ortes", "Owners: {0}": "Besitzer: {0}",
	"nobody owns it now": "zurzeit ohne Besitzer", "last heard {0}": "zuletzt gehört {0}", "never heard": "noch nie gehört", "Identifier: {0}": "Kennung: {0}",
	"Known since {0}": "Bekannt seit {0}", "History by {0}": "Verlauf je {0}", "No history": "Kein Verlauf", "Firmware: {0}": "Firmware: {0}",
	"Layout: {0}": "Aufbau: {0}", "Gateway: {0}": "Gateway: {0}", "Reported last": "Zuletzt gemeldet", "Properties": "Eigenschaften",
	"It has reported nothing yet.": "Es hat noch nichts gemeldet.", "Add an owner": "Besitzer hinzufügen", "The owner is added.": "Der Besitzer ist hinzugefügt.",
	"Remove an owner": "Besitzer entfernen", "The owner is removed.": "Der Besitzer ist entfernt.", "Owner": "Besitzer", "Details": "Einzelheiten",
	"History": "Verlauf", "New token": "Neuer Schlüssel",
	"Make a new token for {0}? The ones that it has end at once.": "Neuen Schlüssel für {0} machen? Seine bisherigen gelten dann nicht mehr.",
	"The new token is made.": "Der neue Schlüssel ist gemacht.", "Forget": "Vergessen", "The thing is forgotten.": "Das Ding ist vergessen.",
	"Forget {0}? Its owners, password, tokens and history go. A thing of the place that was made for it goes, too; one that was there before stays.":
		"{0} vergessen? Seine Besitzer, sein Passwort, seine Schlüssel und sein Verlauf gehen verloren. Ein Ding des Ortes, das dafür angelegt wurde, geht mit; eines, das vorher da war, bleibt.",
	"Name of the thing (vendorThingID)": "Name des Dings (vendorThingID)",
	"As on its label: letters, digits, and . - _": "Wie auf seinem Schild: Buchstaben, Ziffern und . - _",
	"Type (optional)": "Typ (freiwillig)", "Its password": "Sein Passwort",
	"As on its label. For a thing that is new here it is set now, for good.":
		"Wie auf seinem Schild. Bei einem Ding, das hier neu ist, wird es jetzt gesetzt, für immer.",
	"History by": "Verlauf je", "no history": "kein Verlauf",
	"This cannot be changed later. Without it there is no history, ever.": "Das lässt sich später nicht ändern. Ohne das gibt es nie einen Verlauf.",
	"Which thing it is": "Welches Ding es ist", "by its name, or new": "nach Namen, sonst neu",
	"Zone of a new one": "Zone eines neuen", "where this device is": "wo dieses Gerät ist",
	"{0} was fixed before and stays as it was": "{0} war schon festgelegt und bleibt, wie es war",
	"Nobody has claimed a thing yet.": "Noch niemand hat ein Ding übernommen.",
	"A thing that a maker built has a name and a password, usually on its label. Who has both can claim it.":
		"Ein Ding von einem Hersteller hat einen Namen und ein Passwort, meist auf seinem Schild. Wer beide hat, kann es übernehmen.",
	"Claim a thing": "Ding übernehmen", "Claim": "Übernehmen", "The thing is claimed.": "Das Ding ist übernommen.",
	"The thing is claimed. It gets its token when it comes itself; “New token” makes one that you can give it.":
		"Das Ding ist übernommen. Es bekommt seinen Schlüssel, wenn es sich selbst meldet; „Neuer Schlüssel“ macht einen, den du ihm geben kannst.",
	"Without an owner": "Ohne Besitzer", "No thing waits for an owner.": "Kein Ding wartet auf einen Besitzer.",
	"These are known, and nobody has claimed them yet. If you build a thing yourself, let it be expected: that makes its password.":
		"Diese sind bekannt, und niemand hat sie bisher übernommen. Wenn du ein Ding selbst baust, kündige es an: Das macht sein Passwort.",
	"Expect a thing": "Ding ankündigen", "Make the password": "Passwort machen",
	"1 minute": "1 Minute", "15 minutes": "15 Minuten", "30 minutes": "30 Minuten", "1 hour": "1 Stunde", "12 hours": "12 Stunden",
	"an hour": "eine Stunde", "6 hours": "6 Stunden", "a day": "ein Tag", "a week": "eine Woche", "30 days": "30 Tage", "a year": "ein Jahr",
	"Later": "Später", "Earlier": "Früher", "Value": "Wert", "Time shown": "Gezeigte Zeit", "Loading …": "Wird geladen …",
	"Values before {0} are not kept any more.": "Werte vor {0} werden nicht mehr aufbewahrt.",
	"There are no values from {0}.": "Es gibt keine Werte aus {0}.",
	"{0}, {1}: between {2} and {3}, last mean {4}.": "{0}, {1}: zwischen {2} und {3}, letztes Mittel {4}.",
	"The line is the mean by {0}, the band goes from the least to the greatest value.":
		"Die Linie ist das Mittel je {0}, das Band reicht vom kleinsten bis zum größten Wert.",
	"It has no history, because none was chosen before its first owner claimed it.":
		"Es hat keinen Verlauf, weil keiner gewählt war, als sein erster Besitzer es übernahm.",
	"It has reported no numbers yet.": "Es hat noch keine Zahlen gemeldet."
};
