import Flare
import Profiles
import Things

/// What reading a file of profiles costs that is as large as one may be, against parsing the same JSON; and what a
/// thing's profile costs to find among few and among many.
struct ProfileBenchmark {
    private static let types = 1_000
    private static let things = 1_000
    private static let readings = 20
    private static let searches = 100
    private static let aim = Duration.milliseconds(50)

    func run() throws {
        let whole = ProfileFile(types: Self.types)
        let broken = ProfileFile(types: Self.types, lacksCommas: true)
        try measureReading(whole, broken)
        measureSearch(ProfileReading(of: [ProfileSource(file: "profiles.json", json: whole.bytes)]).library)
    }

    // MARK: Reading

    private func measureReading(_ whole: ProfileFile, _ broken: ProfileFile) throws {
        var (floor, ours, tolerant): ([Double], [Double], [Double]) = ([], [], [])
        // The first round warms up and is not counted.
        for round in 0...Self.readings {
            let parsed = try ContinuousClock().measure { _ = try JSONValue(parsing: whole.bytes) }
            let took = [whole, broken].map(time)
            guard round > 0 else { continue }
            floor.append(parsed.nanoseconds)
            ours.append(took[0])
            tolerant.append(took[1])
        }
        for (file, took) in [(whole, ours), (broken, tolerant)] {
            let reading = ProfileReading(of: [ProfileSource(file: "profiles.json", json: file.bytes)])
            precondition(reading.problems.allSatisfy { $0.code == .missingComma || file.lacksCommas })
            Row(
                "reading and checking \(file.bytes.count / 1024) KiB of \(Self.types) profiles"
                    + (file.lacksCommas ? " that lack \(file.properties) commas" : "")
                    + ", against parsing the JSON",
                floor: floor.median,
                ours: took.median,
                limit: Self.aim.nanoseconds
            ).print()
        }
    }

    private func time(_ file: ProfileFile) -> Double {
        ContinuousClock().measure {
            _ = ProfileReading(of: [ProfileSource(file: "profiles.json", json: file.bytes)])
        }.nanoseconds
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
    let bytes: [UInt8]
    let lacksCommas: Bool
    let properties: Int

    /// - Parameter lacksCommas: Whether each property lacks one.
    init(types: Int, lacksCommas: Bool = false) {
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
                let property = (index > 0 ? ",\n" : "\n") + Self.property(index, lacksCommas ? "" : ",")
                guard property.utf8.count <= left else { break }
                left -= property.utf8.count
                properties += property
                count += 1
            }
            // The title takes what is left.
            return heading(String(repeating: "T", count: left)) + properties + "]}"
        }
        bytes = Array((start + devices.joined(separator: ",\n") + end).utf8)
        (self.lacksCommas, self.properties) = (lacksCommas, count)
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
