import Controller
import Flare
import GRDB

/// What is stored of further nodes, in settings: `node/<node>/device/<environment>`, `node/<node>/sensor/<sensor>`
/// and `node/<node>/position/<environment>`.
extension StateStore {
    /// Records of others are not kept: the log of the lifecycle is that of the daemon's own device.
    static func save(
        _ record: ControllerEffect.PersistedRecord,
        of node: String,
        _ database: Database
    ) throws {
        switch record {
        case .device(let id, let environment):
            try set("\(nodeKey)\(node)/device/\(environment)", "\(id)", database)
        case .sensor(let sensor, let on):
            try set("\(nodeKey)\(node)/sensor/\(sensor.rawValue)", on ? "on" : "off", database)
        case .position(let position, let environment):
            try save(position, "\(nodeKey)\(node)/\(positionKey)\(environment)", database)
        default: break
        }
    }

    static let positionKey = "position/"

    static func save(_ position: MeasuredPosition?, _ key: String, _ database: Database) throws {
        switch position {
        case .held(let since)?: try set(key, "held \(since)", database)
        case .ended(let at)?: try set(key, "ended \(at)", database)
        case .ofAnother?: try set(key, ofAnother, database)
        case nil: try remove(key, database)
        }
    }

    private static let ofAnother = "of another"

    /// The age of a position as it is stored; `nil` for a text that is none.
    static func position(_ value: String) -> MeasuredPosition? {
        if value == ofAnother { return .ofAnother }
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let word = words.first, let time = words.last.flatMap({ Int64($0) }),
            (0...latest).contains(time)
        else { return nil }
        return switch word {
        case "held": .held(since: time)
        case "ended": .ended(at: time)
        default: nil
        }
    }

    /// The end of the year 9999, milliseconds since 1970.
    private static let latest: Int64 = 253_402_300_799_999

    /// - Parameter key: Without ``nodeKey``.
    static func restore(_ key: String, _ value: String, in memory: inout PersistedState) {
        let levels = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count == 3, let node = levels.first, let name = levels.last else { return }
        switch levels[1] {
        case "device":
            guard let environment = FlareID(name), let id = FlareID(value) else { return }
            memory.nodes[node, default: .init()].devices[environment] = id
        case "sensor":
            guard let sensor = SensorKind(rawValue: name) else { return }
            memory.nodes[node, default: .init()].sensors[sensor] = value == "on"
        case "position":
            guard let environment = FlareID(name), let position = position(value) else { return }
            memory.nodes[node, default: .init()].positions[environment] = position
        default: return
        }
    }
}
