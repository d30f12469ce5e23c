import JSON
import Testing
import Things

struct ColourValueTests {
    private static let palette = ["red", "Amber", "orange", "#123456", "warm"]

    @Test(
        arguments: [
            // A name of the palette, in the palette's spelling
            ("red", "red"), ("RED", "red"), ("amber", "Amber"), ("warm", "warm"), ("#123456", "#123456"),
            // A name of CSS
            ("teal", "teal"), ("Teal", "teal"), ("aqua", "aqua"), ("grey", "grey"), ("oak", "oak"),
            // #rgb, #rrggbb
            ("#f00", "red"), ("#FF0000", "red"), ("#008080", "teal"), ("#ff8801", "#ff8801"),
            ("#F81", "#ff8811"),
            // r,g,b
            ("255,0,0", "red"), ("255, 136, 1", "#ff8801"), ("18,52,86", "#123456"),
            // Objects
            (["r": 255, "g": 0, "b": 0], "red"), (["r": 255, "g": 136, "b": 1], "#ff8801"),
            (["h": 0, "s": 100], "red"), (["h": 360, "s": 100], "red"), (["h": 120, "s": 100], "lime"),
            (["h": 0, "s": 0], "white"), (["x": 0.7006, "y": 0.2993], "red"),
            (["x": 0.3227, "y": 0.329], "#fefeff"), (["x": 0.5631, "y": 0.4158], "orange"),
        ] as [(JSONValue, String)]
    )
    func `every accepted form is stored as the palette's name, the name of CSS or digits`(
        value: JSONValue,
        stored: String
    ) throws {
        #expect(try ColourValue(parsing: value, palette: Self.palette).stored == stored)
    }

    @Test(arguments: CSSColour.names)
    func `a name survives a round trip`(name: String) throws {
        let first = try ColourValue(parsing: .string(name))
        #expect(first.stored == name)
        #expect(try ColourValue(parsing: .string(first.stored)) == first)
        let digits = try ColourValue(parsing: .string(#require(first.rgb).hexText), palette: [name])
        #expect(digits.stored == name)
    }

    @Test func `of equal colours in a palette the first is used`() throws {
        #expect(try ColourValue(parsing: "#0ff", palette: ["red", "aqua", "cyan"]).stored == "aqua")
    }

    @Test(
        arguments: [
            (5, .wrongType), (true, .wrongType), (.null, .wrongType), (["red"], .wrongType),
            (["r": "255", "g": 0, "b": 0], .wrongType), (["x": .null, "y": 0], .wrongType),
            ("ultraviolet", .unknownColour), ("", .unknownColour), ("#12345", .unknownColour),
            ("clear", .unknownColour),
            ("1,2", .invalidValue), ("1,2,3,4", .invalidValue), ("1,,3", .invalidValue),
            ("a,b,c", .invalidValue),
            ([:], .invalidValue), (["r": 255], .invalidValue),
            (["r": 1, "g": 2, "b": 3, "h": 4, "s": 5], .invalidValue),
            (["r": 1.5, "g": 0, "b": 0], .invalidValue), ("256,0,0", .outOfRange), ("-1,0,0", .outOfRange),
            (["r": 256, "g": 0, "b": 0], .outOfRange), (["r": 1e300, "g": 0, "b": 0], .outOfRange),
            (["h": 361, "s": 0], .outOfRange), (["h": 0, "s": 101], .outOfRange),
            (["x": 1.1, "y": 0], .outOfRange),
            (["r": .numeral("99999999999999999999"), "g": 0, "b": 0], .outOfRange),
        ] as [(JSONValue, RefusalCode)]
    )
    func `anything else is refused with a sentence`(value: JSONValue, code: RefusalCode) {
        let refusal = #expect(throws: Refusal.self) { try ColourValue(parsing: value, palette: Self.palette) }
        #expect(refusal?.code == code)
        #expect(refusal?.field == "color")
        #expect(refusal?.message.isEmpty == false)
    }

    @Test func `a misspelt colour is refused with the nearest and the palette`() {
        let refusal = #expect(throws: Refusal.self) {
            try ColourValue(parsing: "orrange", palette: Self.palette)
        }
        #expect(refusal?.message.contains("did you mean \"orange\"") == true)
        #expect(refusal?.message.contains("red, Amber") == true)
    }
}
