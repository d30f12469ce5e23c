import Controller
import Flare
import FlareServer
import JSON
import People
import Settings

extension Capability {
    /// Refuses commands to things that are read-only.
    static let control = Capability(name: "control", settings: .control) { context in
        guard !context.configuration.control.readOnly.isEmpty else { return nil }
        var parts = CapabilityParts()
        parts.policy = ReadOnlyPolicy(context.configuration.control.readOnly)
        return parts
    }
}

extension ChangeRequest {
    /// A change that a client of the embedded Flare server requests.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    init(_ change: ClientChange, by caller: Caller?, at now: Int64) {
        let kind: Kind =
            switch change.kind {
            case .setData(let values): .set(values.keys.sorted())
            case .setPosition: .move
            case .performAction(let name): .action(name)
            case .update: .edit
            case .remove: .remove
            case .insert: .edit
            }
        self.init(
            actor: .flareClient,
            caller: caller,
            at: now,
            kind: kind,
            object: change.object.reference,
            zone: change.object.kind == .thing ? change.object.zone : nil,
            environment: change.object.kind == .environment ? nil : change.object.environment,
            name: change.object.members["name"]?.string,
            zoneName: change.zone?.members["name"]?.string
        )
    }
}
