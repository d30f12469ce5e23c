package import Flare
package import Things

/// Makes, changes or removes an environment, zone or thing: what it is, not what it does.
///
/// For a change in another environment, its zones and things are read first. The answer comes after they have been read
/// again, so the sender already sees the change.
package protocol PlaceOperation: CommandOperation {
    /// What it changes, or what a new object is in, by slug or identifier as received; `nil` for a new environment.
    var named: (kind: FlareClass, name: String)? { get }

    /// The change as it is sent to the server; finds the command's target.
    func edit(
        _ pending: inout PendingCommand,
        _ place: PlaceContents?,
        in controller: DeviceController
    ) throws(Refusal) -> PlaceEdit
}

extension PlaceOperation {
    /// The policies are asked once its object is known.
    package var permission: ChangeRequest.Kind? { nil }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        guard let named, let home = controller.home(of: named.name, named.kind, command.command),
            home != controller.state.environmentID
        else { return try controller.edit(self, &command, in: controller.state.contents) }
        do throws(Refusal) { try controller.read(home, for: command, then: .edit(self)) } catch {
            // As if the name were nowhere, for who may not see what it names.
            guard !maySeeUnread(in: home, command.command, controller) else { throw error }
            try controller.edit(self, &command, in: controller.state.contents)
        }
    }

    /// Whether the sender may know of what it names while its environment cannot be read.
    func maySeeUnread(in home: FlareID, _ command: Command, _ controller: DeviceController) -> Bool {
        guard let named else { return false }
        let reader = controller.state.reader(for: command.caller, at: controller.now.wallMilliseconds)
        return controller.state.isUnreadSeen(named.kind, named.name, in: home, by: reader)
    }
}

/// A change as it is sent to the server.
package struct PlaceEdit {
    /// That of the object; `nil` for an environment.
    var environment: FlareID?
    /// `nil` if there is nothing to do.
    var request: FlareRequest?
}
