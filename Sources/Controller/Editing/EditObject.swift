package import Flare
package import JSON
import Text
package import Things

/// Changes what an object is, and puts a thing into another zone.
package struct EditObject: PlaceOperation {
    let kind: FlareClass
    /// By slug or identifier, as received; so is the zone.
    let name: String
    let values: ObjectEdit
    let zone: String?

    /// - Parameters:
    ///   - name: Its slug or identifier.
    ///   - zone: Another zone of a thing, likewise.
    package init(_ kind: FlareClass, _ name: String, _ values: ObjectEdit, zone: String? = nil) {
        (self.kind, self.name, self.values, self.zone) = (kind, name, values, zone)
    }

    package var logName: String { kind.logName(.edit) }
    package var logTarget: String? { name }
    package var logValues: JSONValue? { .object(values.logged(in: "zone", zone)) }
    package var summary: CommandSummary? {
        CommandSummary("edit \(kind.rawValue)", of: .target(QuotedValue.clipped(name, to: 64)))
    }

    package var named: (kind: FlareClass, name: String)? { (kind, name) }

    package func edit(
        _ pending: inout PendingCommand,
        _ place: PlaceContents?,
        in controller: DeviceController
    ) throws(Refusal) -> PlaceEdit {
        let command = pending.command
        let found = try controller.target(kind, name, of: &pending, place, for: .edit)
        var values = values
        if let zone {
            let home = try controller.state.zone(named: zone, in: place, for: command, at: controller.now)
            if home.id != found.zone {
                values.zone = home.id
                // Moving a thing moves its rights: who has them there gets them.
                try controller.check(command, .edit, on: .init(.zone, home.id), of: found.environment)
            }
        }
        guard !values.isEmpty else { return PlaceEdit() }
        pending.warnings = controller.warnings(kind, found.json, values, in: place, command)
        return PlaceEdit(environment: found.environment, request: .change(found.object, values))
    }
}

extension CommandDescriptor {
    /// At least one member; null removes a value of the data, a position, perimeter or geofence.
    static func edit(_ kind: FlareClass) -> CommandDescriptor {
        CommandDescriptor(web: WebPath(.patch, "\(kind.rawValue)s/{\(kind.rawValue)}")) {
            topic,
            payload throws(Refusal) in
            var fields = try payload.membersOnly()
            let zone = kind == .thing ? try fields.text("zone") : nil
            let values = try ObjectEdit(kind, &fields)
            try fields.finish()
            guard !values.isEmpty || zone != nil else {
                let members = (kind == .thing ? ["zone"] : []) + ObjectEdit.members(of: kind)
                throw Refusal(
                    .invalidValue,
                    "nothing to change was given; \(kind == .environment ? "an" : "a") \(kind.rawValue) has "
                        + QuotedValue.list(members)
                )
            }
            return EditObject(kind, topic.name, values, zone: zone)
        }
    }
}
