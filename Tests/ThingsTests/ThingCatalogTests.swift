import Flare
import JSON
import Profiles
import Testing
import Things

struct ThingCatalogTests {
    private static let catalog = Kinds.catalog(
        [
            Kinds.profile("plug", []), Kinds.profile("plug", model: "P100", []),
            Kinds.profile("fan", model: "F1", []), Kinds.profile("fan", model: "F2", []),
            Kinds.profile("valve", model: "V1", []), Kinds.profile("pump", model: "P100", []),
        ],
        assignments: ["radiator": "valve", "000000000000000100000001": "fan/F2", "lost": "nobody"]
    )

    private func kind(_ data: JSONObject, slug: String? = nil, low: UInt32 = 2) -> String? {
        var thing = FlareThing(id: FlareID(high: 1, low: low))
        thing.data = data
        return Self.catalog.kind(of: thing, slug: slug).map { "\($0.name) \($0.model ?? "-")" }
    }

    @Test(
        arguments: [
            ([:], nil), (["profile": "plug"], "plug -"), (["profile": "Plug"], nil),
            (["profile": "plug", "model": "P100"], "plug P100"),
            (["profile": "plug", "model": "?"], "plug -"),
            (["profile": "valve"], "valve V1"), (["profile": "fan"], nil), (["profile": "fan/F1"], "fan F1"),
            (["profile": "fan", "model": "F2"], "fan F2"), (["profile": 5, "oemModel": "plug"], "plug -"),
            (["profile": "nobody", "oemModel": "plug"], "plug -"),
            (["oemModel": "plug", "model": "P100"], "plug P100"),
            (["oemModel": "plug", "model": "?"], "plug -"),
            (["oemModel": "fan", "model": "F1"], "fan F1"), (["oemModel": "fan", "model": "?"], nil),
            (["oemModel": "valve"], "valve V1"), (["oemModel": "valve", "model": "?"], nil),
            (["oemModel": "fan"], nil), (["oemModel": "?", "model": "V1"], nil),
            (["model": "V1"], "valve V1"),
            (["model": "P100"], nil), (["model": "?"], nil),
        ] as [(JSONObject, String?)]
    )
    func `a thing has the first profile that fits`(data: JSONObject, name: String?) {
        #expect(kind(data) == name)
    }

    @Test func `the configuration goes before the data`() {
        #expect(kind(["profile": "plug"], slug: "radiator") == "valve V1")
        #expect(kind(["profile": "plug"], slug: "other", low: 1) == "fan F2")
        #expect(kind(["profile": "plug"], slug: "lost") == "plug -")
    }

    @Test func `a profile that nobody has is known`() {
        func missing(_ data: JSONObject) -> String? {
            var thing = FlareThing(id: FlareID(high: 1, low: 2))
            thing.data = data
            return Self.catalog.missingProfile(of: thing).map {
                ([$0.key == "profile" ? $0.name : "\($0.key) \($0.name)"] + $0.models).joined(separator: " ")
            }
        }
        #expect(missing(["profile": "plg"]) == "plg")
        #expect(missing(["profile": "plug"]) == nil)
        #expect(missing(["profile": .null]) == nil)
        #expect(missing(["profile": 5]) == "5")
        #expect(missing(["oemModel": "?"]) == nil)
        #expect(missing(["oemModel": "valve"]) == nil)
        #expect(missing(["profile": "fan"]) == "fan F1 F2")
        #expect(missing(["oemModel": "fan"]) == "oemModel fan F1 F2")
        #expect(missing(["oemModel": "fan", "model": "F2"]) == nil)
        let assigned = Lamps.thing(["oemModel": "fan"])
        #expect(Self.catalog.missingProfile(of: assigned, slug: "radiator") == nil)
        #expect(ThingCatalog.none.missingProfile(of: Lamps.thing(["profile": "x"])) == nil)
    }

    @Test func `a title is that of the language, of its first part, of English, or the key`() {
        var library = ProfileLibrary()
        library.strings.add("Ein", for: "turn_on", in: "de")
        library.strings.add("On", for: "turn_on", in: "en")
        let catalog = ThingCatalog(library)
        #expect(catalog.title("turn_on", in: "de-AT") == "Ein")
        #expect(catalog.title("turn_on", in: "fr") == "On")
        #expect(catalog.title("turn_off", in: "de") == "turn_off")
        #expect(catalog.text("turn_off", in: "de") == nil)
    }
}
