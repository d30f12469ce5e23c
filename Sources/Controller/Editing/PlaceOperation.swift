package import Flare
package import Things

/// Makes, changes or removes an environment, zone or thing: what it is, not what it does.
///
/// For a change in another environment, its zones and things are read first. The answer comes after they have been read
/// again, so the sender already sees the change.
package protocol PlaceOperation: CommandOperation {
    /// The environment of what it changes; `nil` if it is not known.
    func home(_ command: Command, in controller: DeviceController) -> FlareID?

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
        guard let home = home(command.command, in: controller), home != controller.state.environmentID else {
            return try controller.edit(self, &command, in: controller.state.contents)
        }
        do throws(Refusal) { try controller.read(home, for: command, then: .edit(self)) } catch {
            // As if the name were nowhere, for who may not see everything there.
            guard !controller.maySee(environment: home, command.command) else { throw error }
            try controller.edit(self, &command, in: controller.state.contents)
        }
    }
}

/// A change as it is sent to the server.
package struct PlaceEdit {
    /// That of the object; `nil` for an environment.
    var environment: FlareID?
    /// `nil` if there is nothing to do.
    var request: FlareRequest?
}
