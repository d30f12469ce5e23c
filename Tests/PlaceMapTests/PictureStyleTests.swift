import Controller
import Flare
import JSON
import PlaceMap
import Testing

/// The colours of the picture.
struct PictureStyleTests {
    private var house: House {
        var house = House()
        house.state.zoneID = House.left
        house.state.nearbyID = house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true])
        house.add("Candle", at: Point3D(x: 3, y: 1), ["on": false])
        house.add("Fridge", at: Point3D(x: 4, y: 3), ["temperature": 6])
        house.stand(at: Point3D(x: 2, y: 2), within: 1, heading: 90)
        return house
    }

    @Test(arguments: PictureStyle.allCases)
    func `every shape and text has its colours without variables`(style: PictureStyle) throws {
        let bytes = house.bytes(style)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("var("))
        let drawing = try Drawing(bytes)
        let shapes = drawing.elements.filter {
            ["rect", "circle", "path", "text"].contains($0.name) && $0.attributes["class"] != nil
        }
        #expect(shapes.count > 10)
        for shape in shapes {
            // Without a fill it would be black.
            let fill = shape.attributes["fill"] ?? "missing"
            #expect(fill == "none" || fill.hasPrefix("#") || fill.hasPrefix("url(#"), "\(shape)")
            if fill == "none" { #expect(shape.attributes["stroke"]?.hasPrefix("#") == true, "\(shape)") }
        }
    }

    @Test func `light and dark are fixed and auto is light with a dark mode`() throws {
        func ground(_ style: PictureStyle) throws -> String? {
            try Drawing(house.bytes(style)).all("rect", class: "g").first?.attributes["fill"]
        }
        let (auto, light, dark) = (try ground(.auto), try ground(.light), try ground(.dark))
        #expect(auto == light && light != dark)
        let sheets = try PictureStyle.allCases.map { try Drawing(house.bytes($0)).all("style").map(\.text) }
        #expect(sheets.map(\.count) == [1, 0, 0])
        let sheet = try #require(sheets[0].first)
        #expect(sheet.hasPrefix("@media(prefers-color-scheme:dark){"))
        #expect(sheet.contains(".g{fill:\(dark ?? "?")}"))
    }

    @Test func `the dark style sheet does not override a lamp's colour`() throws {
        let drawing = try house.drawing
        let sheet = try #require(drawing.all("style").first).text
        let lit = try #require(drawing.all("circle", class: "i").first { $0.attributes["fill"] == "#ffc857" })
        for name in lit.classes {
            let rule = sheet.firstMatch(of: try Regex("\\.\(name)\\{([^}]*)\\}")).map {
                "\($0.output[1].substring ?? "")"
            }
            #expect(rule?.contains("fill:") != true)
        }
    }
}
