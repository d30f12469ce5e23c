import Flare
package import FlareServer
import Positioning

/// What is legal in a model, but hardly meant: told as warnings when it is read.
package enum ModelAdvice {
    /// A sentence each, with the object's place in the file.
    package static func warnings(on tree: ModelTree) -> [String] {
        let objects = zip(tree.records, tree.places)
        return objects.flatMap { record, place in
            problems(of: record).map { "\(place): \($0)" }
        } + beaconProblems(of: tree)
    }

    private static func problems(of record: FlareRecord) -> [String] {
        var problems: [String] = []
        if record.members["name"]?.string?.isEmpty ?? true {
            problems.append("has no name; its topics will be called \"\(record.kind.rawValue)\"")
        }
        switch record.kind {
        case .thing where record.position == nil:
            problems.append("has no position; nothing can be near it")
        case .zone where record.perimeter == nil:
            problems.append("has no perimeter; nobody can be in it")
        case .environment, .zone, .thing, .device:
            break
        }
        if let box = record.perimeter, box.width <= 0 || box.height <= 0 || box.depth < 0 {
            problems.append(
                "has a perimeter without room: width and height must be above 0, depth not below 0"
            )
        }
        if let place = Geofence(json: record.members["geofence"]), !place.centre.isValid {
            problems.append("has a geofence that is not on the earth")
        }
        if let level = record.data?["brightness"]?.number, !(0...1).contains(level) {
            problems.append("has a brightness of \(level); 0.0 to 1.0 are meant")
        }
        return problems
    }

    /// What keeps beacons from being found.
    private static func beaconProblems(of tree: ModelTree) -> [String] {
        let zones = tree.records.filter { $0.kind == .zone }.compactMap { FlareZone(json: $0.json) }
        let things = tree.records.filter { $0.kind == .thing }.compactMap { FlareThing(json: $0.json) }
        return tree.records.filter { $0.kind == .environment }.compactMap { FlareEnvironment(json: $0.json) }
            .flatMap { environment in
                BeaconMap(
                    environment: environment,
                    zones: zones.filter { $0.environment == environment.id },
                    things: things.filter { $0.environment == environment.id }
                ).problems.map { "\(environment.name): \($0)" }
            }
    }
}
