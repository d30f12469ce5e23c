// The words of the built-in profiles in German: properties, actions, states, and the profiles themselves.

export const WORDS = {
	"power": "Leistung", "energy": "Energie", "voltage": "Spannung", "current": "Strom", "position": "Position", "movement": "Bewegung",
	"tilt": "Neigung", "setpoint": "Sollwert", "temperature": "Temperatur", "humidity": "Feuchte", "mode": "Betriebsart", "activity": "Tätigkeit",
	"speed": "Stufe", "target": "Ziel", "co2": "CO₂", "pressure": "Luftdruck", "illuminance": "Beleuchtungsstärke", "pm25": "Feinstaub",
	"battery": "Batterie", "source": "Quelle", "volume": "Lautstärke", "scene": "Szene", "caption": "Beschriftung", "visitors": "Besucher",
	"playback": "Wiedergabe", "muted": "Stumm", "title": "Titel", "status": "Status", "until": "Bis", "people": "Personen", "color": "Farbe",
	"brightness": "Helligkeit", "door": "Tür", "window": "Fenster", "pages": "Seiten", "water": "Wasser", "options": "Auswahl", "profile": "Profil", "kind": "Art",
	"to open": "öffnen", "to close": "schließen", "toggle": "umschalten", "heat": "heizen", "cool": "kühlen", "auto": "Automatik",
	"play": "abspielen", "pause": "Pause", "stop": "Halt", "free": "frei", "busy": "besetzt", "do_not_disturb": "nicht stören",
	"lighter": "heller", "darker": "dunkler", "nextColor": "nächste Farbe", "previousColor": "vorige Farbe", "clockwise": "im Uhrzeigersinn",
	"counterclockwise": "gegen den Uhrzeigersinn", "up": "nach oben", "down": "nach unten",
	"idle": "ruht", "heating": "heizt", "preheating": "heizt vor", "cooling": "kühlt", "drying": "trocknet", "fan": "lüftet",
	"opening": "öffnet", "closing": "schließt", "stopped": "steht",
	"Light": "Licht", "Dimmable light": "Dimmbares Licht", "Colour light": "Farbiges Licht", "Switch": "Schalter", "Socket": "Steckdose",
	"Shutter": "Rollladen", "Blind": "Jalousie", "Curtain": "Vorhang", "Fan": "Ventilator", "Lock": "Schloss", "Valve": "Ventil",
	"Humidifier": "Luftbefeuchter", "Sensor station": "Messstation", "Door or window": "Tür oder Fenster", "Motion sensor": "Bewegungsmelder",
	"Display": "Anzeige", "Exhibit": "Exponat", "Player": "Abspielgerät", "Meeting room": "Besprechungsraum"
};
