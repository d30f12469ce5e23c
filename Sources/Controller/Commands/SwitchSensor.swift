package import JSON
import Text
import Things

/// Switches a sensor on or off.
package struct SwitchSensor: CommandOperation {
    let sensor: SensorKind
    let isOn: Bool

    package var permission: ChangeRequest.Kind? { .control }
    package var answerTarget: Answer.Target? { .init(kind: "sensor", slug: sensor.rawValue) }
    package var logName: String { "sensor" }
    package var logValues: JSONValue? { ["state": .string(isOn ? "ON" : "OFF")] }
    package var summary: CommandSummary? {
        CommandSummary("switch \(sensor.rawValue) \(isOn ? "on" : "off")")
    }

    package func perform(_ command: inout PendingCommand, in controller: inout DeviceController) {
        command.accepted = ["state": .string(isOn ? "ON" : "OFF")]
        controller.switchSensor(sensor, on: isOn)
        controller.accept(command)
    }
}

extension CommandDescriptor {
    package static let sensorSet = CommandDescriptor("sensors/{sensor}/set") {
        topic,
        payload throws(Refusal) in
        guard let sensor = SensorKind(rawValue: topic.name) else {
            throw Refusal(.unknownKey, SensorKind.absence(of: topic.name))
        }
        return SwitchSensor(sensor: sensor, isOn: try payload.isOn(named: "state"))
    }
}

extension SensorKind {
    /// The refusal of an unknown sensor name.
    package static func absence(of name: String) -> String {
        let others = NearestName.choice(for: name, among: allCases.map(\.rawValue))
        return "no sensor is called \(QuotedValue.of(name))\(others)"
    }
}
