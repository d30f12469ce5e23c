import Flare
import People
package import Things

extension DeviceController {
    /// Checks a request against the policies, in order.
    /// - Returns: The first refusal; `nil` if all policies allow the request.
    /// - Parameter withRights: Whether the rights of users are asked, too.
    package func refusal(of request: ChangeRequest, withRights: Bool = true) -> Refusal? {
        policies.refusal(of: request, in: state, withRights: withRights)
    }

    /// Whether all policies allow a request; for those who ask about many and tell nobody why.
    package func allows(_ request: ChangeRequest) -> Bool {
        policies.allSatisfy { $0.allows(request, in: state) }
    }

    /// Checks a request against the rights of users alone.
    package func rightsRefusal(of request: ChangeRequest) -> Refusal? {
        policies.rightsRefusal(of: request, in: state)
    }

    /// Checks a command against the policies.
    func check(
        _ command: Command,
        _ kind: ChangeRequest.Kind,
        on object: ObjectReference? = nil,
        in zone: FlareID? = nil,
        of environment: FlareID? = nil
    ) throws(Refusal) {
        guard !policies.isEmpty else { return }
        let request = state.request(command, kind, on: object, in: zone, of: environment, at: now)
        if let refusal = refusal(of: request) { throw refusal }
    }
}

extension ControllerState {
    /// What a command asks for, for policies.
    ///
    /// - Parameter environment: That of the object; `nil` for the current one.
    func request(
        _ command: Command,
        _ kind: ChangeRequest.Kind,
        on object: ObjectReference? = nil,
        in zone: FlareID? = nil,
        of environment: FlareID? = nil,
        at now: Instant
    ) -> ChangeRequest {
        ChangeRequest(
            actor: command.actor,
            caller: command.caller,
            at: now.wallMilliseconds,
            kind: kind,
            object: object,
            zone: zone,
            environment: object.flatMap {
                $0.kind == .environment ? nil : environment ?? environmentID
            }
        )
    }
}
