import Flare
import Foundation
import Testing
import Things
import TrilateralApp

/// Whole pictures, as a terminal without colours shows them.
struct WatchPictureTests {
    private func model(_ more: [(String, String)] = []) -> WatchModel {
        var model = WatchModel()
        model.linkProblem = nil
        func perimeter(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
            #""perimeter":{"origin":{"x":\#(x),"y":\#(y),"z":0},"size":{"width":\#(width),"height":\#(height),"depth":3}}"#
        }
        func thing(_ slug: String, _ zone: String, _ x: Double, _ y: Double, _ more: String) -> (
            String, String
        ) {
            (
                "things/\(slug)",
                #"{"id":"1","slug":"\#(slug)","name":"\#(slug)","zone":"\#(zone)","position":{"x":\#(x),"y":\#(y),"z":1},\#(more)}"#
            )
        }
        let messages =
            [
                ("status", "online"),
                (
                    "environment",
                    #"{"id":"1","name":"Flat","slug":"flat","angle":0,"data":{},\#(perimeter(0, 0, 10, 8))}"#
                ),
                ("zone", #"{"id":"2","name":"Hall","slug":"hall"}"#),
                (
                    "zones/hall",
                    #"{"id":"2","slug":"hall","name":"Hall","environment":"flat",\#(perimeter(0, 0, 5, 8))}"#
                ),
                (
                    "zones/attic",
                    #"{"id":"3","slug":"attic","name":"Study","environment":"flat",\#(perimeter(5, 0, 5, 8))}"#
                ),
                thing("lamp", "hall", 4, 6, #""state":"ON","color":{"r":255,"g":165,"b":0}"#),
                thing("fan", "hall", 1, 1, #""state":"OFF""#),
                thing("desk", "attic", 8, 2, #""state":"ON","color":{"r":0,"g":0,"b":255}"#),
                ("device", #"{"id":"4","name":"Panel"}"#),
                ("device/position", #"{"x":2.5,"y":4,"z":1,"accuracy_m":1}"#), ("device/angle", "90"),
                (
                    "nearby",
                    #"{"id":"1","slug":"lamp","name":"lamp","state":"ON","distance_m":2.5,"bearing_deg":37}"#
                ),
            ] + more
        for (topic, payload) in messages {
            _ = model.hear(topic: topic, payload: Array(payload.utf8), at: "")
        }
        return model
    }

    private func screen(
        _ columns: Int,
        _ rows: Int,
        _ model: WatchModel,
        _ depth: ColourDepth? = ColourDepth.none
    )
        -> [String]
    {
        WatchScreen(root: "r", columns: columns, rows: rows, pictures: depth).lines(model).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    @Test(arguments: [(80, 24), (120, 40), (160, 24)])
    func `compass and map stand beside the text`(columns: Int, rows: Int) throws {
        let name = "Screens/\(columns)x\(rows).txt"
        let shown = screen(columns, rows, model()).joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["TRILATERAL_RECORD"] == "1" {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
            try shown.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let file = try #require(Bundle.module.resourceURL).appending(path: name)
        #expect(
            try String(contentsOf: file, encoding: .utf8) == shown,
            "write it again with TRILATERAL_RECORD=1"
        )
    }

    @Test(arguments: [(73, 24), (80, 17), (1, 1), (200, 9)])
    func `a terminal that is too small shows the text alone`(columns: Int, rows: Int) {
        #expect(screen(columns, rows, model()) == screen(columns, rows, model(), nil))
    }

    @Test(arguments: [(74, 18), (80, 24), (100, 30), (160, 24), (400, 200), (1000, 1000), (5000, 10)])
    func `no size is exceeded, and the last column stays free`(columns: Int, rows: Int) {
        let lines = screen(columns, rows, model())
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.count < columns })
        #expect(lines.contains { $0.contains("N") })
    }

    @Test func `things are drawn in their colours, dark ones lighter`() {
        let lines = screen(120, 40, model(), .full).joined()
        #expect(lines.contains("38;2;255;165;0m"))
        #expect(!lines.contains("38;2;0;0;255m"))
        #expect(screen(120, 40, model(), ColourDepth.none).joined().contains("\u{1B}") == false)
    }

    @Test func `an empty place, a place without positions and wild numbers do no harm`() {
        #expect(screen(80, 24, WatchModel()).contains { $0.contains("no plan of this place") })
        let wild = [
            (
                "things/lamp",
                #"{"slug":"lamp","zone":"hall","position":{"x":1e300,"y":-1e300,"z":0},"color":{"r":1e9}}"#
            ),
            (
                "zones/hall",
                #"{"slug":"hall","perimeter":{"origin":{"x":0,"y":0},"size":{"width":-1,"height":1e200}}}"#
            ),
            ("device/position", #"{"x":1e300,"y":0,"z":0,"accuracy_m":1e300}"#), ("device/angle", "1e300"),
            ("environment", #"{"id":"1","angle":1e300,"data":{"flipped":"x"},"perimeter":[]}"#),
        ]
        #expect(screen(80, 24, model(wild)).count == 24)
        #expect(
            screen(80, 24, model([("things/lamp", ""), ("zones/hall", "{"), ("nearby", "7")])).count == 24
        )
    }

    @Test func `names of the network stay harmless text`() {
        let name =
            #"{"slug":"lamp","name":"\u001b[2J\nbell\u0007","zone":"hall","position":{"x":4,"y":6,"z":1}}"#
        let lines = screen(120, 40, model([("things/lamp", name)]))
        #expect(!lines.joined().contains("\u{1B}") && !lines.joined().contains("\n"))
    }
}

struct CompassPictureTests {
    @Test(arguments: [(0.2, 40.0), (1, 40), (6.5, 22.5), (12, 5), (300, 5)])
    func `a fin is the narrower the farther the thing is`(metres: Double, span: Double) {
        #expect(CompassPicture.Fin(bearing: 0, metres: metres).span == span)
    }

    private func drawn(heading: Double?, bearing: Double, isNearby: Bool = false) -> BrailleCanvas {
        var picture = CompassPicture()
        picture.heading = heading
        picture.fins = [.init(bearing: bearing, metres: 1, isNearby: isNearby)]
        var canvas = BrailleCanvas(columns: 26, rows: 13)
        picture.draw(on: &canvas)
        return canvas
    }

    private func ink(_ canvas: BrailleCanvas) -> Int {
        canvas.lines(.none).joined().unicodeScalars.filter { (0x2801...0x28FF).contains($0.value) }
            .reduce(0) { $0 + ($1.value & 0xFF).nonzeroBitCount }
    }

    @Test func `a fin is thick for the nearby thing`() {
        let bare = ink(drawn(heading: 0, bearing: .nan))
        let normal = ink(drawn(heading: 0, bearing: 0)) - bare
        let nearby = ink(drawn(heading: 0, bearing: 0, isNearby: true)) - bare
        #expect(normal > 0 && nearby > normal * 3 / 2)
    }

    @Test func `up is where the device points`() {
        // A thing in the east is straight ahead of a device that looks east.
        let ahead = drawn(heading: 90, bearing: 90).lines(.none).prefix(2).joined()
        let north = drawn(heading: 0, bearing: 0).lines(.none).prefix(2).joined()
        #expect(ahead.filter { $0 != " " }.count == north.filter { $0 != " " }.count)
        #expect(drawn(heading: 90, bearing: 90) != drawn(heading: 0, bearing: 90))
    }
}

struct MapPictureTests {
    private func drawn(_ change: (inout MapPicture) -> Void = { _ in }) -> [String] {
        var picture = MapPicture()
        picture.perimeter = Box(origin: .zero, width: 10, height: 10)
        picture.things = [.init(name: "sofa", position: Point3D(x: 2, y: 8))]
        change(&picture)
        var canvas = BrailleCanvas(columns: 40, rows: 20)
        picture.draw(on: &canvas)
        return canvas.lines(.none)
    }

    @Test func `y points up, and down on a flipped plan`() {
        let rows = drawn(), flipped = drawn { $0.isFlipped = true }
        #expect(rows.firstIndex { $0.contains("sofa") } ?? 99 < 8)
        #expect(flipped.firstIndex { $0.contains("sofa") } ?? 0 > 12)
    }

    @Test func `names do not cover each other`() {
        let rows = drawn { picture in
            picture.things = (0..<30).map {
                .init(name: "thing \($0)", position: Point3D(x: 5 + Double($0) / 50, y: 5), isNearby: $0 == 7)
            }
        }
        let text = rows.joined(separator: "\n")
        #expect(text.contains("thing 7"))
        #expect(text.matches(of: /thing \d+/).count < 10)
        #expect(!text.contains("thithing") && !text.contains("ththing"))
    }
}
