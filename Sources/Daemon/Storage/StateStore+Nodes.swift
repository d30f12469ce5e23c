import Controller
import Flare
import GRDB

/// What is stored of further nodes, in settings: `node/<node>/device/<environment>` and `node/<node>/sensor/<sensor>`.
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
        default: break
        }
    }

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
        default: return
        }
    }
}
