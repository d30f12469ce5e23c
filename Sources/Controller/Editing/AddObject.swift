package import Flare
package import JSON
package import Things

/// Makes an environment, a zone in an environment, or a thing in a zone.
package struct AddObject: PlaceOperation {
    let kind: FlareClass
    let values: ObjectEdit
    /// What it is in, by slug or identifier as received; `nil` for an environment.
    let container: String?

    /// - Parameters:
    ///   - values: With a name.
    ///   - container: What it is in, by slug or identifier; `nil` for an environment.
    package init(_ kind: FlareClass, _ values: ObjectEdit, in container: String?) {
        (self.kind, self.values, self.container) = (kind, values, container)
    }

    package var logName: String { kind.logName(.add) }
    package var logValues: JSONValue? {
        .object(values.logged(in: kind == .zone ? "environment" : "zone", container))
    }
    package var summary: CommandSummary? { CommandSummary("add \(kind.rawValue)", of: .target(nil)) }

    package var named: (kind: FlareClass, name: String)? {
        guard let container else { return nil }
        return switch kind {
        case .zone: (.environment, container)
        case .thing: (.zone, container)
        case .environment, .device: nil
        }
    }

    package func edit(
        _ pending: inout PendingCommand,
        _ place: PlaceContents?,
        in controller: DeviceController
    ) throws(Refusal) -> PlaceEdit {
        var edit = PlaceEdit()
        var values = values
        let (command, state, container) = (pending.command, controller.state, container ?? "")
        switch kind {
        case .environment, .device:
            try controller.check(command, .found)
            edit.request = .create(.environment, values)
        case .zone:
            let home = try state.environment(named: container, for: command, at: controller.now)
            try controller.check(command, .edit, on: .init(.environment, home.id))
            edit.environment = home.id
            edit.request = .create(.zone, values, environment: home.id)
        case .thing:
            let home = try state.zone(named: container, in: place, for: command, at: controller.now)
            edit.environment = place?.environment
            try controller.check(command, .edit, on: .init(.zone, home.id), of: edit.environment)
            edit.request = .create(.thing, values, zone: home.id, environment: edit.environment)
            values.zone = home.id
        }
        pending.warnings = controller.warnings(kind, nil, values, in: place, command)
        return edit
    }
}

extension CommandDescriptor {
    /// A new object needs a name and what it is in.
    static func add(_ kind: FlareClass) -> CommandDescriptor {
        CommandDescriptor(web: WebPath(.post, "\(kind.rawValue)s")) { _, payload throws(Refusal) in
            var fields = try payload.membersOnly()
            var container: String?
            if let key = kind.container { container = try fields.text(key) }
            let values = try ObjectEdit(kind, &fields)
            try fields.finish()
            guard values.name != nil else {
                throw Refusal(.invalidValue, "a new \(kind.rawValue) needs a name", field: "name")
            }
            if let key = kind.container, container == nil {
                throw Refusal(
                    .invalidValue,
                    "a new \(kind.rawValue) needs the \(key) that it is in",
                    field: key
                )
            }
            return AddObject(kind, values, in: container)
        }
    }
}

extension FlareClass {
    /// The member that names what a new object is in.
    fileprivate var container: String? {
        switch self {
        case .thing: "zone"
        case .zone: "environment"
        case .environment, .device: nil
        }
    }
}
