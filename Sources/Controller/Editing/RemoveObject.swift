package import Flare
package import JSON
import Text
package import Things

/// Removes an object; what is in it goes, too, or else it must be empty.
package struct RemoveObject: PlaceOperation {
    let kind: FlareClass
    /// By slug or identifier, as received.
    let name: String
    let withContents: Bool

    /// - Parameter name: Its slug or identifier.
    package init(_ kind: FlareClass, _ name: String, withContents: Bool) {
        (self.kind, self.name, self.withContents) = (kind, name, withContents)
    }

    package var logName: String { kind.logName(.remove) }
    package var logTarget: String? { name }
    package var logValues: JSONValue? { ["contents": .bool(withContents)] }
    package var summary: CommandSummary? {
        CommandSummary("remove \(kind.rawValue)", of: .target(QuotedValue.clipped(name, to: 64)))
    }

    package var named: (kind: FlareClass, name: String)? { (kind, name) }

    package func edit(
        _ pending: inout PendingCommand,
        _ place: PlaceContents?,
        in controller: DeviceController
    ) throws(Refusal) -> PlaceEdit {
        let command = pending.command
        let found = try controller.target(kind, name, of: &pending, place, for: .remove)
        let contents = place?.contents(of: found.object) ?? []
        if !withContents, !contents.isEmpty { throw Self.notEmpty(found.object.kind, contents) }
        // What is protected stays, with what it is in.
        for (object, _) in contents {
            let zone = object.kind == .thing ? place?.things[object.id]?.zone : nil
            try controller.check(command, .remove, on: object, in: zone, of: place?.environment)
        }
        return PlaceEdit(
            environment: found.environment,
            request: .remove(found.object, withContents: withContents)
        )
    }

    private static func notEmpty(
        _ kind: FlareClass,
        _ contents: [(object: ObjectReference, name: String)]
    ) -> Refusal {
        let counts = [FlareClass.zone, .thing].compactMap { kind -> String? in
            let all = contents.filter { $0.object.kind == kind }
            guard !all.isEmpty else { return nil }
            let names = QuotedValue.list(all.prefix(5).map { $0.name } + (all.count > 5 ? ["…"] : []))
            return "\(all.count) \(kind.rawValue)\(all.count == 1 ? "" : "s") (\(names))"
        }
        return Refusal(
            .notEmpty,
            "the \(kind.rawValue) holds \(counts.joined(separator: " and ")); remove what is in it first, or "
                + "everything together with ?contents=true"
        )
    }
}

extension CommandDescriptor {
    /// No members; the query `contents=true` removes what is in it, too.
    static func remove(_ kind: FlareClass) -> CommandDescriptor {
        CommandDescriptor(web: WebPath(.delete, "\(kind.rawValue)s/{\(kind.rawValue)}")) {
            topic,
            payload throws(Refusal) in
            let contents = topic.query["contents"]
            guard contents == nil || contents == "true" || contents == "false" else {
                let message = "contents must be true or false (is \(QuotedValue.of(contents ?? "")))"
                throw Refusal(.invalidValue, message, field: "contents")
            }
            try payload.membersOnly().finish()
            return RemoveObject(kind, topic.name, withContents: contents == "true")
        }
    }
}
