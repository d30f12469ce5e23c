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

    package var logName: String { kind.logName(.edit) }
    package var logTarget: String? { name }
    package var logValues: JSONValue? { .object(values.logged(in: "zone", zone)) }
    package var summary: CommandSummary? {
        CommandSummary("edit \(kind.rawValue)", of: .target(QuotedValue.clipped(name, to: 64)))
    }

    package func home(_ command: Command, in controller: DeviceController) -> FlareID? {
        controller.home(of: name, kind, command)
    }

    package func edit(
        _ command: Command,
        _ place: PlaceContents?,
        in controller: DeviceController
    ) -> Result<PlaceEdit, Refusal> {
        let found: EditedObject
        switch controller.object(kind, name, command, place) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let object): found = object
        }
        var values = values
        var edit = PlaceEdit(target: controller.answerTarget(found.object), environment: found.environment)
        edit.refusal = controller.refusal(
            of: command,
            .edit,
            on: found.object,
            in: found.zone,
            of: found.environment
        )
        guard edit.refusal == nil else { return .success(edit) }
        if let zone {
            switch controller.state.zone(named: zone, in: place, for: command, at: controller.now) {
            case .failure(let refusal):
                edit.refusal = refusal
                return .success(edit)
            case .success(let home) where home.id != found.zone:
                values.zone = home.id
                // Moving a thing moves its rights: who has them there gets them.
                let zone = ObjectReference(.zone, home.id)
                edit.refusal = controller.refusal(of: command, .edit, on: zone, of: found.environment)
            case .success: break
            }
        }
        guard !values.isEmpty else { return .success(edit) }
        edit.request = .change(found.object, values)
        edit.warnings = controller.warnings(kind, found.json, values, in: place, command)
        return .success(edit)
    }
}

extension Command.Order {
    package static func edit(_ kind: FlareClass, _ name: String, _ values: ObjectEdit, zone: String?) -> Self
    {
        Self(EditObject(kind: kind, name: name, values: values, zone: zone))
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
            return EditObject(kind: kind, name: topic.name, values: values, zone: zone)
        }
    }
}
