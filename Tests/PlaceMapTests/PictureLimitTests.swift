import Controller
import Flare
import JSON
import PlaceMap
import SeededRandom
import Testing

/// Limits of the picture for any place.
struct PictureLimitTests {
    /// Checks the size, and that every number is plausible for a picture of this size.
    private func check(_ bytes: [UInt8], _ comment: Comment? = nil) throws {
        #expect(bytes.count <= PlacePicture.sizeLimit, comment)
        let drawing = try Drawing(bytes)
        #expect(drawing.size.width == 480 && drawing.size.height <= 800, comment)
        let geometry = ["x", "y", "cx", "cy", "r", "width", "height", "d", "transform"]
        let words = drawing.elements.flatMap { element in
            geometry.compactMap { element.attributes[$0] }
        }.flatMap { value in
            value.split { !$0.isNumber && !"-.".contains($0) }
        }.flatMap { $0.split(separator: "-") }
        #expect(words.allSatisfy { Double($0).map { $0 <= 4000 } ?? false }, comment)
        let letters = Set("MLAZHSVCvhczmtranslateo()- .0123456789")
        let paths = drawing.elements.compactMap { $0.attributes["d"] ?? $0.attributes["transform"] }
        #expect(paths.allSatisfy { $0.allSatisfy(letters.contains) }, "\(paths)")
        let fills = drawing.elements.compactMap { $0.attributes["fill"] }.filter { $0.hasPrefix("url") }
        let ids = Set(drawing.elements.compactMap { $0.attributes["id"].map { "url(#\($0))" } })
        #expect(ids.isSuperset(of: fills), comment)
    }

    @Test func `the same state gives the same bytes in any order of changes`() {
        var house = House()
        for number in 0..<50 {
            house.add(
                "Lamp \(number)",
                at: Point3D(x: Double(number % 10), y: Double(number / 10)),
                ["on": true]
            )
        }
        var picture = PlacePicture()
        for facet in house.snapshot.changes {
            _ = picture.apply(StateSnapshot(state: house.state, changes: [facet]))
        }
        #expect(picture.svg == house.bytes)
    }

    @Test func `an empty place gives a picture that says so`() throws {
        let bytes = PlacePicture().svg
        try check(bytes)
        #expect(try Drawing(bytes).texts == ["Nothing here has a place yet"])
    }

    @Test(arguments: [(691_600.0, 5_334_000.0), (32_691_600, -5_334_000)])
    func `a place in the coordinates of a land survey looks like one with a corner of its own`(
        east: Double,
        north: Double
    ) {
        func house(_ east: Double, _ north: Double) -> House {
            var house = House()
            let corner = Point3D(x: east, y: north)
            house.add(zone: House.left, "Hall", Box(origin: corner, width: 5, height: 4))
            house.add(zone: House.right, "Right", nil)
            house.add("Lamp", at: Point3D(x: east + 1.5, y: north + 2.25), ["on": true])
            return house
        }
        #expect(house(east, north).bytes == house(0, 0).bytes)
    }

    @Test func `names are escaped`() throws {
        var house = House()
        let name = "</text><script>alert('1')</script> &amp; \"x\" \u{0}\u{1b}\u{202e}evil\u{fffe}\r\n end"
        house.change { $0.name = name }
        house.add(zone: House.left, name, Box(origin: .zero, width: 5, height: 4))
        house.add(name, at: Point3D(x: 1, y: 1))
        try check(house.bytes)
        let drawing = try house.drawing
        #expect(drawing.all("script").isEmpty)
        #expect(drawing.texts.contains { $0.hasPrefix("</text><script>alert('1')") })
        #expect(!drawing.texts.joined().unicodeScalars.contains("\u{202e}"))
    }

    @Test(arguments: [
        "x", "<", "&", "\u{0301}", "🏡", "宅", "\u{200d}", "\u{1F1E6}", "\n", "\u{202e}", "é", "👩‍👩‍👧‍👦", "\u{E000}",
    ])
    func `a name of ten thousand characters is cut`(character: String) throws {
        var house = House()
        let name = String(repeating: character, count: 10_000)
        house.change { $0.name = name }
        house.add(zone: House.left, name, Box(origin: .zero, width: 5, height: 4))
        for number in 0..<200 {
            house.add(name, at: Point3D(x: Double(number % 10), y: Double(number / 50)), ["on": true])
        }
        try check(house.bytes)
        #expect(house.bytes.count < 120_000)
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 0, -1, 1e-300, 0.001, 1_000_000, 1e300, -1e300,
        .greatestFiniteMagnitude,
    ])
    func `extreme numbers do not break the plan`(number: Double) throws {
        var houses: [House] = []
        for key in 0..<9 {
            var house = House()
            house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true, "brightness": .number(number)])
            house.stand(at: Point3D(x: 2, y: 2), within: 1, heading: 1)
            let box = Box(origin: Point3D(x: number, y: 0), width: 5, height: 4)
            switch key {
            case 0: house.change { $0.angle = number }
            case 1: house.change { $0.perimeter = Box(origin: .zero, width: number, height: number) }
            case 2: house.change { $0.perimeter = box }
            case 3: house.add(zone: House.left, "Left", box)
            case 4: house.add(zone: House.left, "Left", Box(origin: .zero, width: number, height: 4))
            case 5: house.add("Far", at: Point3D(x: number, y: number, z: number))
            case 6: house.stand(at: Point3D(x: number, y: 0, z: number), within: 1)
            case 7: house.stand(at: Point3D(x: 2, y: 2), within: number, heading: number)
            default:
                house.state.zones.removeAll()
                house.add("Far", at: Point3D(x: number, y: -number))
            }
            houses.append(house)
        }
        for house in houses {
            try check(house.bytes)
            #expect(try house.drawing.texts.contains("Lamp"), "what is right is still there")
        }
    }

    @Test func `a wrong perimeter does not shrink the zones to a dot`() throws {
        for size in [0, 1_000_000.0, 50_000] {
            var house = House()
            house.change { $0.perimeter = Box(origin: .zero, width: size, height: size) }
            #expect(try house.drawing.all("rect", class: "w").first?.number("width") == 224)
        }
    }

    @Test func `things far away are omitted`() throws {
        var house = House()
        house.add("Gate", at: Point3D(x: 12, y: 1))
        house.add("Moon", at: Point3D(x: 90_000, y: 1))
        let texts = try house.drawing.texts
        #expect(texts.contains("Gate") && !texts.contains("Moon"))
    }

    @Test func `of thousands of things as many as fit are drawn, including the nearby one`()
        throws
    {
        var house = House()
        var last: FlareID?
        for number in 0..<6000 {
            last = house.add(
                "Thing <\(number)>",
                at: Point3D(x: Double(number % 100) / 10, y: Double(number / 100) / 15),
                ["on": true, "color": .string("#\(String(number + 0x100000, radix: 16))")]
            )
        }
        house.state.nearbyID = last
        house.stand(at: Point3D(x: 2, y: 2))
        try check(house.bytes)
        let drawing = try house.drawing
        #expect(drawing.texts.contains("4800 more things"))
        #expect(drawing.texts.contains("Thing <5999>"))
        #expect(drawing.all("circle", class: "i").count == 1200)
    }

    @Test func `thousands of zones are drawn within the limit`() throws {
        var house = House()
        for number in 0..<5000 {
            let corner = Point3D(x: Double(number % 70), y: Double(number / 70))
            house.add(
                zone: FlareID(high: 5, low: UInt32(number)),
                String(repeating: "\"", count: 100),
                Box(origin: corner, width: 8, height: 8)
            )
            house.add(
                String(repeating: "'", count: 100),
                at: corner,
                in: FlareID(high: 5, low: UInt32(number))
            )
        }
        try check(house.bytes)
    }

    @Test func `random places are drawn`() throws {
        var chance = SplitMix64(seed: 20)
        let odd: [Double] = [.nan, .infinity, -1e308, 1e308, 0, -0.0, 1e-308, 99_999, -99_999, 100_001]
        func number() -> Double {
            chance.number(below: 8) == 0
                ? odd[chance.number(below: odd.count)] : Double(chance.number(below: 4000)) / 100 - 10
        }
        func name() -> String {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<chance.number(below: 30) {
                let top: UInt32 = chance.number(below: 3) == 0 ? 0x11_0000 : 0x80
                if let scalar = Unicode.Scalar(UInt32(chance.number(below: Int(top)))) {
                    scalars.append(scalar)
                }
            }
            return String(scalars)
        }
        for round in 0..<200 {
            var house = House()
            house.change {
                $0.name = name()
                $0.angle = number()
                $0.data["flipped"] = .bool(chance.number(below: 2) == 0)
                $0.perimeter = Box(
                    origin: Point3D(x: number(), y: number()),
                    width: number(),
                    height: number()
                )
            }
            for low in 0..<UInt32(chance.number(below: 6)) {
                let origin = Point3D(x: number(), y: number(), z: number())
                house.add(
                    zone: FlareID(high: 5, low: low),
                    name(),
                    Box(origin: origin, width: number(), height: number())
                )
            }
            for low in 0..<chance.number(below: 20) {
                let zone = FlareID(high: 5, low: UInt32(low % 7))
                let data: JSONObject = [
                    "on": .bool(chance.number(below: 2) == 0), "brightness": .number(number()),
                    "color": .string(name()),
                ]
                let id = house.add(name(), at: Point3D(x: number(), y: number(), z: number()), in: zone, data)
                if chance.number(below: 10) == 0 { house.state.nearbyID = id }
            }
            house.stand(
                at: Point3D(x: number(), y: number(), z: number()),
                within: number(),
                heading: number()
            )
            house.state.zoneID = FlareID(high: 5, low: UInt32(chance.number(below: 6)))
            try check(house.bytes, "round \(round)")
        }
    }
}
