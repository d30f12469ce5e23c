import Controller
import JSON
import Things

/// Lights or darkens the table lamp.
struct SetNightLight: CommandOperation {
    let isLit: Bool

    var permission: ChangeRequest.Kind? { .control }
    var logName: String { "night light" }
    var logValues: JSONValue? { ["state": isLit ? "lit" : "dark"] }
    var summary: CommandSummary? { CommandSummary("set the night light") }

    func perform(_ command: inout PendingCommand, in controller: inout DeviceController) throws(Refusal) {
        let request = ThingRequest(attributes: ["state": isLit ? "ON" : "OFF"])
        try Command.Operation.set(.thing("table-lamp"), request).base.perform(&command, in: &controller)
    }
}

extension CommandDescriptor {
    static let nightLightSet = CommandDescriptor("night-light/set") { _, payload throws(Refusal) in
        switch try payload.word(named: "state") {
        case "lit": return SetNightLight(isLit: true)
        case "dark": return SetNightLight(isLit: false)
        default: throw Refusal(.invalidValue, "state must be lit or dark", field: "state")
        }
    }
}
