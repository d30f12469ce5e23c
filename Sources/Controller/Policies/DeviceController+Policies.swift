import Flare
package import Things

extension DeviceController {
    /// Asks the policies in their order.
    /// - Returns: Why the first that refuses does so; `nil` when all allow it.
    package func refusal(of request: ChangeRequest) -> Refusal? {
        for policy in policies {
            if case .refuse(let refusal) = policy.decide(request, in: state) { return refusal }
        }
        return nil
    }

    /// The same for a command.
    func refusal(
        of command: Command,
        _ kind: ChangeRequest.Kind,
        on object: ObjectReference? = nil,
        in zone: FlareID? = nil
    ) -> Refusal? {
        guard !policies.isEmpty else { return nil }
        return refusal(of: ChangeRequest(speaker: command.speaker, kind: kind, object: object, zone: zone))
    }
}
