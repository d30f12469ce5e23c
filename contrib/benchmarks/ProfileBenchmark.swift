import Flare
import JSON
import Profiles
import Things

/// What reading a file of profiles costs that is as large as one may be, against parsing the same JSON; and what a
/// thing's profile costs to find among few and among many.
struct ProfileBenchmark {
    private static let types = 1_000
    private static let things = 1_000
    private static let readings = 40
    private static let searches = 100
    private static let aim = Duration.milliseconds(50)

    func run() throws {
        let usual = ProfileFile(types: Self.types, .usual)
        try measureReading([
            usual, ProfileFile(types: Self.types, .lacksCommas), ProfileFile(types: Self.types, .dense),
        ])
        measureSearch(usual.reading().library)
    }

    // MARK: Reading

    private func measureReading(_ files: [ProfileFile]) throws {
        var (floors, ours) = (files.map { _ in [Double]() }, files.map { _ in [Double]() })
        // The first round warms up and is not counted.
        for round in 0...Self.readings {
            for (index, file) in files.enumerated() {
                let parsed = try ContinuousClock().measure { _ = try JSONValue(parsing: file.whole) }
                let read = ContinuousClock().measure { _ = file.reading() }
                guard round > 0 else { continue }
                floors[index].append(parsed.nanoseconds)
                ours[index].append(read.nanoseconds)
            }
        }
        for (index, file) in files.enumerated() {
            precondition(
                file.style == .lacksCommas || file.reading().problems.isEmpty,
                "the file has mistakes: \(file.reading().problems.prefix(3))"
            )
            Row(
                "reading and checking \(file.bytes.count / 1024) KiB of \(Self.types) profiles with "
                    + "\(file.properties) properties\(file.style.remark), against parsing the JSON",
                floor: floors[index].median,
                ours: ours[index].median,
                limit: Self.aim.nanoseconds
            ).print()
        }
    }

    // MARK: Search

    private struct Contender {
        let catalog: ThingCatalog
        let things: [FlareThing]
        var nanoseconds: [Double] = []
    }

    /// As many things each time, of all kinds in turn.
    private func measureSearch(_ library: ProfileLibrary) {
        var own = library
        own.profiles = library.profiles.filter { $0.origin != .builtIn }
        var contenders = [ProfileLibrary.builtIn, own].map { library in
            Contender(
                catalog: ThingCatalog(library),
                things: (0..<Self.things).map { number in
                    var thing = FlareThing(id: FlareID(high: 0, low: UInt32(number)))
                    let profile = library.profiles[number % library.profiles.count]
                    thing.data = ["profile": .string(profile.name), "on": true, "minor": JSONValue(number)]
                    return thing
                }
            )
        }
        var found = 0
        for search in 0...Self.searches {
            for index in contenders.indices {
                let (catalog, things) = (contenders[index].catalog, contenders[index].things)
                let took = ContinuousClock().measure {
                    for thing in things where catalog.kind(of: thing, slug: nil) != nil { found += 1 }
                }
                if search > 0 { contenders[index].nanoseconds.append(took.nanoseconds / Double(Self.things)) }
            }
        }
        precondition(found == 2 * Self.things * (Self.searches + 1), "a thing's profile was not found")
        let (few, many) = (contenders[0], contenders[1])
        Row(
            "finding the profile of a thing, among \(many.catalog.kinds.count) against "
                + "\(few.catalog.kinds.count)",
            floor: few.nanoseconds.median,
            ours: many.nanoseconds.median,
            aim: 2
        ).print()
    }
}

/// A file of profiles, as large as one may be.
private struct ProfileFile {
    enum Style {
        /// With all that properties have.
        case usual
        /// The same, with a comma missing in each property.
        case lacksCommas
        /// As many properties as fit.
        case dense

        var remark: String { self == .lacksCommas ? " that lack a comma each" : "" }
    }

    let style: Style
    let bytes: [UInt8]
    /// The same with all commas.
    let whole: [UInt8]
    let properties: Int

    init(types: Int, _ style: Style) {
        self.style = style
        (whole, properties) = Self.text(types, style, comma: ",")
        bytes = style == .lacksCommas ? Self.text(types, style, comma: " ").bytes : whole
    }

    func reading() -> ProfileReading {
        ProfileReading(of: [ProfileSource(file: "profiles.json", json: bytes)])
    }

    private static func text(
        _ types: Int,
        _ style: Style,
        comma: String
    ) -> (bytes: [UInt8], properties: Int) {
        let (start, end) = ("{\"devices\": [\n", "\n]}\n")
        let room = (ProfileSource.maximumBytes - start.utf8.count - end.utf8.count) / types - ",\n".utf8.count
        var count = 0
        let devices = (0..<types).map { number in
            func heading(_ title: String) -> String {
                #"{"class": "com.example.AylaDevice", "oemModel": "type-\#(number)", "name": "\#(title)", "#
                    + #""ssidRegex": "^Type-\#(number)-[0-9A-F]{6}$", "managedProperties": ["#
            }
            var properties = ""
            var left = room - heading("").utf8.count - "]}".utf8.count
            for index in 0... {
                let text = style == .dense ? #"{"name":"p\#(index)"}"# : property(index, comma)
                let entry = (index > 0 ? ",\n" : "\n") + text
                guard entry.utf8.count <= left else { break }
                left -= entry.utf8.count
                properties += entry
                count += 1
            }
            // The title takes what is left.
            return heading(String(repeating: "T", count: left)) + properties + "]}"
        }
        return (Array((start + devices.joined(separator: ",\n") + end).utf8), count)
    }

    private static func property(_ number: Int, _ comma: String) -> String {
        switch number % 4 {
        case 0:
            """
              {"name": "relay\(number)", "control": "switch"\(comma) "notify": true, "roles": ["on_off"], "actions": [
                {"name": "off\(number)", "value": 0}, {"name": "on\(number)", "value": 1}]}
            """
        case 1:
            """
              {"name": "level\(number)", "control": "slider"\(comma) "min": 0, "max": 99.5, "step": 0.5, "unit": "%"}
            """
        case 2:
            """
              {"name": "mode\(number)", "control": "select"\(comma) "schedule": true, "actions": [
                {"name": "eco", "value": "eco"}, {"name": "boost", "value": "boost"}]}
            """
        default:
            """
              {"name": "power\(number)", "control": "readonly_text"\(comma) "optional": true, "roles": ["power"]}
            """
        }
    }
}
